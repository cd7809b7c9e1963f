// `traincost show`: one record.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/commands/question_fields.hpp>
#include <traincost/report/tables/record_tables.hpp>

namespace traincost::cli {

namespace {

struct ShowFlags {
    ShowQuestion question{};
    OutputWish output{};
};

CommandFields fields(ShowFlags& flags) {
    CommandFields fields;
    fields.text("NAME", flags.question.name, "TEXT", "Catalogue id, alias or Hugging Face repository")
        .required = true;
    fields.text("--kind", flags.question.kind, "TEXT",
                "Kind of record, if the name is ambiguous: models, accelerators, clusters, stacks or prices");
    return fields.add(fields_of(flags.output));
}

void run(ShowFlags& flags, Context& context) {
    const Sources sources(context.data_folder);
    const ShowAnswer answer = ask(flags.question, sources);
    print({.json = [&] { return json_text(answer, sources.catalogue()); },
           .tables = [&] { return record_tables(answer, sources.catalogue()); }},
          flags.output, context);
}

}  // namespace

void add_show(CLI::App& command, Context& context) {
    declare<ShowFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
