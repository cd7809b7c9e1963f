#include "traincost/io/bench/kernel_writer.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, 2> kind_names = {"scale_up", "scale_out"};

double rounded(double x) {
    return std::stod(to_significant(x, 4));
}

double microseconds(Seconds x) {
    return rounded(x.value() / micro);
}

/// Knots as written in the built-in files: enough digits for a size to lie on its knot.
template <class Knots>
std::vector<double> knots(const Knots& xs) {
    std::vector<double> result;
    for (const double x : xs)
        result.push_back(std::stod(to_significant(x, 8)));
    return result;
}

/// Arrays of plain numbers on as few lines as they need, each no longer than a line of the built-in files.
std::string with_short_arrays(const std::string& text) {
    constexpr std::size_t longest = 118;
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find_first_of("[]{}\"", at + 1);
        if (text[at] != '[' || end == std::string::npos || text[end] != ']') {
            result += text[at++];
            continue;
        }
        std::size_t column = result.size() - result.find_last_of('\n');
        std::string word;
        for (; at <= end; ++at) {
            const char c = text[at];
            if (c == ' ' || c == '\n')
                continue;
            word += c;
            if (c != ',' && at != end)
                continue;
            if (column + word.size() + 1 > longest) {
                result += '\n';
                column = 0;
            } else if (column > 0 && word.front() != '[') {
                result += ' ';
                ++column;
            }
            result += word;
            column += word.size();
            word.clear();
        }
    }
    return result;
}

void write_texts(JsonWriter& out, std::string_view key, const std::vector<std::string>& texts) {
    if (!texts.empty())
        out.array(key, texts);
}

void write_provenance(JsonWriter& out, const Provenance& p) {
    if (!p.confidence.empty())
        out.member("confidence", p.confidence);
    write_texts(out, "unverified", p.unverified);
    write_texts(out, "notes", p.notes);
    write_texts(out, "sources", p.sources);
}

bool is_zero(const GemmCorrection& c) {
    for (const float x : c.log_ratio) {
        if (x != 0.0F)
            return false;
    }
    return true;
}

void write_correction(JsonWriter& out, const GemmCorrection& c) {
    out.key("correction").begin_object();
    out.array("log2_m", knots(c.log2_m)).array("log2_n", knots(c.log2_n)).array("log2_k", knots(c.log2_k));
    std::vector<std::int64_t> per_mille;
    for (const float x : c.log_ratio)
        per_mille.push_back(std::lround(1000.0 * static_cast<double>(x)));
    out.array("per_mille", per_mille).end_object();
}

void write_gemm_record(JsonWriter& out, const GemmRecord& record) {
    const GemmFit& fit = record.fit;
    out.begin_object()
        .member("format", gemm_format_name(record.format))
        .member("points", record.points)
        .member("fitted_points", record.fitted_points);
    if (record.held_out_median_percent)
        out.member("held_out_median_percent", rounded(*record.held_out_median_percent));
    if (record.held_out_p90_percent)
        out.member("held_out_p90_percent", rounded(*record.held_out_p90_percent));
    out.member("efficiency", rounded(fit.efficiency))
        .member("tile_penalty", rounded(fit.tile_penalty))
        .member("k_prologue", rounded(fit.k_prologue))
        .member("wave_quantisation", rounded(fit.wave_quantisation))
        .member("memory_efficiency", rounded(fit.memory_efficiency))
        .member("blend", rounded(fit.blend))
        .member("launch_us", microseconds(fit.launch))
        .member("wave_us", microseconds(fit.wave))
        .member("split_k", fit.split_k)
        .member("split_us", microseconds(fit.split))
        .member("reread_rows", rounded(fit.reread_rows))
        .member("cache_share", rounded(fit.cache_share))
        .member("droop", rounded(fit.droop))
        .member("quantise_launch_us", microseconds(fit.quantise_launch))
        .member("quantise_efficiency", rounded(fit.quantise_efficiency))
        .member("dgrad", rounded(fit.dgrad))
        .member("wgrad", rounded(fit.wgrad))
        .member("grouped", rounded(fit.grouped))
        .member("grouped_prologue", rounded(fit.grouped_prologue));
    if (fit.rowwise != 1.0)
        out.member("rowwise", rounded(fit.rowwise));
    out.key("misaligned")
        .begin_object()
        .member("even", fit.misaligned.even)
        .member("odd_forward", fit.misaligned.odd_forward)
        .member("odd_dgrad", fit.misaligned.odd_dgrad)
        .member("odd_wgrad", fit.misaligned.odd_wgrad)
        .end_object();
    out.key("tiles").begin_array();
    for (const GemmTile& tile : fit.tiles) {
        if (tile.m > 0.0)
            out.begin_array().value(tile.m).value(tile.n).end_array();
    }
    out.end_array();
    if (!is_zero(fit.correction))
        write_correction(out, fit.correction);
    out.end_object();
}

void write_protocol(JsonWriter& out, std::string_view key, const ProtocolCurve& curve) {
    out.key(key)
        .begin_object()
        .member("base_us", microseconds(curve.base))
        .member("step_us", microseconds(curve.step))
        .member("ramp_us", microseconds(curve.ramp))
        .member("bandwidth_share", rounded(curve.share))
        .end_object();
}

void write_curve(JsonWriter& out, std::string_view key, const CollectiveCurve& curve) {
    out.key(key).begin_object();
    write_protocol(out, "low_latency", curve.low_latency);
    write_protocol(out, "bulk", curve.bulk);
    out.key("groups").begin_array();
    for (const GroupPoint& group : curve.groups) {
        out.begin_object()
            .member("ranks", group.ranks)
            .member("efficiency", rounded(group.efficiency))
            .member("low_latency_limit_bytes",
                    static_cast<std::int64_t>(std::llround(group.low_latency_limit.value())))
            .end_object();
    }
    out.end_array().end_object();
}

void write_curves(JsonWriter& out, const LinkCurves& curves) {
    out.key("curves").begin_object();
    write_curve(out, "all_reduce", curves.all_reduce);
    write_curve(out, "all_gather", curves.all_gather);
    write_curve(out, "reduce_scatter", curves.reduce_scatter);
    write_curve(out, "all_to_all", curves.all_to_all);
    write_curve(out, "broadcast", curves.broadcast);
    write_curve(out, "send_recv", curves.send_recv);
    if (curves.inner_step != 0.0)
        out.member("inner_step_ratio", curves.inner_step);
    if (curves.tree_all_reduce)
        write_curve(out, "tree_all_reduce", *curves.tree_all_reduce);
    if (curves.tree_over_two_domains)
        out.member("tree_over_two_domains", true);
    if (curves.in_network) {
        const InNetworkCurve& c = *curves.in_network;
        out.key("in_network")
            .begin_object()
            .member("base_us", microseconds(c.base))
            .member("ramp_us", microseconds(c.ramp))
            .member("efficiency", rounded(c.efficiency))
            .member("bus_bandwidth_limit", rounded(c.bus_bandwidth_limit))
            .member("least_ranks", c.least_ranks)
            .end_object();
    }
    out.end_object();
}

}  // namespace

std::string gemm_data_json(const GemmData& data) {
    const KernelOrigin& origin = data.origin;
    JsonWriter out(1);
    out.begin_object()
        .member("schema", "gemm/1")
        .member("id", origin.id)
        .member("name", origin.name)
        .member("measured", origin.measured)
        .member("date", origin.date)
        .member("hardware", origin.hardware)
        .member("software", origin.software)
        .member("sustained_factor", data.sustained_factor)
        .member("sustained_horizon_us", microseconds(data.sustained_horizon))
        .member("default_units", data.default_units)
        .member("default_l2_MiB", data.default_l2.value() / mebi);
    if (data.power_knee)
        out.member("power_knee", *data.power_knee);
    if (data.watts_per_tflops)
        out.member("power_limit_W_per_TFLOPs", *data.watts_per_tflops);
    if (data.flops_per_clock)
        out.member("unit_flops_per_clock", *data.flops_per_clock);
    if (data.mxfp8_as_fp8)
        out.member("mxfp8_as_fp8", true);
    out.key("formats").begin_array();
    for (const GemmRecord& record : data.formats)
        write_gemm_record(out, record);
    out.end_array();
    write_provenance(out, origin.provenance);
    return with_short_arrays(out.end_object().text());
}

std::string link_record_json(const LinkRecord& record) {
    JsonWriter out(4);
    out.begin_object()
        .member("schema", "network/1")
        .member("id", record.id)
        .member("name", record.name)
        .member("kind", kind_names[static_cast<std::size_t>(record.kind)])
        .array("serves", record.serves)
        .member("measured", record.measured)
        .member("date", record.date)
        .member("hardware", record.hardware)
        .member("software", record.software);
    if (record.error) {
        const LinkError& e = *record.error;
        out.key("error")
            .begin_object()
            .member("points", e.points)
            .member("fit_percent", rounded(e.fit_percent));
        if (e.cross_validated_percent)
            out.member("cross_validated_percent", rounded(*e.cross_validated_percent));
        if (e.left_out_system_percent)
            out.member("left_out_system_percent", rounded(*e.left_out_system_percent));
        out.member("below_1MiB_points", e.below_1MiB_points);
        if (e.below_1MiB_fit_percent)
            out.member("below_1MiB_fit_percent", rounded(*e.below_1MiB_fit_percent));
        out.end_object();
    }
    write_curves(out, record.curves);
    write_provenance(out, record.provenance);
    return out.end_object().text();
}

}  // namespace traincost
