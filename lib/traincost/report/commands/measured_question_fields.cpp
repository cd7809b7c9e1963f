#include "traincost/base/flag_values.hpp"
#include "traincost/report/commands/question_fields.hpp"

namespace traincost {

namespace {

std::int64_t record_count(const std::string& text) {
    return parse_count(text, Range::any);
}

Seconds positive_duration(const std::string& text) {
    return parse_duration(text, Range::positive);
}

}  // namespace

CommandFields fields_of(AchievedQuestion& question, std::vector<std::string>& logs) {
    CommandFields fields;
    fields.value("--step-time", question.step_time, "DURATION", positive_duration,
                 "Measured step time, as in 6.8s");
    fields.value("--tokens-per-s", question.tokens_per_s, "NUMBER", positive_number,
                 "Measured tokens per second, all accelerators together");
    fields.value("--tokens-per-s-per-gpu", question.tokens_per_s_per_gpu, "NUMBER", positive_number,
                 "Measured tokens per second per accelerator");
    fields.value("--samples-per-s", question.samples_per_s, "NUMBER", positive_number,
                 "Measured sequences per second");
    fields.texts("--log", logs, "FILE",
                 "Training log of the run, or its parts in order; gives step time or throughput");
    fields.value("--tokens-done", question.tokens_done, "COUNT", positive_parameters,
                 "Tokens trained so far");
    return fields;
}

CommandFields fields_of(ValidateQuestion& question, std::string& format, std::string& residuals_file) {
    ValidationView& view = question.view;
    CommandFields fields;
    fields.texts("FILE", question.files, "TEXT", "Run records, or measured matrix products and collectives")
        .required = true;
    fields.toggle("--json", view.json, "Print JSON: every row, and the summary");
    fields.text("--group", view.group, "KIND",
                "Grouping of the summary: table, source, stack or accelerator");
    fields.text("--metric", question.metric, "METRIC", "Metric to report; default: all");
    fields.texts("--filter", question.filters, "KEY=VALUE",
                 "Keep only records whose KEY is VALUE; repeatable");
    fields.toggle("--rows", view.rows, "Also list every record, with measured and predicted values");
    fields.value("--worst", view.worst, "N", record_count, "Also list the N records with the largest errors");
    fields.lists("--residuals", view.residuals, "KEY,KEY", "Mean signed log error grouped by these keys");
    fields.text("--accelerator", question.accelerator, "ID",
                "Accelerator whose kernels to use, or the one measured if the files name none");
    fields.text("--format", format, "FORMAT", "table, csv or markdown");
    fields.text("--report", view.report, "KIND",
                "Accuracy report: markdown (a page by source) or csv (every group and measure)");
    fields.text("--write-residuals", residuals_file, "FILE",
                "File for the residual quantiles from which intervals are made");
    fields.lists(
        "--leave", question.leave, "source,stack,accelerator,settings",
        "Coverage of intervals without the run's source, and its stack or accelerator class, or without "
        "its settings; with source alone also its error without it in any fit");
    return fields;
}

CommandFields fields_of(CalibrateQuestion& question, std::string& folder) {
    CommandFields fields;
    fields.texts("FILE", question.files, "TEXT", "Run records, or measured matrix products and collectives")
        .required = true;
    fields.texts("--stack", question.stacks, "STACK", "Keep only this stack; repeatable");
    fields.lists("--constants", question.fit.constants, "NAME,NAME", "Constants to fit; default: all");
    fields.value("--least", question.fit.least_records, "N", record_count,
                 "Smallest number of records per stack; default: 1, 12 with --cross-validate");
    fields.value("--most", question.fit.most_records, "N", record_count,
                 "Largest number of records used per stack");
    fields.text("--accelerator", question.accelerator, "ID",
                "Accelerator the measurements are from, if the files name none or several");
    fields.text("--date", question.date, "DATE", "Date recorded beside fitted kernels");
    fields.text("--cross-validate", question.cross_validate, "BY",
                "Held-out error by source, accelerator, stack, model, size or class (kernels: "
                "accelerator); fits nothing");
    fields.text("--out", folder, "FOLDER",
                "Folder for the fitted stacks/ and bench/ records, for use with --data");
    return fields;
}

CommandFields fields_of(BenchView& view) {
    BenchOptions& bench = view.options;
    CommandFields fields;
    fields.value(
        "--warmup", bench.warmup, "STEPS", [](const std::string& text) { return parse_count(text); },
        "Steps before the measured ones; default: 5");
    fields.value("--steps", bench.steps, "STEPS", positive_count, "Measured steps; default: 10");
    fields.value("--clip", bench.gradient_clip, "NORM", positive_number,
                 "Maximum gradient norm; default: no clipping");
    fields.value("--vocab-multiple", bench.vocab_multiple, "N", positive_count,
                 "Multiple that the vocabulary is padded to (1: no padding); default: the stack's");
    fields.value("--compile-mode", bench.compile_mode, "MODE", compile_mode_from,
                 "torch.compile mode: default, reduce-overhead, max-autotune or max-autotune-no-cudagraphs");
    CommandFields output;
    output.text("-o,--out", view.file, "FILE", "File for the script; default: standard output");
    return CommandFields().add(fields, "Measurement").add(output, "Output");
}

CommandFields loop_fields(BenchView& view) {
    CommandFields fields;
    fields.toggle("--loop", view.loop,
                  "Print the commands that predict, measure, compare and calibrate instead");
    return CommandFields().add(fields, "Output");
}

CommandFields fields_of(RecordingQuestion& question) {
    CommandFields fields;
    fields.text("--from", question.file, "FILE",
                "Recorded step instead of a job: benchmark.csv, rows of a timeline (.csv), a sheet "
                "(.xlsx) or a Chrome trace (.json)");
    fields.text("--iteration", question.iteration, "N|median|slowest",
                "Iteration of --from: its number, median or slowest; default: median");
    return fields;
}

CommandFields fields_of(TimelineView& view, std::string& chrome) {
    CommandFields fields;
    fields.text("--chrome", chrome, "FILE",
                "File for a Chrome trace, for Perfetto or chrome://tracing; - is standard output");
    fields.value("--width", view.width, "COLUMNS", drawing_width_from,
                 "Width of the drawing in characters, 10 to 1000; default: to fit the terminal");
    return fields_of(view.output, Charts::yes).add(fields, "Output");
}

}  // namespace traincost
