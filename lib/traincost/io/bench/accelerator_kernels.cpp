#include "traincost/io/bench/accelerator_kernels.hpp"
#include <algorithm>
#include <cmath>
#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/bench/allocator_data.hpp"
#include "traincost/io/bench/family_member.hpp"
#include "traincost/io/embedded.hpp"
#include "traincost/io/specs/provenance_fields.hpp"

namespace traincost {

namespace {

constexpr std::string_view kernels_room = "bench";

/// The file of that id in the bench folder, or nothing.
const EmbeddedFile* bench_file(std::string_view id, std::span<const EmbeddedFile> files) {
    const auto at =
        std::lower_bound(files.begin(), files.end(), id, [](const EmbeddedFile& f, std::string_view key) {
            return f.room < kernels_room || (f.room == kernels_room && f.id < key);
        });
    return at != files.end() && at->room == kernels_room && at->id == id ? &*at : nullptr;
}

JsonDocument document_of(const EmbeddedFile& file) {
    return parse_json(file.text, std::string(file.room) + "/" + std::string(file.id) + ".json");
}

/// Adds the file of that id, if there is one.
template <class Read>
bool add_file(const std::string& id, std::span<const EmbeddedFile> files, KernelModels& models, Read read) {
    const EmbeddedFile* file = bench_file(id, files);
    if (file == nullptr) {
        return false;
    }
    const JsonDocument document = document_of(*file);
    add(read(JsonNode(document)), models);
    return true;
}

void name_source(const KernelOrigin& origin, KernelModels& models) {
    models.source += (models.source.empty() ? "" : ", ") + origin.id;
}

}  // namespace

void add(const GemmData& data, KernelModels& models) {
    for (const GemmRecord& record : data.formats) {
        models.gemm[static_cast<std::size_t>(record.format)] = record.fit;
    }
    models.gemm_sustained = data.sustained_factor;
    models.gemm_sustained_horizon = data.sustained_horizon;
    models.power_knee = data.power_knee.value_or(0.0);
    models.mxfp8_as_fp8 = data.mxfp8_as_fp8;
    models.default_units = data.default_units;
    models.default_l2 = data.default_l2;
    models.measured = data.origin.measured;
    name_source(data.origin, models);
}

void add(const AttentionData& data, KernelModels& models) {
    models.attention = data.fits;
    name_source(data.origin, models);
}

void add(const BandwidthData& data, KernelModels& models) {
    models.memory = data.fit;
    name_source(data.origin, models);
}

std::string kernel_family(std::string_view architecture, std::span<const EmbeddedFile> files) {
    const EmbeddedFile* file = bench_file("kernel-families", files);
    if (file == nullptr) {
        throw Error(ErrorKind::internal, "data/bench/kernel-families.json is not built in");
    }
    const JsonDocument document = document_of(*file);
    JsonObject root{JsonNode(document)};
    root.skip("schema");
    root.skip("id");
    std::string best = "generic";
    std::size_t length = 0;
    for (const JsonNode& item : root.at("families").items()) {
        JsonObject family(item);
        const std::string& id = family.at("id").string();
        for (const std::string& beginning : family.at("architectures").strings()) {
            if (architecture.starts_with(beginning) && beginning.size() > length) {
                best = id;
                length = beginning.size();
            }
        }
        family.finish();
    }
    root.finish();
    return best;
}

namespace {

/// Formats that the accelerator multiplies and that neither its own data nor its family's hold: fp4 runs as
/// fp8 does there, at the peak of its own; what has neither as on the mean accelerator. Block scales without
/// a fit of their own take the plain one.
void add_missing_formats(const AcceleratorSpec& accelerator, std::span<const EmbeddedFile> files,
                         KernelModels& models) {
    std::string added;
    const auto add_source = [&](const std::string& text) { added += (added.empty() ? "" : ", ") + text; };
    const std::optional<GemmFit> eight_bit = models.gemm[static_cast<std::size_t>(GemmFormat::fp8)];
    for (const auto& [format, type] :
         {std::pair{GemmFormat::fp8, DataType::fp8}, std::pair{GemmFormat::fp4, DataType::fp4}}) {
        std::optional<GemmFit>& fit = models.gemm[static_cast<std::size_t>(format)];
        const bool runs = peak_rate(accelerator, type) ||
                          (format == GemmFormat::fp8 && peak_rate(accelerator, DataType::mxfp8));
        const EmbeddedFile* file = bench_file("gemm-generic", files);
        if (fit || !runs || file == nullptr)
            continue;
        if (format == GemmFormat::fp4 && eight_bit) {
            fit = eight_bit;
            add_source("fp4 as fp8");
            continue;
        }
        const JsonDocument document = document_of(*file);
        for (const GemmRecord& record : gemm_data_from_json(JsonNode(document)).formats) {
            if (record.format == format) {
                fit = record.fit;
                add_source(std::string(gemm_format_name(format)) + " of gemm-generic");
            }
        }
    }
    if (!added.empty())
        models.source += (models.source.empty() ? "" : ", ") + added;
}

/// The bandwidth model of a family as a member has it. Where units and not memory set the rate of a walk, it
/// follows their number and clock, and is no more than that of a stream.
void add_family_bandwidth(const AcceleratorSpec& accelerator, BandwidthData data, KernelModels& models) {
    const double stream = data.fit.efficiency[static_cast<std::size_t>(MemoryAccess::stream)];
    const double clocks = static_cast<double>(accelerator.compute_units) * accelerator.clock_hz.value_or(0.0);
    for (std::size_t i = 0; i < memory_access_count && clocks > 0.0; ++i) {
        if (data.unit_bytes[i] > 0.0)
            data.fit.efficiency[i] =
                std::min(stream, data.unit_bytes[i] * clocks / accelerator.memory_bandwidth.value());
    }
    add(data, models);
}

/// The matrix-product data of an accelerator or a family; nothing where there is no such file.
std::optional<GemmData> gemm_data_named(const std::string& name, std::span<const EmbeddedFile> files) {
    const EmbeddedFile* file = bench_file("gemm-" + name, files);
    if (file == nullptr)
        return std::nullopt;
    const JsonDocument document = document_of(*file);
    return gemm_data_from_json(JsonNode(document));
}

}  // namespace

std::optional<GemmData> find_gemm_data(const AcceleratorSpec& accelerator,
                                       std::span<const EmbeddedFile> files) {
    if (auto data = gemm_data_named(accelerator.id, files))
        return data;
    return gemm_data_named(kernel_family(accelerator.architecture, files), files);
}

KernelModels kernel_models_of(const AcceleratorSpec& accelerator, std::span<const EmbeddedFile> files) {
    const std::string family = kernel_family(accelerator.architecture, files);
    KernelModels models;
    double attention_clock = 1.0;
    const std::optional<GemmData> family_data = gemm_data_named(family, files);
    const FamilyMember member =
        family_data ? family_member(accelerator, *family_data) : FamilyMember{1.0, 1.0};
    if (!add_file("gemm-" + accelerator.id, files, models, gemm_data_from_json) && family_data) {
        add(*family_data, models);
        attention_clock = adapt_products(models, member);
    }
    add_missing_formats(accelerator, files, models);
    if (!add_file("attention-" + accelerator.id, files, models, attention_data_from_json)) {
        add_file("attention-" + family, files, models, attention_data_from_json);
        adapt_attention(models, attention_clock, member.unit_rate);
    }
    if (!add_file("memory-" + accelerator.id, files, models, bandwidth_data_from_json)) {
        if (const EmbeddedFile* file = bench_file("memory-" + family, files)) {
            const JsonDocument document = document_of(*file);
            add_family_bandwidth(accelerator, bandwidth_data_from_json(JsonNode(document)), models);
        }
    }
    if (const EmbeddedFile* file = bench_file("allocator", files)) {
        const JsonDocument document = document_of(*file);
        models.allocator = allocator_model_from_json(JsonNode(document));
    }
    return models;
}

}  // namespace traincost
