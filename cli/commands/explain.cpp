// `traincost explain`: the derivation of one printed number.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/commands/question_fields.hpp>
#include <traincost/report/explain/explain_answer.hpp>
#include <traincost/report/explain/explanation.hpp>

namespace traincost::cli {

namespace {

struct ExplainFlags {
    std::string item{};
    bool operators = false;
    SaidJob job{};
    OutputWish output{};
};

CommandFields fields(ExplainFlags& flags) {
    CommandFields fields;
    fields.text("ITEM", flags.item, "TEXT", "Item, as in memory.weights; default: list all items");
    fields.toggle("--operators", flags.operators, "Operators behind the sum: shapes, FLOPs, bytes, times");
    return fields.add(fields_of(flags.job)).add(fields_of(flags.output));
}

void run(ExplainFlags& flags, Context& context) {
    if (!flags.item.empty())
        explanation_of(flags.item);  // a wrong name is said before anything about the job
    const Sources sources(context.data_folder, &context.in);
    ExplainQuestion question{.item = flags.item, .job = {}, .operators = flags.operators};
    if (!texts_of(context.given, {"ITEM", "--operators", "--json", "--format"}).empty())
        question.job = draft_of(flags.job, sources);
    const ExplainAnswer answer = ask(question, sources);
    print({.json = [&] { return json_text(answer, sources.catalogue()); },
           .tables = [&] { return explain_tables(answer, sources.catalogue()); }},
          flags.output, context);
}

}  // namespace

void add_explain(CLI::App& command, Context& context) {
    declare<ExplainFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
