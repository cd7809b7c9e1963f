#include "traincost/capi/page_answers.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "traincost/fit/achieved.hpp"
#include "traincost/import/log_reader.hpp"
#include "traincost/import/log_verdict.hpp"
#include "traincost/import/reading_json.hpp"
#include "traincost/import/recognise.hpp"
#include "traincost/import/training_log_json.hpp"
#include "traincost/io/hf_config.hpp"
#include "traincost/methods/chinchilla.hpp"
#include "traincost/methods/lightning.hpp"
#include "traincost/methods/six_nd.hpp"
#include "traincost/plan/scaling_laws.hpp"
#include "traincost/report/explanation.hpp"
#include "traincost/spec/job_fields.hpp"

namespace traincost {

namespace {

constexpr double a_tera = 1e12;
constexpr double seconds_of_a_day = 86400.0;

void write_optimum(JsonWriter& out, std::string_view name, double parameters, double tokens, double loss) {
    out.begin_object().member("name", name).member("parameters", parameters).member("tokens", tokens);
    out.member("tokens_per_parameter", tokens / parameters).member("loss", loss).end_object();
}

void write_convention(JsonWriter& out, std::string_view name, const AchievedRate& rate) {
    out.begin_object().member("name", name).member("tflops_per_gpu", rate.rate.value() / a_tera);
    out.member("utilization", rate.utilization).end_object();
}

std::string_view group_word(FieldGroup group) {
    static constexpr std::array<std::string_view, 4> names = {"job", "numerics", "parallelism", "operation"};
    return names[static_cast<std::size_t>(group)];
}

std::string_view kind_word(FieldKind kind) {
    static constexpr std::array<std::string_view, 6> names = {"text",   "choice", "count",
                                                              "number", "toggle", "composite"};
    return names[static_cast<std::size_t>(kind)];
}

void write_explained(JsonWriter& out, const Explanation& e, const EstimateAnswer& of) {
    const WorkedExplanation work = worked(e, of.job, of.estimate);
    out.member("item", e.item).member("what", e.what).member("equation", e.equation);
    out.member("numbers", work.numbers);
    out.key("result").begin_object();
    out.member("text", work.result.text);
    out.member("value", std::strtod(work.result.exact.c_str(), nullptr)).member("unit", work.result.unit);
    out.end_object();
    out.key("symbols").begin_array();
    for (std::size_t i = 0; i < e.symbols.size(); ++i) {
        out.begin_object();
        out.member("symbol", e.symbols[i].symbol).member("unit", e.symbols[i].unit);
        out.member("meaning", e.symbols[i].meaning).member("value", work.values[i].value);
        out.end_object();
    }
    out.end_array();
    out.key("sources").begin_array();
    for (const std::string_view source : e.sources)
        out.value(source);
    out.end_array();
}

std::optional<TrainingLog> log_of(const std::string& text) {
    std::istringstream in(text);
    return read_training_log(in);
}

/// "job", "model", or nothing.
std::string_view own_kind(const JsonDocument& document) {
    const JsonValue* schema = document.root.find("schema");
    const auto* name = schema != nullptr ? std::get_if<std::string>(&schema->data) : nullptr;
    if ((name != nullptr && *name == "model/1") || is_hf_config(document))
        return "model";
    const bool answer =
        document.root.find("input") != nullptr && document.root.find("schema_version") != nullptr;
    return (name != nullptr && *name == "job/1") || answer ? "job" : "";
}

}  // namespace

std::string fields_answer() {
    JsonWriter out;
    out.begin_object().member("schema_version", 1);
    out.key("fields").begin_array();
    for (const JobField& field : job_fields()) {
        out.begin_object();
        out.member("key", field.key).member("flag", field.flag).member("type", field.type);
        out.member("unit", field.unit).member("help", field.help);
        out.member("group", group_word(field.group)).member("kind", kind_word(field.kind));
        out.member("sweepable", field.sweepable).member("searchable", field.searchable);
        out.key("choices").begin_array();
        if (field.choices != nullptr)
            for (const std::string_view choice : field.choices())
                out.value(choice);
        out.end_array().end_object();
    }
    out.end_array().end_object();
    return out.text();
}

std::string read_answer(std::span<const LaunchFile> files, const std::string& select,
                        const Sources& sources) {
    JsonWriter out;
    const LaunchFile& first = files.front();
    const Content content = recognise(first.text);
    if (content == Content::json) {
        const JsonDocument document = parse_json(first.text, first.name);
        if (const std::string_view kind = own_kind(document); !kind.empty()) {
            JobInput input{};
            input.inlined = {first};
            read_draft(input, sources);  // an Error where it says nothing that can be used
            out.begin_object().member("kind", kind).member("name", first.name).end_object();
            return out.text();
        }
    }
    if (content == Content::log || looks_like_training_log(first.text)) {
        if (const std::optional<TrainingLog> log = log_of(first.text)) {
            write_json(out, *log);
            return out.text();
        }
    }
    write_json(out, read_launch_files(files, select));
    return out.text();
}

std::string explain_answer(const std::optional<std::string>& item, const EstimateAnswer& of) {
    JsonWriter out;
    out.begin_object().member("schema_version", 1);
    if (item) {
        write_explained(out, explanation_of(*item), of);
    } else {
        out.key("items").begin_array();
        for (const Explanation& e : explanations()) {
            out.begin_object();
            write_explained(out, e, of);
            out.end_object();
        }
        out.end_array();
    }
    out.end_object();
    return out.text();
}

std::string achieved_answer(const LaunchFile& file, const EstimateAnswer& of) {
    const std::optional<TrainingLog> log = log_of(file.text);
    if (!log)
        throw Error(ErrorKind::input, file.name + ": is no log of a known framework");
    const std::optional<LoggedStep> step = logged_step(*log, of.job);
    if (!step)
        throw Error(ErrorKind::input, file.name + ": prints no step time and no throughput in " +
                                          std::to_string(log->lines) + " lines");
    const Achieved a = achieved(of.job, step->step);
    JsonWriter out;
    out.begin_object().member("schema_version", 1);
    out.key("measured").begin_object();
    out.member("step_time_s", a.step).member("from", step->from);
    out.member("tokens_per_s", a.tokens_per_s).member("tokens_per_s_per_gpu", a.tokens_per_s_per_gpu);
    out.member("mfu", a.model.utilization).member("hfu", a.hardware.utilization);
    out.end_object();
    out.key("predicted").begin_object();
    out.member("step_time_s", a.predicted.step.total);
    out.member("tokens_per_s", a.predicted.throughput.tokens_per_s);
    out.member("tokens_per_s_per_gpu", a.predicted.throughput.tokens_per_s_per_gpu);
    out.member("mfu", a.predicted.throughput.mfu).member("hfu", a.predicted.throughput.hfu);
    out.member("measured_over_predicted", a.ratio);
    out.end_object();
    out.array("verdict", log_verdict(*log, of.job, a));
    out.end_object();
    return out.text();
}

std::string scale_answer(Flops compute) {
    JsonWriter out;
    out.begin_object().member("schema_version", 1).member("flops", compute);
    out.key("laws").begin_array();
    for (std::size_t i = 0; i < scaling_law_names().size(); ++i) {
        const Allocation a = optimal_allocation(static_cast<ScalingLaw>(i), compute);
        write_optimum(out, scaling_law_names()[i], a.parameters, a.tokens, a.loss);
    }
    const ChinchillaOptimum grid = chinchilla_grid(compute);
    write_optimum(out, "chinchilla-grid", grid.parameters, grid.tokens, grid.loss);
    out.end_array();
    out.key("curve").begin_array();
    const double middle = optimal_allocation(ScalingLaw::besiroglu, compute).parameters;
    constexpr int half = 24;  // two decades on either side, a twelfth apart
    for (int i = -half; i <= half; ++i) {
        const double N = middle * std::pow(10.0, i / 12.0);
        const Allocation a = fixed_size(besiroglu_loss, compute, N);
        out.begin_object().member("parameters", N).member("tokens", a.tokens);
        out.member("besiroglu", a.loss);
        out.member("chinchilla_3", fixed_size(chinchilla_loss, compute, N).loss).end_object();
    }
    out.end_array().end_object();
    return out.text();
}

std::string methods_answer(const EstimateAnswer& of) {
    const Seconds step = of.estimate.step.total;
    const Achieved a = achieved(of.job, step);
    JsonWriter out;
    out.begin_object().member("schema_version", 1).member("step_time_s", step);
    out.key("conventions").begin_array();
    for (int i = 0; i < flop_convention_count; ++i)
        write_convention(out, to_string(static_cast<FlopConvention>(i)),
                         a.by_convention[static_cast<std::size_t>(i)]);
    write_convention(out, "hardware", a.hardware);
    write_convention(out, "8ND", a.eight_nd);
    out.end_array();
    out.key("days").begin_array();
    if (const auto& totals = of.bill.totals) {
        const auto gpus = static_cast<double>(of.job.cluster.accelerators);
        const auto N = static_cast<double>(of.estimate.parameters.total);
        const FlopRate together = a.model.rate * gpus;
        const auto row = [&](std::string_view name, double days) {
            out.begin_object().member("name", name).member("days", days).end_object();
        };
        row("traincost", totals->time.value() / seconds_of_a_day);
        row("six-nd", six_nd_time(N, totals->tokens, together).value() / seconds_of_a_day);
        row("lightning", lightning_days(N, totals->tokens, together.value() / a_tera));
    }
    out.end_array().end_object();
    return out.text();
}

}  // namespace traincost
