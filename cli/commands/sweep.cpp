// `traincost sweep`: a table over a space of jobs.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/ask/questions/sweep_question.hpp>
#include <traincost/io/answers/sweep_json.hpp>
#include <traincost/report/answers/answer_pages.hpp>
#include <traincost/report/charts/svg.hpp>
#include <traincost/report/commands/question_fields.hpp>
#include <traincost/report/tables/sweep_tables.hpp>

namespace traincost::cli {

namespace {

struct SweepFlags {
    SaidJob job{};
    std::vector<std::string> vary{};
    std::optional<Shard> shard{};
    OutputWish output{};
};

CommandFields fields(SweepFlags& flags) {
    CommandFields fields = fields_of(flags.job);
    fields.texts("--vary", flags.vary, "FLAG=a,b,c|LO..HI[xK|+K]",
                 "Job flag and its values; repeat for all combinations");
    fields.value("--shard", flags.shard, "I/N", shard_from,
                 "Evaluate only shard I of N; with --json, for 'traincost merge'");
    return fields.add(fields_of(flags.output, Charts::yes, Pages::yes));
}

void run(SweepFlags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    SweepQuestion question = sweep_question(flags.vary, flags.job, flags.shard, sources);
    question.weighs_unstated = flags.output.json;
    const SweepAnswer answer = ask(question, sources);
    context.answer(answer.yes());
    std::optional<SweepShard> part;
    if (flags.shard) {
        part = {texts_of(context.given, {"--shard", "--json"}), flags.shard->shard, flags.shard->shards,
                answer.all};
    }
    print({.json = [&] { return sweep_json(answer.axes, answer.points, answer.sure, part); },
           .tables = [&] { return std::vector{sweep_table(answer.axes, answer.points)}; },
           .svg = [&] { return svg(sweep_charts(answer.axes, answer.points)); },
           .page = [&] { return page_of(answer); }},
          flags.output, context);
}

}  // namespace

void add_sweep(CLI::App& command, Context& context) {
    declare<SweepFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
