// `traincost scale`: compute-optimal size and tokens.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/answers/scale_answer.hpp>
#include <traincost/report/charts/svg.hpp>
#include <traincost/report/commands/question_fields.hpp>
#include <traincost/report/tables/scaling_tables.hpp>

namespace traincost::cli {

namespace {

struct ScaleFlags {
    ScaleQuestion question{};
    OutputWish output{};
};

CommandFields fields(ScaleFlags& flags) {
    return fields_of(flags.question).add(fields_of(flags.output, Charts::yes));
}

void run(ScaleFlags& flags, Context& context) {
    const ScalingBudget budget = ask(flags.question, Sources(context.data_folder, &context.in));
    print({.json = [&] { return json_text(budget); },
           .tables = [&] { return scaling_tables(budget); },
           .svg = [&] { return svg(scaling_charts(budget)); }},
          flags.output, context);
}

}  // namespace

void add_scale(CLI::App& command, Context& context) {
    declare<ScaleFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
