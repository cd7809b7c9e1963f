// `traincost plan`: the pre-train sheet.

#include <cli/commands/commands.hpp>
#include <cli/job_flags.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <cli/page_output.hpp>
#include <traincost/ask/plan_question.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/report/answer_pages.hpp>
#include <traincost/report/tables/plan_tables.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    JobFlags job;
    OutputFlags output;
    std::int64_t top = 5;
    bool allow_risky = false;
};

void run_plan(const Flags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    const PlanAnswer answer = ask(PlanQuestion{.job = draft_of(flags.job, sources),
                                               .pins = flags.job.said,
                                               .top = flags.top,
                                               .allow_risky = flags.allow_risky},
                                  sources);
    say_never_ends(answer.never_ends, context);
    context.exit_code = answer.yes() ? exit_yes : exit_no;
    if (flags.output.json) {
        JsonWriter out;
        write_json(out, answer, sources.residuals());
        context.out << out.text();
        return;
    }
    if (page_wanted(flags.output)) {
        write_page(page_of(title_of(answer), answer.yes() ? "A strategy fits" : "No strategy fits",
                           answer.yes() ? Tone::good : Tone::bad, tables_of(answer, sources.residuals())),
                   flags.output, context);
        return;
    }
    if (flags.output.format == Format::table) {
        context.out << title_of(answer) << "\n\n";
    }
    context.out << render(tables_of(answer, sources.residuals()), flags.output.format, context.style);
}

}  // namespace

void add_plan(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand(
        "plan", "Pre-training sheet: model size, memory by module and ZeRO stage, best strategies");
    const auto flags = std::make_shared<Flags>();
    add_parsed(
        *command, "--top", flags->top, "COUNT", [](auto& t) { return parse_count(t, Range::positive); },
        "Number of strategies to print; default 5");
    command->add_flag("--allow-risky", flags->allow_risky,
                      "Rank plans that fit with a probability below 80% among the others. Default: left out");
    add_job_options(*command, flags->job);
    add_output_options(*command, flags->output, Charts::no, Pages::yes);
    command->callback([flags, &context] { run_plan(*flags, context); });
}

}  // namespace traincost::cli
