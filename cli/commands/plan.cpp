// `traincost plan`: the pre-train sheet.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/ask/questions/plan_question.hpp>
#include <traincost/base/flag_values.hpp>
#include <traincost/report/answers/answer_pages.hpp>
#include <traincost/report/commands/question_fields.hpp>
#include <traincost/report/tables/plan_tables.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

struct PlanFlags {
    PlanQuestion question{};
    SaidJob job{};
    OutputWish output{};
};

CommandFields fields(PlanFlags& flags) {
    CommandFields fields;
    fields.value("--top", flags.question.top, "COUNT", positive_count,
                 "Number of strategies to print; default: 5");
    fields.add(allow_risky_field(flags.question.allow_risky));
    return fields.add(fields_of(flags.job)).add(fields_of(flags.output, Charts::no, Pages::yes));
}

void run(PlanFlags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    flags.question.job = draft_of(flags.job, sources);
    flags.question.pins = flags.job.said;
    const PlanAnswer answer = ask(flags.question, sources);
    say_never_ends(context, answer.never_ends);
    context.answer(answer.yes());
    const OutputWish& output = flags.output;
    if (!output.json && !output.html && output.format == Format::table) {
        for (const std::string& line : wrapped(title_of(answer), context.style.width))
            context.out << line << '\n';
        context.out << '\n';
    }
    print({.json = [&] { return json_text(answer, sources.residuals()); },
           .tables = [&] { return tables_of(answer, sources.residuals()); },
           .page = [&] { return page_of(answer, sources.residuals()); }},
          output, context);
}

}  // namespace

void add_plan(CLI::App& command, Context& context) {
    declare<PlanFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
