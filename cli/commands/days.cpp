// `traincost days`: days of a run from its size and a rate.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <cli/search_run.hpp>
#include <traincost/report/answers/days_answer.hpp>
#include <traincost/report/commands/question_fields.hpp>

namespace traincost::cli {

namespace {

struct DaysFlags {
    DaysQuestion question{};
    OutputWish output{};
};

CommandFields fields(DaysFlags& flags) {
    return fields_of(flags.question).add(fields_of(flags.output));
}

void run(DaysFlags& flags, Context& context) {
    flags.question.run = [&](SearchRequest& request) { return run_search(request, context); };
    const DaysAnswer answer = ask(flags.question, Sources(context.data_folder, &context.in));
    context.answer(answer.yes());
    if (!answer.yes()) {
        say(context, no_layout_text(answer));
        return;
    }
    print({.json = [&] { return json_text(answer); },
           .tables = [&] { return std::vector<Table>{days_table(answer)}; }},
          flags.output, context);
}

}  // namespace

void add_days(CLI::App& command, Context& context) {
    declare<DaysFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
