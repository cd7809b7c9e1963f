#include <cli/commands/catalogue_options.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output_options.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/report/render.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct Options {
    std::string name;
    std::string room;
    OutputFlags output;
};

struct Found {
    Room room;
    std::string id;
};

/// The record `name` stands for: in the room asked for, else in the only room that knows it.
Found find_record(const Catalogue& catalogue, const Options& options) {
    if (!options.room.empty()) {
        const Room room = room_from(options.room);
        return {room, catalogue.id(room, options.name)};
    }
    std::vector<Found> found;
    std::vector<std::string> names;
    for (const Room room : {Room::models, Room::accelerators, Room::clusters, Room::stacks}) {
        if (const auto id = catalogue.find(room, options.name)) {
            found.push_back({room, *id});
        }
    }
    if (found.size() == 1) {
        return found.front();
    }
    if (found.size() > 1) {
        std::string all;
        for (const Found& f : found) {
            all += (all.empty() ? "" : " and ") + ("the " + std::string(record_name(f.room))) + " '" + f.id +
                   "'";
        }
        throw Error(ErrorKind::usage, "'" + options.name + "' is " + all + "; choose with --kind");
    }
    for (const Room room : {Room::models, Room::accelerators, Room::clusters, Room::stacks}) {
        for (const CatalogueEntry& entry : catalogue.entries(room)) {
            names.push_back(entry.id);
            names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
        }
    }
    const std::string suggestion = did_you_mean(options.name, names);
    throw Error(ErrorKind::not_found,
                "no record is called '" + options.name + "'" +
                    (suggestion.empty() ? "; 'traincost list' names them" : suggestion));
}

std::string value_text(const JsonValue& value) {
    if (const auto* text = std::get_if<std::string>(&value.data)) {
        return *text;
    }
    if (const auto* items = value.array()) {
        std::string all;
        for (const JsonValue& item : *items) {
            all += (all.empty() ? "" : ", ") + value_text(item);
        }
        return all;
    }
    JsonWriter out(0);
    out.value(value);
    return out.text();
}

bool holds_objects(const JsonValue& value) {
    const auto* items = value.array();
    return items != nullptr && !items->empty() && items->front().object() != nullptr;
}

/// A row for every figure: its path, itself, and why where a stack's record says so.
void add_rows(Table& table, const JsonValue& value, const std::string& path, const JsonValue* basis) {
    if (const auto* members = value.object()) {
        for (const JsonMember& member : *members) {
            const std::string inner = path.empty() ? member.key : path + "." + member.key;
            const bool elsewhere = path.empty() && (member.key == "sources" || member.key == "basis" ||
                                                    member.key == "notes" || member.key == "schema");
            if (!elsewhere) {
                add_rows(table, member.value, inner, basis);
            }
        }
        return;
    }
    if (holds_objects(value)) {
        const auto& items = *value.array();
        for (std::size_t i = 0; i < items.size(); ++i) {
            add_rows(table, items[i], path + "[" + std::to_string(i) + "]", basis);
        }
        return;
    }
    if (value.array() != nullptr && value.array()->empty()) {
        return;
    }
    std::vector<Cell> row = {text_cell(path), text_cell(value_text(value))};
    if (const JsonValue* why = basis != nullptr ? basis->find(path) : nullptr) {
        row.push_back(text_cell(value_text(*why)));
    }
    table.rows.push_back(std::move(row));
}

Table prices_table(const Catalogue& catalogue, const std::string& cluster) {
    Table table{.title = "Prices of a node",
                .columns = {"provider", "kind", "price", "per", "region", "as of", "source"}};
    for (const NodePrice& p : catalogue.prices(cluster)) {
        table.rows.push_back({text_cell(p.provider), text_cell(p.kind), cell(p.amount),
                              text_cell(p.per_hour ? "hour" : "node"), text_cell(p.region),
                              text_cell(p.as_of), text_cell(catalogue.source_title(p.source))});
    }
    return table;
}

Table list_table(const std::string& title, const JsonDocument& document, const char* key,
                 const Catalogue& catalogue) {
    Table table{.title = title};
    if (const JsonValue* value = document.root.find(key)) {
        for (const std::string& line : JsonNode(document, *value).strings()) {
            table.rows.push_back({text_cell(catalogue.source_title(line))});
        }
    }
    return table;
}

void write_record(JsonWriter& out, const Found& found, const JsonDocument& document,
                  const Catalogue& catalogue) {
    out.begin_object().member("schema_version", 1).member("kind", record_name(found.room));
    out.key("record").value(document.root);
    out.key("source_titles").begin_object();
    if (const JsonValue* sources = document.root.find("sources")) {
        for (const std::string& key : JsonNode(document, *sources).strings()) {
            if (const std::string title = catalogue.source_title(key); title != key) {
                out.member(key, title);
            }
        }
    }
    out.end_object();
    if (found.room == Room::clusters) {
        out.key("prices").begin_array();
        for (const NodePrice& p : catalogue.prices(found.id)) {
            out.begin_object().member("provider", p.provider).member("kind", p.kind);
            out.member(p.per_hour ? "usd_per_hour" : "usd", p.amount);
            out.member("region", p.region).member("as_of", p.as_of).member("source", p.source).end_object();
        }
        out.end_array();
    }
    out.end_object();
}

void show(const Options& options, Context& context) {
    const Catalogue catalogue(context.data_folder);
    const Found found = find_record(catalogue, options);
    const JsonDocument document = found.room == Room::stacks ? catalogue.stack_document(found.id)
                                                             : catalogue.document(found.room, found.id);
    if (options.output.json) {
        JsonWriter out;
        write_record(out, found, document, catalogue);
        context.out << out.text();
        return;
    }
    std::vector<Table> tables(1);
    tables[0].title = std::string(record_name(found.room)) + " " + found.id;
    add_rows(tables[0], document.root, "", document.root.find("basis"));
    if (found.room == Room::clusters) {
        tables.push_back(prices_table(catalogue, found.id));
    }
    tables.push_back(list_table("Notes", document, "notes", catalogue));
    tables.push_back(list_table("Sources", document, "sources", catalogue));
    std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
    context.out << render(tables, options.output.format, context.style);
}

}  // namespace

void add_show(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("show", "One catalogue record with its sources");
    const auto options = std::make_shared<Options>();
    command->add_option("NAME", options->name, "Catalogue id, alias or Hugging Face repository")->required();
    command->add_option(
        "--kind", options->room,
        "Kind of record, if the name is ambiguous: models, accelerators, clusters, stacks or prices");
    add_output_options(*command, options->output);
    command->callback([options, &context] { show(*options, context); });
}

}  // namespace traincost::cli
