#include "traincost/ask/measured/kernel_tables.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/bench/accelerator_kernels.hpp"
#include "traincost/io/bench/kernel_points.hpp"

namespace traincost {

namespace {

/// The format whose peak a chip's kernels run at: 16-bit ones of a chip without bf16 are fp16's.
DataType gemm_data_type(GemmFormat format, const AcceleratorSpec& chip) {
    switch (format) {
        case GemmFormat::fp8:
            return DataType::fp8;
        case GemmFormat::fp8_block:
            return DataType::mxfp8;
        case GemmFormat::fp4:
            return DataType::fp4;
        case GemmFormat::bf16:
            break;
    }
    return emulates(chip, DataType::bf16) ? DataType::fp16 : DataType::bf16;
}

/// The model of an accelerator's kernels of a format, at the clock of a short benchmark; nothing where a
/// figure is missing. Block-scaled fp8 runs at the peak of fp8.
std::optional<GemmModel> short_run_model(AcceleratorSpec chip, GemmFormat format,
                                         const Catalogue& catalogue) {
    auto& mxfp8 = chip.peak[static_cast<std::size_t>(DataType::mxfp8)];
    if (!mxfp8)
        mxfp8 = peak_rate(chip, DataType::fp8);
    KernelModels kernels = kernel_models_of(chip, catalogue.bench());
    kernels.mxfp8_as_fp8 = false;  // block scales were measured themselves
    auto model = gemm_model(chip, kernels, gemm_data_type(format, chip));
    if (model) {
        model->sustained = 1.0;
        model->power_knee = 0.0;
    }
    return model;
}

/// Which catalogue accelerator points belong to.
class MeasuredChips {
public:
    MeasuredChips(const Catalogue& catalogue, const std::string& only, const TakeRemark& remark)
        : catalogue_(catalogue), remark_(remark) {
        if (!only.empty())
            only_ = catalogue.id(Room::accelerators, only);
    }

    /// The id, or nothing where the point is not wanted.
    std::optional<std::string> id_of(const std::string& name, const std::string& where) {
        if (name.empty()) {
            if (only_.empty())
                throw Error(ErrorKind::input,
                            where + ": the file names no accelerator; give --accelerator ID");
            return only_;
        }
        const auto [found, is_new] = ids_.try_emplace(name, std::nullopt);
        if (is_new) {
            found->second = catalogue_.find(Room::accelerators, name);
            for (const char* vendor : {"NVIDIA ", "AMD ", "Intel "}) {
                if (!found->second && name.starts_with(vendor))
                    found->second =
                        catalogue_.find(Room::accelerators, name.substr(std::string(vendor).size()));
            }
            if (!found->second)
                remark_(where + ": '" + name + "' is not in the catalogue; its points are left out");
        }
        if (!found->second || (!only_.empty() && *found->second != only_))
            return std::nullopt;
        return found->second;
    }

private:
    const Catalogue& catalogue_;
    const TakeRemark& remark_;
    std::string only_;
    std::map<std::string, std::optional<std::string>> ids_;
};

void require_possible(const GemmPoint& p, const GemmModel& model, const MeasuredGemm& measured,
                      const std::string& chip) {
    // Of the peak: boards clock above their data sheet, an RTX 5090 by 1.12.
    constexpr double tolerance = 1.25;
    const FlopRate rate = Flops(2.0 * p.m * p.n * p.k) / p.time;
    if (rate.value() > tolerance * model.peak.value())
        throw Error(ErrorKind::input, measured.where + ": " + std::to_string(static_cast<std::int64_t>(p.m)) +
                                          " x " + std::to_string(static_cast<std::int64_t>(p.n)) + " x " +
                                          std::to_string(static_cast<std::int64_t>(p.k)) + " in " +
                                          to_text(p.time) + " is " + to_text(rate) + ", above the " +
                                          std::string(gemm_format_name(measured.format)) + " peak of " +
                                          chip + ", " + to_text(model.peak));
}

void require_possible(const CollectivePoint& p, const Network& network, const MeasuredCollective& measured,
                      const std::string& chip) {
    constexpr double tolerance = 2.0;  // switches that reduce carry twice what a ring would have to
    const ByteRate rate = bus_bandwidth(p.collective, p.message, p.ranks, p.time);
    if (rate.value() > tolerance * network.scale_up.bandwidth.value())
        throw Error(ErrorKind::input,
                    measured.where + ": " + to_text(p.message) + " among " + std::to_string(p.ranks) +
                        " in " + to_text(p.time) + " is a bus bandwidth of " + to_text(rate) +
                        ", above the links of " + chip + ", " + to_text(network.scale_up.bandwidth));
}

class MeasuredKernelSorter {
public:
    MeasuredKernelSorter(const std::string& only, LinkChoice curves, const Catalogue& catalogue,
                         const TakeRemark& remark)
        : catalogue_(catalogue), curves_(curves), chips_(catalogue, only, remark) {
    }

    void add(const MeasuredGemm& measured) {
        const auto id = chips_.id_of(measured.accelerator, measured.where);
        if (!id)
            return;
        const auto key = std::pair(*id, measured.format);
        auto found = gemms_.find(key);
        if (found == gemms_.end()) {
            const AcceleratorSpec chip = catalogue_.accelerator(*id);
            const auto data = find_gemm_data(chip, catalogue_.bench());
            const auto model = short_run_model(chip, measured.format, catalogue_);
            if (!data || !model)
                throw Error(ErrorKind::input, measured.where + ": " + *id + " has no " +
                                                  std::string(gemm_format_name(measured.format)) +
                                                  " peak or bandwidth in the catalogue");
            found = gemms_
                        .emplace(key, GemmTable{{chip.id,
                                                 kernel_family(chip.architecture, catalogue_.bench()),
                                                 measured.format,
                                                 *model,
                                                 {}},
                                                *data,
                                                0})
                        .first;
        }
        GemmTable& table = found->second;
        const GemmPoint point{0,          measured.pass, measured.m,
                              measured.n, measured.k,    Seconds(measured.us * 1e-6)};
        require_possible(point, table.sample.model, measured, *id);
        if (fittable(point))
            table.sample.points.push_back(point);
        else
            ++table.unfittable;
    }

    void add(const MeasuredCollective& measured) {
        const auto id = chips_.id_of(measured.accelerator, measured.where);
        if (!id)
            return;
        auto found = links_.find(*id);
        if (found == links_.end()) {
            ClusterSpec cluster = catalogue_.cluster(*id, 2).spec;
            auto link =
                find_link_record(cluster.network.scale_up.link, LinkKind::scale_up, catalogue_.bench());
            if (link && !link->measured && curves_ == LinkChoice::measured) {
                if (auto own = measured_on(*id)) {
                    cluster.network.scale_up.curves = own->curves;
                    link = std::move(own);
                }
            }
            if (!link)
                throw Error(ErrorKind::input, measured.where + ": no curves serve the link of " + *id +
                                                  ", '" + cluster.network.scale_up.link + "'");
            found = links_
                        .emplace(
                            *id,
                            LinkTable{{catalogue_.accelerator(*id).id, link->id, cluster.network, {}}, *link})
                        .first;
        }
        LinkTable& table = found->second;
        const CollectivePoint point{measured.collective, measured.ranks, Bytes(measured.bytes),
                                    Seconds(measured.us * 1e-6)};
        if (point.ranks > table.sample.network.domain_size)
            throw Error(ErrorKind::input, measured.where + ": " + std::to_string(point.ranks) +
                                              " ranks are more than the scale-up domain of " + *id + ", " +
                                              std::to_string(table.sample.network.domain_size));
        require_possible(point, table.sample.network, measured, *id);
        table.sample.points.push_back(point);
    }

    /// Curves that were measured on a machine of that accelerator.
    std::optional<LinkRecord> measured_on(const std::string& id) const {
        for (LinkRecord& record : link_records()) {
            if (record.kind == LinkKind::scale_up && record.measured &&
                canonical_name(record.hardware).find(id) != std::string::npos)
                return find_link_record(record.id, LinkKind::scale_up, catalogue_.bench());
        }
        return std::nullopt;
    }

    KernelTables tables() {
        KernelTables result;
        for (auto& [key, table] : gemms_)
            result.gemms.push_back(std::move(table));
        for (auto& [key, table] : links_)
            result.links.push_back(std::move(table));
        return result;
    }

private:
    const Catalogue& catalogue_;
    LinkChoice curves_;
    MeasuredChips chips_;
    std::map<std::pair<std::string, GemmFormat>, GemmTable> gemms_;
    std::map<std::string, LinkTable> links_;
};

}  // namespace

bool are_kernel_files(const std::vector<std::string>& files) {
    const auto first_other =
        std::find_if(files.begin(), files.end(), [](const std::string& f) { return !is_kernel_file(f); });
    if (first_other == files.end())
        return !files.empty();
    const auto kernels = std::find_if(files.begin(), files.end(), is_kernel_file);
    if (kernels != files.end())
        throw Error(ErrorKind::usage, *kernels + " contains kernels and " + *first_other +
                                          " run records; give files of one kind");
    return false;
}

KernelTables read_kernel_tables(const std::vector<std::string>& files, const std::string& accelerator,
                                LinkChoice curves, const Catalogue& catalogue, const TakeRemark& remark) {
    MeasuredKernelSorter sorter(accelerator, curves, catalogue, remark);
    std::string sources;
    std::string software;
    for (const std::string& path : files) {
        const KernelFile file = read_kernel_file(path);
        for (const std::string& line : file.remarks)
            remark(line);
        for (const MeasuredGemm& point : file.gemms)
            sorter.add(point);
        for (const MeasuredCollective& point : file.collectives)
            sorter.add(point);
        sources +=
            (sources.empty() ? "" : "; ") + file.name + (file.source.empty() ? "" : ": " + file.source);
        if (!file.software.empty())
            software += (software.empty() ? "" : ", ") + file.software;
    }
    KernelTables tables = sorter.tables();
    tables.sources = sources;
    tables.software = software;
    if (tables.gemms.empty() && tables.links.empty())
        throw Error(ErrorKind::input,
                    files.front() + ": has no point of " +
                        (accelerator.empty() ? "an accelerator of the catalogue" : accelerator));
    return tables;
}

std::vector<GemmSample> gemm_samples(const KernelTables& tables) {
    std::vector<GemmSample> samples;
    for (const GemmTable& table : tables.gemms)
        samples.push_back(table.sample);
    return samples;
}

std::vector<LinkSample> link_samples(const KernelTables& tables) {
    std::vector<LinkSample> samples;
    for (const LinkTable& table : tables.links)
        samples.push_back(table.sample);
    return samples;
}

}  // namespace traincost
