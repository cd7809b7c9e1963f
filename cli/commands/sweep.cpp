// `traincost sweep`: a table over a space of jobs.

#include <cli/commands/commands.hpp>
#include <cli/given_arguments.hpp>
#include <cli/job_flags.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <cli/page_output.hpp>
#include <traincost/ask/search_question.hpp>
#include <traincost/ask/sweep_question.hpp>
#include <traincost/io/answers/sweep_json.hpp>
#include <traincost/report/answer_pages.hpp>
#include <traincost/report/charts/svg.hpp>
#include <traincost/report/tables/sweep_tables.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct SweepFlags {
    JobFlags job;
    OutputFlags output;
    std::vector<std::string> vary;
    std::optional<Shard> shard{};
};

void run_sweep(const SweepFlags& f, const std::vector<std::string>& arguments, Context& context) {
    SweepQuestion question;
    question.axes = sweep_axes(f.vary);
    if (f.job.job_file == "-" || f.job.said.model.value == "-") {
        throw Error(ErrorKind::usage, "sweep: the standard input can be read once only; give a file");
    }
    const Sources sources(context.data_folder, &context.in);
    if (f.job.job_file) {
        question.file = draft_from_file(*f.job.job_file, sources);
    }
    question.said = f.job.said;
    if (f.shard) {
        question.shard = f.shard->shard;
        question.shards = f.shard->shards;
    }
    const SweepAnswer answer = ask(question, sources);
    context.exit_code = answer.yes() ? exit_yes : exit_no;
    if (f.output.json) {
        std::optional<SweepShard> part;
        if (f.shard) {
            part = {arguments, f.shard->shard, f.shard->shards, answer.all};
        }
        context.out << sweep_json(answer.axes, answer.points, sources.residuals(), part);
    } else if (page_wanted(f.output)) {
        write_page(
            page_of("Sweep", std::to_string(answer.points.size()) + " points", Tone::plain,
                    {sweep_table(answer.axes, answer.points)}, sweep_charts(answer.axes, answer.points)),
            f.output, context);
    } else if (f.output.svg) {
        context.out << svg(sweep_charts(answer.axes, answer.points));
    } else {
        context.out << render(std::vector<Table>{sweep_table(answer.axes, answer.points)}, f.output.format,
                              context.style);
    }
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("sweep", "Table over every combination of flag values");
    const auto flags = std::make_shared<SweepFlags>();
    add_job_options(*command, flags->job);
    command->add_option("--vary", flags->vary, "A job flag and its values; repeat it for every combination")
        ->type_name("FLAG=a,b,c|LO..HI[xK|+K]");
    add_parsed(*command, "--shard", flags->shard, "I/N", shard_from,
               "Evaluate this part of the points only; with --json, for 'traincost merge'");
    add_output_options(*command, flags->output, Charts::yes, Pages::yes);
    command->callback([flags, command, &context] {
        run_sweep(*flags, given_arguments(*command, {"--shard", "--json"}), context);
    });
}

}  // namespace traincost::cli
