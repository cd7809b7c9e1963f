// `traincost compare`: jobs side by side.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/answers/answer_pages.hpp>
#include <traincost/report/answers/estimate_answer.hpp>
#include <traincost/report/answers/saved_answers.hpp>
#include <traincost/report/charts/svg.hpp>
#include <traincost/report/commands/question_fields.hpp>
#include <traincost/sheets/sheet_reader.hpp>

namespace traincost::cli {

namespace {

struct CompareFlags {
    std::vector<std::string> files{};
    OutputWish output{};
};

CommandFields fields(CompareFlags& flags) {
    CommandFields fields;
    fields
        .texts("jobs", flags.files, "FILE",
               "Job files; --json output of estimate, method, days, plan, recommend, scale or of logs "
               "(read); recorded steps (.csv, .xlsx, Chrome trace); - is standard input")
        .required = true;
    return fields.add(fields_of(flags.output, Charts::yes, Pages::yes));
}

void run(CompareFlags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    if (const auto answers = read_saved_answers(flags.files, sources, sheet_numbers)) {
        context.answer(all_yes(*answers));
        print(printed_answer(*answers, context.style.width), flags.output, context);
        return;
    }
    const CompareAnswer answer = ask(compare_question(flags.files, sources), sources);
    context.answer(answer.yes());
    print({.json = [&] { return json_text(answer); },
           .tables = [&] { return tables_of(answer); },
           .svg = [&] { return svg(charts_of(answer)); },
           .page = [&] { return page_of(answer); }},
          flags.output, context);
}

}  // namespace

void add_compare(CLI::App& command, Context& context) {
    declare<CompareFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
