// `traincost list`: what the catalogue holds.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/commands/question_fields.hpp>
#include <traincost/report/tables/catalogue_tables.hpp>

namespace traincost::cli {

namespace {

struct ListFlags {
    ListQuestion question{};
    OutputWish output{};
};

CommandFields fields(ListFlags& flags) {
    CommandFields fields;
    fields.text("KIND", flags.question.kind, "TEXT",
                "models, accelerators, clusters, stacks or prices; default: all");
    fields.text("--filter", flags.question.filter, "TEXT",
                "Keep only records whose id or alias contains TEXT");
    return fields.add(fields_of(flags.output));
}

void run(ListFlags& flags, Context& context) {
    const Sources sources(context.data_folder);
    const ListAnswer answer = ask(flags.question, sources);
    print({.json = [&] { return json_text(answer, sources.catalogue()); },
           .tables = [&] { return list_tables(answer, sources.catalogue()); }},
          flags.output, context);
    if (!flags.output.json && !answer.yes()) {
        say(context, nothing_listed_text(answer));
        context.answer(false);
    }
}

}  // namespace

void add_list(CLI::App& command, Context& context) {
    declare<ListFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
