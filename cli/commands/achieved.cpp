// `traincost achieved`: how good a run was, from its step time or throughput.

#include <cli/commands/commands.hpp>
#include <cli/job_options.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <cli/page_output.hpp>
#include <cli/training_log_tables.hpp>
#include <traincost/base/text.hpp>
#include <traincost/fit/achieved.hpp>
#include <traincost/import/log_reader.hpp>
#include <traincost/import/log_verdict.hpp>
#include <traincost/import/training_log_json.hpp>
#include <traincost/io/job_json.hpp>
#include <traincost/io/residuals_json.hpp>
#include <traincost/report/answer_pages.hpp>
#include <traincost/report/estimate_tables.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    JobFlags job;
    OutputFlags output;
    std::optional<Seconds> step_time;
    std::optional<double> tokens_per_s;
    std::optional<double> tokens_per_s_per_gpu;
    std::optional<double> samples_per_s;
    std::optional<double> tokens_done;
    std::vector<std::string> logs;
};

/// The measured step, and where it is from.
LoggedStep measured_step(const Flags& f, const Job& job, const std::optional<TrainingLog>& log) {
    const int given = f.step_time.has_value() + f.tokens_per_s.has_value() +
                      f.tokens_per_s_per_gpu.has_value() + f.samples_per_s.has_value() + log.has_value();
    if (given != 1) {
        throw Error(
            ErrorKind::usage,
            std::string("--step-time: ") + (given == 0 ? "is missing" : "is one of several measurements") +
                "; give one of --step-time, --tokens-per-s, --tokens-per-s-per-gpu, --samples-per-s, --log");
    }
    if (log) {
        std::optional<LoggedStep> step = logged_step(*log, job);
        if (!step) {
            throw Error(ErrorKind::input, "--log " + f.logs.front() +
                                              ": prints no step time and no throughput in " +
                                              std::to_string(log->lines) + " lines; give --step-time");
        }
        return *std::move(step);
    }
    const double sequences = static_cast<double>(job.run.global_batch);
    const double tokens = sequences * static_cast<double>(job.run.sequence);
    if (f.step_time) {
        return {*f.step_time, "measured"};
    }
    if (f.samples_per_s) {
        return {Seconds{sequences / *f.samples_per_s}, "measured"};
    }
    const double rate = f.tokens_per_s
                            ? *f.tokens_per_s
                            : *f.tokens_per_s_per_gpu * static_cast<double>(job.cluster.accelerators);
    return {Seconds{tokens / rate}, "measured"};
}

// ---- Tables ----

Table summary_table(const Job& job, const Achieved& a, const std::string& from) {
    Table table{.title = job_title(job), .columns = {}, .rows = {}, .remarks = {layout_text(job)}};
    const auto row = [&](std::string_view name, Cell value, const std::string& remark) {
        table.rows.push_back({text_cell(name), std::move(value), text_cell(remark)});
    };
    row("step", cell(a.step), from);
    row("tokens/s", short_count_cell(a.tokens_per_s), count_text(a.tokens_per_s_per_gpu) + " per GPU");
    row("MFU", percent_cell(a.model.utilization),
        to_text(a.model.rate) +
            " per GPU: matrix FLOPs of forward and backward, attention over visible keys only" +
            peak_words(job));
    row("HFU", percent_cell(a.hardware.utilization),
        to_text(a.hardware.rate) + " per GPU: the same plus recomputation");
    return table;
}

struct ConventionRow {
    std::string name;
    AchievedRate rate;
    std::string_view what;
};

std::vector<ConventionRow> convention_rows(const Achieved& a) {
    constexpr std::array<std::string_view, flop_convention_count> words = {
        "operator by operator, attention over visible keys", "the same, attention over all keys",
        "(6N + 12LHQT) a token, N without the input embedding", "72BsLh^2(1 + s/6h + V/12hL)",
        "6 N D, N all parameters, a mixture's active ones"};
    std::vector<ConventionRow> rows;
    for (int i = 0; i < flop_convention_count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        rows.push_back(
            {std::string(to_string(static_cast<FlopConvention>(i))), a.by_convention[at], words[at]});
    }
    rows.push_back({"hardware", a.hardware, "exact, and what is recomputed"});
    rows.push_back({"8ND", a.eight_nd, "as Fast_LLM counts: recomputation always, N all parameters"});
    return rows;
}

Table convention_table(const Achieved& a) {
    Table table{.title = "FLOP conventions",
                .columns = {"convention", "rate per GPU", "utilization", "counts"},
                .rows = {},
                .remarks = {}};
    for (const ConventionRow& row : convention_rows(a)) {
        table.rows.push_back({text_cell(row.name), cell(row.rate.rate), percent_cell(row.rate.utilization),
                              text_cell(row.what)});
    }
    return table;
}

Table prediction_table(const Achieved& a, const Uncertainty& sure) {
    const Throughput& t = a.predicted.throughput;
    Table table{.title = "Beside the prediction",
                .columns = {"", "measured", "predicted", "measured/predicted"},
                .rows = {},
                .remarks = {}};
    table.rows.push_back(
        {text_cell("step"), cell(a.step), cell(a.predicted.step.total), number_cell(a.ratio)});
    table.rows.push_back({text_cell("tokens/s"), short_count_cell(a.tokens_per_s),
                          short_count_cell(t.tokens_per_s), number_cell(1.0 / a.ratio)});
    table.rows.push_back({text_cell("MFU"), percent_cell(a.model.utilization), percent_cell(t.mfu),
                          number_cell(a.model.utilization / t.mfu)});
    table.remarks.push_back("The predicted step is mostly " + bound_by(a.predicted.step) + ".");
    if (sure.step_time_s) {
        table.remarks.push_back(
            "80% interval of the predicted step: " + to_text(Seconds{sure.step_time_s->low}) + " to " +
            to_text(Seconds{sure.step_time_s->high}) + " (" + sure.step_comparable + ").");
    }
    if (!a.predicted.fits) {
        table.remarks.push_back(misfit_text(a.predicted));
    }
    return table;
}

Table remaining_table(const Remaining& left) {
    Table table{.title = "Left to do", .columns = {}, .rows = {}, .remarks = {}};
    table.rows.push_back({text_cell("tokens"), short_count_cell(left.tokens)});
    table.rows.push_back({text_cell("time"), cell(left.time)});
    table.rows.push_back({text_cell("GPU-hours"), short_count_cell(left.gpu_hours)});
    table.rows.push_back({text_cell("cost"), left.cost ? cell(*left.cost) : empty_cell()});
    return table;
}

// ---- JSON ----

void write_rate(JsonWriter& out, const AchievedRate& rate) {
    constexpr double tera = 1e12;
    out.member("tflops_per_gpu", rate.rate.value() / tera);
    out.member("utilization", rate.utilization);
}

void print_json(Context& context, const ResolvedJob& resolved, const Achieved& a, const Uncertainty& sure,
                const std::optional<TrainingLog>& log) {
    constexpr double tera = 1e12;
    constexpr double seconds_a_day = 86400.0;
    JsonWriter out;
    out.begin_object();
    out.member("schema_version", 1);
    out.key("input");
    write_json(out, resolved.job, resolved.operation);
    out.key("measured").begin_object();
    out.member("step_time_s", a.step);
    out.member("tokens_per_s", a.tokens_per_s);
    out.member("tokens_per_s_per_gpu", a.tokens_per_s_per_gpu);
    out.member("model_tflops_per_gpu", a.model.rate.value() / tera);
    out.member("hardware_tflops_per_gpu", a.hardware.rate.value() / tera);
    out.member("mfu", a.model.utilization);
    out.member("hfu", a.hardware.utilization);
    out.end_object();
    out.key("conventions").begin_array();
    for (const ConventionRow& row : convention_rows(a)) {
        out.begin_object();
        out.member("name", row.name);
        write_rate(out, row.rate);
        out.end_object();
    }
    out.end_array();
    out.key("predicted").begin_object();
    out.member("step_time_s", a.predicted.step.total);
    out.key("interval_80");
    if (sure.step_time_s) {
        out.begin_array().value(sure.step_time_s->low).value(sure.step_time_s->high).end_array();
    } else {
        out.null();
    }
    out.member("mfu", a.predicted.throughput.mfu);
    out.member("fits", a.predicted.fits);
    out.member("measured_over_predicted", a.ratio);
    out.end_object();
    out.key("remaining");
    if (a.remaining) {
        out.begin_object();
        out.member("tokens", a.remaining->tokens);
        out.member("seconds", a.remaining->time);
        out.member("days", a.remaining->time.value() / seconds_a_day);
        out.member("gpu_hours", a.remaining->gpu_hours);
        out.member("usd", a.remaining->cost);
        out.member("kwh", a.remaining->energy_kwh);
        out.end_object();
    } else {
        out.null();
    }
    if (log) {
        out.key("log");
        write_json(out, *log);
        out.array("verdict", log_verdict(*log, resolved.job, a));
    }
    out.array("assumptions", resolved.assumptions);
    out.end_object();
    context.out << out.text();
}

/// What is left takes the wall time of its operation.
void count_failures(const ResolvedJob& resolved, std::optional<Remaining>& left) {
    const double goodput = goodput_of(resolved.job, resolved.operation);
    if (!left || goodput == 1.0) {
        return;
    }
    left->time /= goodput;
    left->gpu_hours /= goodput;
    if (left->cost) {
        *left->cost /= goodput;
    }
    if (left->energy_kwh) {
        *left->energy_kwh /= goodput;
    }
}

/// Tokens behind the run: as given, else as far as the log goes.
double tokens_done(const Flags& flags, const std::optional<TrainingLog>& log, ResolvedJob& resolved) {
    if (flags.tokens_done || !resolved.job.run.tokens) {
        return flags.tokens_done.value_or(0.0);
    }
    if (const std::optional<double> logged = log ? logged_tokens(*log, resolved.job) : std::nullopt) {
        const double done = std::min(*logged, *resolved.job.run.tokens);
        resolved.assumptions.push_back("tokens done: " + count_text(done) + ", by iteration " +
                                       std::to_string(*log->last_iteration) + " of the log (--tokens-done)");
        return done;
    }
    resolved.assumptions.emplace_back("tokens done: 0 (--tokens-done)");
    return 0.0;
}

Table verdict_table(const TrainingLog& log, const Job& job, const Achieved& a) {
    constexpr std::size_t width = 80;
    std::vector<std::string> sentences = log_verdict(log, job, a);
    for (std::string& sentence : sentences) {
        sentence = wrapped(sentence, width);
    }
    return remarks_table("Verdict", sentences);
}

void run_achieved(const Flags& flags, Context& context) {
    const Catalogue catalogue(context.data_folder);
    std::optional<TrainingLog> log;
    if (!flags.logs.empty()) {
        log = read_training_logs(flags.logs);
    }
    ResolvedJob resolved = resolve_job(flags.job, catalogue, context, {.micro_batch = false, .batch = true});
    const LoggedStep step = measured_step(flags, resolved.job, log);
    if (flags.tokens_done && !resolved.job.run.tokens) {
        throw Error(ErrorKind::usage, "--tokens: is missing: --tokens-done needs the number to train on");
    }
    if (flags.tokens_done && *flags.tokens_done > *resolved.job.run.tokens) {
        throw Error(ErrorKind::usage, "--tokens-done: is more than --tokens");
    }
    Achieved a = achieved(resolved.job, step.step, tokens_done(flags, log, resolved));
    count_failures(resolved, a.remaining);
    const Uncertainty sure = uncertainty(read_residuals(context.data_folder), resolved.job, a.predicted);
    if (flags.output.json) {
        print_json(context, resolved, a, sure, log);
        return;
    }
    std::vector<Table> tables = {summary_table(resolved.job, a, step.from), convention_table(a),
                                 prediction_table(a, sure)};
    if (log) {
        std::vector<Table> logged = tables_of(*log, flags.logs.front());
        tables.push_back(verdict_table(*log, resolved.job, a));
        tables.insert(tables.end(), std::make_move_iterator(logged.begin()),
                      std::make_move_iterator(logged.end()));
    }
    if (a.remaining) {
        tables.push_back(remaining_table(*a.remaining));
    }
    if (!resolved.assumptions.empty()) {
        tables.push_back(remarks_table("Assumed", resolved.assumptions));
    }
    if (page_wanted(flags.output)) {
        write_page(page_of(job_title(resolved.job),
                           "Measured " + to_text(step.step) + " a step, predicted " +
                               to_text(a.predicted.step.total),
                           Tone::plain, tables),
                   flags.output, context);
        return;
    }
    context.out << render(tables, flags.output.format, context.style);
}

}  // namespace

void add_achieved(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("achieved", "Efficiency of a finished run, from its step time, throughput or log");
    const auto flags = std::make_shared<Flags>();
    const auto positive = [](const std::string& text) {
        return static_cast<double>(parse_count(text, Range::positive));
    };
    add_parsed(
        *command, "--step-time", flags->step_time, "DURATION",
        [](auto& t) { return parse_duration(t, Range::positive); }, "Measured step time, as in 6.8s");
    add_parsed(
        *command, "--tokens-per-s", flags->tokens_per_s, "NUMBER",
        [](auto& t) { return parse_number(t, Range::positive); },
        "Measured tokens per second, all accelerators together");
    add_parsed(
        *command, "--tokens-per-s-per-gpu", flags->tokens_per_s_per_gpu, "NUMBER",
        [](auto& t) { return parse_number(t, Range::positive); },
        "Measured tokens per second per accelerator");
    add_parsed(
        *command, "--samples-per-s", flags->samples_per_s, "NUMBER",
        [](auto& t) { return parse_number(t, Range::positive); }, "Measured sequences per second");
    command
        ->add_option(
            "--log", flags->logs,
            "Training log of the run, in parts in their order: step time or throughput are read from it")
        ->type_name("FILE");
    add_parsed(*command, "--tokens-done", flags->tokens_done, "COUNT", positive, "Tokens trained so far");
    add_job_options(*command, flags->job);
    add_output_options(*command, flags->output, Charts::no, Pages::yes);
    command->callback([flags, &context] { run_achieved(*flags, context); });
}

}  // namespace traincost::cli
