#include "traincost/io/bench/kernel_data.hpp"

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

constexpr std::string_view format_names[] = {"bf16", "fp8", "fp8_block", "fp4"};
constexpr std::string_view generation_names[] = {
    "flash2", "flash3", "flash4", "memory_efficient", "flash_triton", "flash_pallas", "flash_aiter", "math"};
constexpr std::string_view access_names[] = {"stream", "gelu",          "widen",     "dropout",
                                             "norm",   "norm_backward", "softmax",   "softmax_backward",
                                             "loss",   "loss_backward", "reduction", "transpose",
                                             "gather", "scatter_add",   "optimizer", "narrow_optimizer"};
static_assert(std::size(format_names) == gemm_format_count);
static_assert(std::size(generation_names) == attention_generation_count);
static_assert(std::size(access_names) == memory_access_count);

template <class Enum>
Enum enum_at(const JsonNode& node, std::span<const std::string_view> names) {
    return static_cast<Enum>(node.one_of(names));
}

double in_range(const JsonNode& node, double low, double high) {
    const double x = node.number();
    if (!(x >= low && x <= high)) {
        node.fail(to_exact(x) + "; must be between " + to_exact(low) + " and " + to_exact(high));
    }
    return x;
}

/// More than 0, and no further from 1 than any ratio, size or count of a kernel is.
double positive_finite(const JsonNode& node) {
    constexpr double far = 1e9;
    if (!(node.number() > 0)) {
        node.fail(to_exact(node.number()) + "; must be more than 0");
    }
    return in_range(node, 1 / far, far);
}

/// What a file has in microseconds: up to a minute.
Seconds seconds(const JsonNode& node) {
    return Seconds(in_range(node, 0, 60 / micro) * micro);
}

/// As many numbers as `xs` holds.
template <class T, std::size_t n>
void read_numbers(const JsonNode& node, std::array<T, n>& xs, double unit = 1.0) {
    constexpr double limit = 1e6;
    const std::vector<JsonNode> items = node.items();
    if (items.size() != n) {
        node.fail("has " + std::to_string(items.size()) + " numbers; must have " + std::to_string(n));
    }
    for (std::size_t i = 0; i < n; ++i) {
        xs[i] = T(in_range(items[i], -limit, limit) * unit);
    }
}

template <std::size_t n>
void read_knots(const JsonNode& node, std::array<double, n>& xs) {
    read_numbers(node, xs);
    if (std::adjacent_find(xs.begin(), xs.end(), [](double a, double b) { return !(a < b); }) != xs.end()) {
        node.fail("must rise");
    }
}

void read_origin(JsonObject& object, std::string_view schema, KernelOrigin& x) {
    io::FieldReader io(object);
    io::read_schema(io, schema);
    io.required("id", x.id);
    io.required("name", x.name);
    io.required("measured", x.measured);
    io.required("date", x.date);
    io.required("hardware", x.hardware);
    io.required("software", x.software);
    io::describe_provenance(io, x.provenance);
}

void read_tiles(const JsonNode& node, std::array<GemmTile, gemm_tile_count>& tiles) {
    const std::vector<JsonNode> items = node.items();
    if (items.empty() || items.size() > tiles.size()) {
        node.fail("has " + std::to_string(items.size()) + " tiles; must have 1 to " +
                  std::to_string(tiles.size()));
    }
    tiles.fill({0, 0});
    for (std::size_t i = 0; i < items.size(); ++i) {
        std::array<double, 2> sides{};
        read_numbers(items[i], sides);
        if (!(sides[0] > 0 && sides[1] > 0)) {
            items[i].fail("must have two sides of more than 0");
        }
        tiles[i] = {sides[0], sides[1]};
    }
}

/// No correction: any knots, all zero.
GemmCorrection no_correction() {
    GemmCorrection x{};
    x.log2_m = x.log2_n = x.log2_k = {6, 8, 10, 12, 14, 16};
    return x;
}

GemmCorrection read_correction(const JsonNode& node) {
    GemmCorrection x{};
    JsonObject object(node);
    read_knots(object.at("log2_m"), x.log2_m);
    read_knots(object.at("log2_n"), x.log2_n);
    read_knots(object.at("log2_k"), x.log2_k);
    read_numbers(object.at("per_mille"), x.log_ratio, 1e-3);
    object.finish();
    return x;
}

GemmMisalignment read_misalignment(const JsonNode& node) {
    JsonObject object(node);
    const GemmMisalignment x{.even = positive_finite(object.at("even")),
                             .odd_forward = positive_finite(object.at("odd_forward")),
                             .odd_dgrad = positive_finite(object.at("odd_dgrad")),
                             .odd_wgrad = positive_finite(object.at("odd_wgrad"))};
    object.finish();
    return x;
}

GemmRecord read_gemm_record(const JsonNode& node) {
    JsonObject object(node);
    io::FieldReader io(object);
    GemmRecord x{};
    x.format = enum_at<GemmFormat>(object.at("format"), format_names);
    io.required("points", x.points);
    io.required("fitted_points", x.fitted_points);
    io.optional("held_out_median_percent", x.held_out_median_percent);
    io.optional("held_out_p90_percent", x.held_out_p90_percent);
    constexpr double most = 1e6;
    GemmFit& fit = x.fit;
    fit.efficiency = positive_finite(object.at("efficiency"));
    fit.tile_penalty = in_range(object.at("tile_penalty"), 0, most);
    fit.k_prologue = in_range(object.at("k_prologue"), 0, most);
    io.required("wave_quantisation", fit.wave_quantisation);
    fit.memory_efficiency = positive_finite(object.at("memory_efficiency"));
    fit.blend = positive_finite(object.at("blend"));
    fit.launch = seconds(object.at("launch_us"));
    fit.wave = seconds(object.at("wave_us"));
    io.required("split_k", fit.split_k);
    fit.split = seconds(object.at("split_us"));
    fit.reread_rows = positive_finite(object.at("reread_rows"));
    fit.cache_share = positive_finite(object.at("cache_share"));
    fit.droop = in_range(object.at("droop"), 0, most);
    fit.quantise_launch = seconds(object.at("quantise_launch_us"));
    fit.quantise_efficiency = positive_finite(object.at("quantise_efficiency"));
    fit.dgrad = positive_finite(object.at("dgrad"));
    fit.wgrad = positive_finite(object.at("wgrad"));
    fit.grouped = positive_finite(object.at("grouped"));
    fit.grouped_prologue = in_range(object.at("grouped_prologue"), 0, most);
    if (const auto rowwise = object.find("rowwise"))
        fit.rowwise = in_range(*rowwise, 0.05, 1.0);
    fit.misaligned = read_misalignment(object.at("misaligned"));
    read_tiles(object.at("tiles"), fit.tiles);
    const auto correction = object.find("correction");
    fit.correction = correction ? read_correction(*correction) : no_correction();
    object.finish();
    return x;
}

AttentionCurve read_attention_curve(const JsonNode& node) {
    AttentionCurve x{};
    JsonObject object(node);
    read_knots(object.at("head_dim"), x.head_dim);
    const JsonNode efficiency = object.at("efficiency");
    read_numbers(efficiency, x.efficiency);
    for (const JsonNode& item : efficiency.items()) {
        positive_finite(item);
    }
    read_numbers(object.at("extra_keys"), x.extra_keys);
    read_numbers(object.at("causal_keys"), x.causal_keys);
    if (const auto masked = object.find("masked")) {
        read_numbers(*masked, x.masked);
        for (const JsonNode& item : masked->items()) {
            in_range(item, 1, 1e3);
        }
    }
    object.finish();
    return x;
}

}  // namespace

GemmData gemm_data_from_json(const JsonNode& node) {
    GemmData x{};
    JsonObject object(node);
    read_origin(object, "gemm/1", x.origin);
    x.sustained_factor = in_range(object.at("sustained_factor"), 1, 1000);
    x.sustained_horizon = Seconds(positive_finite(object.at("sustained_horizon_us")) * micro);
    if (const auto knee = object.find("power_knee"))
        x.power_knee = positive_finite(*knee);
    x.default_units = positive_finite(object.at("default_units"));
    x.default_l2 = Bytes(positive_finite(object.at("default_l2_MiB")) * mebi);
    if (const auto watts = object.find("power_limit_W_per_TFLOPs"))
        x.watts_per_tflops = positive_finite(*watts);
    if (const auto flops = object.find("unit_flops_per_clock"))
        x.flops_per_clock = positive_finite(*flops);
    if (const auto same = object.find("mxfp8_as_fp8"))
        x.mxfp8_as_fp8 = same->boolean();
    for (const JsonNode& item : object.at("formats").items()) {
        x.formats.push_back(read_gemm_record(item));
    }
    object.finish();
    return x;
}

AttentionData attention_data_from_json(const JsonNode& node) {
    AttentionData x{};
    JsonObject object(node);
    read_origin(object, "attention/1", x.origin);
    for (const char* statement : {"points", "fit_median_percent", "fit_p90_percent"}) {
        object.skip(statement);  // for people
    }
    x.fits.fastest = enum_at<AttentionGeneration>(object.at("fastest"), generation_names);
    for (const JsonNode& item : object.at("kernels").items()) {
        JsonObject kernel(item);
        const JsonNode name = kernel.at("generation");
        const auto generation = enum_at<AttentionGeneration>(name, generation_names);
        if (generation == AttentionGeneration::math) {
            name.fail("math is described by its bytes a score, not by a curve");
        }
        x.fits.by_generation[static_cast<std::size_t>(generation)] =
            AttentionFit{.forward = read_attention_curve(kernel.at("forward")),
                         .backward = read_attention_curve(kernel.at("backward")),
                         .query_block = positive_finite(kernel.at("query_block")),
                         .shared_keys = positive_finite(kernel.at("shared_keys")),
                         .launch = seconds(kernel.at("launch_us"))};
        if (const auto step = kernel.find("head_step"))
            x.fits.by_generation[static_cast<std::size_t>(generation)]->head_step = positive_finite(*step);
        kernel.finish();
    }
    JsonObject math(object.at("math"));
    x.fits.math = {.forward_bytes = positive_finite(math.at("forward_bytes_per_score")),
                   .backward_bytes = positive_finite(math.at("backward_bytes_per_score")),
                   .misaligned = positive_finite(math.at("misaligned_efficiency"))};
    math.finish();
    object.finish();
    return x;
}

BandwidthData bandwidth_data_from_json(const JsonNode& node) {
    BandwidthData x{};
    JsonObject object(node);
    read_origin(object, "memory/1", x.origin);
    for (const char* statement : {"points", "fit_median_percent", "fit_p90_percent"}) {
        object.skip(statement);  // for people
    }
    x.fit.cached_speedup = positive_finite(object.at("cached_speedup"));
    x.fit.cache_share = positive_finite(object.at("cache_share"));
    JsonObject classes(object.at("classes"));
    for (std::size_t i = 0; i < memory_access_count; ++i) {
        JsonObject entry(classes.at(access_names[i]));
        x.fit.efficiency[i] = positive_finite(entry.at("efficiency"));
        x.fit.latency[i] = seconds(entry.at("latency_us"));
        if (const auto bytes = entry.find("unit_bytes_per_clock"))
            x.unit_bytes[i] = positive_finite(*bytes);
        entry.finish();
    }
    classes.finish();
    object.finish();
    return x;
}

std::span<const std::string_view> memory_access_names() {
    return access_names;
}

std::string_view gemm_format_name(GemmFormat format) {
    return format_names[static_cast<std::size_t>(format)];
}

}  // namespace traincost
