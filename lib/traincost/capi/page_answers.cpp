#include "traincost/capi/page_answers.hpp"
#include "traincost/io/json_writer.hpp"

#include <array>
#include <cmath>
#include <sstream>

#include "traincost/base/scale.hpp"
#include "traincost/export/exporters.hpp"
#include "traincost/fit/achieved.hpp"
#include "traincost/import/hf/hf_config.hpp"
#include "traincost/import/logs/log_reader.hpp"
#include "traincost/import/logs/recordings/recording_files.hpp"
#include "traincost/import/logs/training_log_json.hpp"
#include "traincost/import/reading_json.hpp"
#include "traincost/import/recognise.hpp"
#include "traincost/io/specs/accelerator_json.hpp"
#include "traincost/io/specs/cluster_json.hpp"
#include "traincost/io/specs/model_json.hpp"
#include "traincost/methods/chinchilla.hpp"
#include "traincost/methods/lightning.hpp"
#include "traincost/methods/six_nd.hpp"
#include "traincost/plan/scaling_laws.hpp"
#include "traincost/report/answers/answer_pages.hpp"
#include "traincost/report/method_layouts.hpp"
#include "traincost/spec/draft/job_fields.hpp"

namespace traincost {

namespace {

constexpr double seconds_of_a_day = 86400.0;

void write_optimum(JsonWriter& out, std::string_view name, double parameters, double tokens, double loss) {
    out.begin_object().member("name", name).member("parameters", parameters).member("tokens", tokens);
    out.member("tokens_per_parameter", tokens / parameters).member("loss", loss).end_object();
}

void write_convention(JsonWriter& out, std::string_view name, const AchievedRate& rate) {
    out.begin_object().member("name", name).member("tflops_per_gpu", rate.rate.value() / tera);
    out.member("utilization", rate.utilization).end_object();
}

std::string_view group_word(FieldGroup group) {
    static constexpr std::array<std::string_view, 5> names = {"job", "numerics", "parallelism", "operation",
                                                              "operation"};
    return names[static_cast<std::size_t>(group)];
}

std::string_view kind_word(FieldKind kind) {
    static constexpr std::array<std::string_view, 6> names = {"text",   "choice", "count",
                                                              "number", "toggle", "composite"};
    return names[static_cast<std::size_t>(kind)];
}

std::optional<TrainingLog> log_in(const std::string& text) {
    std::istringstream in(text);
    return read_training_log(in);
}

/// "job", "model", "accelerator", "cluster", "prices", or nothing.
std::string_view own_kind(const JsonDocument& document) {
    const JsonValue* schema = document.root.find("schema");
    const auto* name = schema != nullptr ? std::get_if<std::string>(&schema->data) : nullptr;
    for (const std::string_view kind : {"accelerator", "cluster", "prices"})
        if (name != nullptr && *name == std::string(kind) + "/1")
            return kind;
    if ((name != nullptr && *name == "model/1") || is_hf_config(document))
        return "model";
    const bool answer =
        document.root.find("input") != nullptr && document.root.find("schema_version") != nullptr;
    return (name != nullptr && *name == "job/1") || answer ? "job" : "";
}

/// `Error` where a record says something that cannot be used, or names an accelerator that is none.
void require_record(const JsonNode& node, std::string_view kind, const Sources& sources) {
    if (kind == "accelerator") {
        accelerator_from_json(node);
    } else if (kind == "prices") {
        prices_from_json(node);
    } else if (const ClusterRecord record = cluster_record_from_json(node); record.accelerator) {
        try {
            sources.catalogue().id(Room::accelerators, *record.accelerator);
        } catch (const Error& error) {
            JsonObject(node).at("accelerator").fail(error.what());
        }
    }
}

/// What one of our own files is; of a record, the record. `Error` where it says nothing that can be used.
std::string own_answer(const LaunchFile& file, const JsonDocument& document, std::string_view kind,
                       const Sources& sources) {
    JsonWriter out;
    out.begin_object().member("kind", kind).member("name", file.name);
    if (kind == "job" || kind == "model") {
        JobInput input{};
        input.inlined = {file};
        const ReadDraft read = read_draft(input, sources);
        if (kind == "model") {
            out.key("record");
            write_json(out, *read.draft.model_spec);
        }
    } else {
        require_record(JsonNode(document), kind, sources);
        out.key("record").value(document.root);
    }
    out.end_object();
    return out.text();
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
    out.end_array().key("formats").begin_array();
    for (const ExportFormat& format : export_formats())
        out.begin_object().member("name", format.name).member("what", format.what).end_object();
    out.end_array().end_object();
    return out.text();
}

std::string read_answer(std::span<const LaunchFile> files, const std::string& select,
                        const Sources& sources) {
    JsonWriter out;
    const LaunchFile& first = files.front();
    if (is_recorded_text(first.text)) {
        const std::size_t iterations = read_recorded_text(first.text, first.name).size();
        out.begin_object().member("kind", "recording").member("name", first.name);
        out.member("iterations", iterations).end_object();
        return out.text();
    }
    const Content content = recognise(first.text);
    if (content == Content::json) {
        const JsonDocument document = parse_json(first.text, first.name);
        if (const std::string_view kind = own_kind(document); !kind.empty())
            return own_answer(first, document, kind, sources);
    }
    if (content == Content::log || looks_like_training_log(first.text)) {
        if (const std::optional<TrainingLog> log = log_in(first.text)) {
            write_json(out, *log);
            return out.text();
        }
    }
    write_json(out, read_launch_files(files, select));
    return out.text();
}

TrainingLog log_of(const LaunchFile& file) {
    std::optional<TrainingLog> log = log_in(file.text);
    if (!log)
        throw Error(ErrorKind::input, file.name + ": not a log of a known framework");
    return *std::move(log);
}

std::string report_answer(const EstimateAnswer& of) {
    const std::optional<TimelineAnswer> timeline = timeline_of(of);
    JsonWriter out;
    out.begin_object().member("schema_version", 1);
    out.member("html", to_html(page_of(of, timeline ? &*timeline : nullptr))).end_object();
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
        row("lightning", lightning_days(N, totals->tokens, together.value() / tera));
    }
    out.end_array().key("originals");
    write_json(out, method_layouts(of));
    out.end_object();
    return out.text();
}

}  // namespace traincost
