// `traincost achieved`: how good a run was, from its step time or throughput.

#include <cli/commands/commands.hpp>
#include <cli/job_flags.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <cli/page_output.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/report/achieved_answer.hpp>
#include <traincost/report/answer_pages.hpp>
#include <traincost/report/tables/estimate_tables.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct AchievedFlags {
    JobFlags job;
    OutputFlags output;
    AchievedQuestion question;
    std::vector<std::string> logs;
};

void run_achieved(const AchievedFlags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    AchievedQuestion question = flags.question;
    if (!flags.logs.empty()) {
        question.log = read_training_logs(flags.logs);
        question.log_name = flags.logs.front();
    }
    question.job = draft_of(flags.job, sources);
    const AchievedAnswer answer = ask(question, sources);
    if (flags.output.json) {
        JsonWriter out;
        write_json(out, answer);
        context.out << out.text();
    } else {
        const std::vector<Table> tables = achieved_tables(answer);
        if (page_wanted(flags.output)) {
            write_page(page_of(job_title(answer.resolved.job),
                               "Measured " + to_text(answer.step.step) + " a step, predicted " +
                                   to_text(answer.achieved.predicted.step.total),
                               Tone::plain, tables),
                       flags.output, context);
        } else {
            context.out << render(tables, flags.output.format, context.style);
        }
    }
}

}  // namespace

void add_achieved(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("achieved", "Efficiency of a finished run, from its step time, throughput or log");
    const auto flags = std::make_shared<AchievedFlags>();
    const auto positive = [](const std::string& text) {
        return static_cast<double>(parse_count(text, Range::positive));
    };
    add_parsed(
        *command, "--step-time", flags->question.step_time, "DURATION",
        [](auto& t) { return parse_duration(t, Range::positive); }, "Measured step time, as in 6.8s");
    add_parsed(
        *command, "--tokens-per-s", flags->question.tokens_per_s, "NUMBER",
        [](auto& t) { return parse_number(t, Range::positive); },
        "Measured tokens per second, all accelerators together");
    add_parsed(
        *command, "--tokens-per-s-per-gpu", flags->question.tokens_per_s_per_gpu, "NUMBER",
        [](auto& t) { return parse_number(t, Range::positive); },
        "Measured tokens per second per accelerator");
    add_parsed(
        *command, "--samples-per-s", flags->question.samples_per_s, "NUMBER",
        [](auto& t) { return parse_number(t, Range::positive); }, "Measured sequences per second");
    command
        ->add_option(
            "--log", flags->logs,
            "Training log of the run, in parts in their order: step time or throughput are read from it")
        ->type_name("FILE");
    add_parsed(*command, "--tokens-done", flags->question.tokens_done, "COUNT", positive,
               "Tokens trained so far");
    add_job_options(*command, flags->job);
    add_output_options(*command, flags->output, Charts::no, Pages::yes);
    command->callback([flags, &context] { run_achieved(*flags, context); });
}

}  // namespace traincost::cli
