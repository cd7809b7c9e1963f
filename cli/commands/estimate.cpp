// `traincost estimate`: one configuration in depth.

#include <cli/commands/commands.hpp>
#include <cli/job_flags.hpp>
#include <cli/launch_output.hpp>
#include <cli/network_options.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <cli/page_output.hpp>
#include <traincost/ask/estimate_question.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/report/answer_pages.hpp>
#include <traincost/report/estimate_answer.hpp>
#include <traincost/report/estimate_summary.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    JobFlags job;
    NetworkFlags network;
    OutputFlags output;
    LaunchOutput launch;
    bool verbose = false;
};

void run_estimate(const Flags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    ReadDraft read = read_draft_of(flags.job, sources);
    take_stack(flags.launch, sources.catalogue(), read.draft, context);
    const EstimateQuestion question{std::move(read.draft), std::move(read.notes), true, flags.verbose};
    ResolvedJob resolved = resolve(question.job, sources);
    apply_network(flags.network, resolved);
    const EstimateAnswer answer = answer_of(std::move(resolved), question, sources);
    say_never_ends(answer.never_ends, context);
    context.exit_code = answer.yes() ? exit_yes : exit_no;
    if (!flags.launch.format.empty()) {
        LaunchOutput launch = flags.launch;
        launch.json = flags.output.json;
        print_launch_files(launch, answer.job, sources.catalogue(), context);
        return;
    }
    if (flags.output.json) {
        JsonWriter out;
        write_json(out, answer);
        context.out << out.text();
        return;
    }
    if (page_wanted(flags.output)) {
        const std::optional<TimelineAnswer> timeline = timeline_of(answer);
        write_page(page_of(answer, timeline ? &*timeline : nullptr), flags.output, context);
        return;
    }
    const bool all = flags.verbose || flags.output.format != Format::table;
    context.out << render(all ? tables_of(answer, flags.verbose) : std::vector<Table>{summary_of(answer)},
                          flags.output.format, context.style);
}

}  // namespace

void add_estimate(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("estimate", "Memory, time and cost of one configuration");
    const auto flags = std::make_shared<Flags>();
    add_file_options(*command, flags->job);
    command->add_flag(
        "-v,--verbose", flags->verbose,
        "All tables: memory, time, computation, communication by kind of collective and pass, the "
        "timeline's numbers, the stack's constants, assumptions; default as text: the summary");
    add_job_options(*command, flags->job);
    add_network_options(*command, flags->network);
    add_output_options(*command, flags->output, Charts::no, Pages::yes);
    add_launch_format(*command, flags->launch);
    name_group(*command, "Output");
    command->callback([flags, &context] { run_estimate(*flags, context); });
}

}  // namespace traincost::cli
