// `traincost read`: what the launch files of other frameworks say.

#include <cli/commands/commands.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/error.hpp>
#include <traincost/import/importers.hpp>
#include <traincost/import/reading_json.hpp>
#include <traincost/import/recognise.hpp>
#include <traincost/io/json.hpp>
#include <traincost/report/estimate_tables.hpp>

#include <CLI/CLI.hpp>

#include <istream>
#include <iterator>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    std::vector<std::string> files;
    std::string select;
    OutputFlags output;
};

LaunchFile file_of(const std::string& name, Context& context) {
    if (name != "-") {
        return {name, read_text_file(name)};
    }
    std::string text(std::istreambuf_iterator<char>(context.in), {});
    return {"standard input", std::move(text)};
}

std::vector<Table> tables_of(const LaunchReading& reading) {
    Table facts{.title = "Read as " + reading.format,
                .columns = {"fact", "value", "how", "where"},
                .rows = {},
                .remarks = {}};
    for (const auto& [fact, stated] : reading.facts) {
        facts.rows.push_back({text_cell(std::string(fact_name(fact))), text_cell(to_text(stated.value)),
                              text_cell(std::string(how_name(stated.how))), text_cell(stated.where)});
    }
    std::vector<Table> tables = {std::move(facts)};
    if (!reading.contradictions.empty()) {
        tables.push_back(remarks_table("Contradictions", reading.contradictions));
    }
    std::vector<std::string> matters;
    std::string ignored;
    for (const UnreadSetting& unread : reading.unread) {
        if (unread.matters) {
            matters.push_back(unread.where + " " + unread.key +
                              (unread.why.empty() ? "" : ": " + unread.why));
        } else {
            ignored += (ignored.empty() ? "" : ", ") + unread.key;
        }
    }
    if (!matters.empty()) {
        tables.push_back(remarks_table("Not understood, and may change memory or time", matters));
    }
    if (!ignored.empty()) {
        tables.push_back(remarks_table("Ignored", std::vector<std::string>{ignored}));
    }
    return tables;
}

void run_read(const Flags& flags, Context& context) {
    std::vector<LaunchFile> files;
    for (const std::string& name : flags.files) {
        files.push_back(file_of(name, context));
    }
    const LaunchReading reading = read_launch_files(files, flags.select);
    if (flags.output.json) {
        JsonWriter out;
        write_json(out, reading);
        context.out << out.text();
        return;
    }
    context.out << render(tables_of(reading), flags.output.format);
}

}  // namespace

void add_read(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("read", "Facts that launch files of other frameworks state, and where");
    const auto flags = std::make_shared<Flags>();
    command->add_option("FILE", flags->files, "Launch files of one job, in any order; - is standard input")
        ->required();
    command
        ->add_option("--select", flags->select,
                     "Name of one job where the files describe several: a function, a branch of a script")
        ->type_name("NAME");
    add_output_options(*command, flags->output);
    command->callback([flags, &context] { run_read(*flags, context); });
}

}  // namespace traincost::cli
