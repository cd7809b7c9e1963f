// `traincost method NAME`: a published calculator's own output.

#include <cli/commands/commands.hpp>
#include <cli/commands/method_options.hpp>
#include <cli/context.hpp>

#include <traincost/io/json_writer.hpp>

#include <CLI/CLI.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

/// A table as JSON: an array of objects whose members are the columns.
void write_rows(JsonWriter& out, const Table& table) {
    out.begin_array();
    for (const std::vector<Cell>& row : table.rows) {
        out.begin_object();
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string& exact = row[i].exact.empty() ? row[i].text : row[i].exact;
            out.key(table.columns[i]);
            if (row[i].number) {
                out.value(parse_number(exact));
            } else {
                out.value(exact);
            }
        }
        out.end_object();
    }
    out.end_array();
}

}  // namespace

void write_table(JsonWriter& out, const Table& table) {
    out.begin_object().member("title", table.title).key("rows");
    write_rows(out, table);
    out.array("remarks", table.remarks).end_object();
}

void print_tables(const std::vector<Table>& tables, const OutputFlags& output, Context& context) {
    if (!output.json) {
        context.out << render(tables, output.format, context.style);
        return;
    }
    JsonWriter out;
    out.begin_object().member("schema_version", 1).key("tables").begin_array();
    for (const Table& table : tables) {
        write_table(out, table);
    }
    context.out << out.end_array().end_object().text();
}

void add_method(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("method", "Output of a published calculator, digit for digit");
    command->require_subcommand(0, 1);
    command->callback([command] {
        if (command->get_subcommands().empty()) {
            throw Error(ErrorKind::usage,
                        "method: no method; methods: fast-llm, iiis, iiis-sheet, chinchilla-grid, "
                        "lightning, llm-bench, flagperf, six-nd");
        }
    });
    add_fast_llm(*command, context);
    add_iiis(*command, context);
    add_iiis_sheet(*command, context);
    add_chinchilla(*command, context);
    add_lightning(*command, context);
    add_llm_bench(*command, context);
    add_flagperf(*command, context);
    add_six_nd(*command, context);
}

}  // namespace traincost::cli
