#include "traincost/report/tables/record_tables.hpp"

#include <string>
#include <variant>

#include "traincost/base/text.hpp"
#include "traincost/io/specs/stack_claim.hpp"
#include "traincost/io/specs/stack_json.hpp"

namespace traincost {

namespace {

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

/// A row for every figure: its path, itself, and where it comes from as far as a stack's record says so.
void add_rows(Table& table, const JsonDocument& document, const JsonValue& value, const std::string& path) {
    if (const auto claim = claim_of(document, path)) {
        table.rows.push_back(
            {text_cell(path), text_cell(value_text(*value.find("value"))), text_cell(claim_text(*claim))});
        return;
    }
    if (const auto* members = value.object()) {
        for (const JsonMember& member : *members) {
            const std::string inner = path.empty() ? member.key : path + "." + member.key;
            const bool elsewhere = path.empty() && (member.key == "sources" || member.key == "releases" ||
                                                    member.key == "notes" || member.key == "schema");
            if (!elsewhere) {
                add_rows(table, document, member.value, inner);
            }
        }
        return;
    }
    if (holds_objects(value)) {
        const auto& items = *value.array();
        for (std::size_t i = 0; i < items.size(); ++i) {
            add_rows(table, document, items[i], path + "[" + std::to_string(i) + "]");
        }
        return;
    }
    if (value.array() != nullptr && value.array()->empty()) {
        return;
    }
    table.rows.push_back({text_cell(path), text_cell(value_text(value))});
}

Table prices_table(const std::vector<NodePrice>& prices, const Catalogue& catalogue) {
    Table table{.title = "Prices per node",
                .columns = {"provider", "kind", "price", "per", "region", "as of", "source"}};
    for (const NodePrice& p : prices) {
        table.rows.push_back({text_cell(p.provider), text_cell(p.kind), cell(p.amount),
                              text_cell(p.per_hour ? "hour" : "node"), text_cell(p.region),
                              text_cell(p.as_of), text_cell(catalogue.source_title(p.source))});
    }
    return table;
}

/// "attention.generation flash2, head.loss fp32_logits": the choices that a release's entry states.
std::string changes_text(const JsonValue& release) {
    std::string text;
    for (const std::string& path : stack_choice_names()) {
        if (const JsonValue* choice = choice_at(release, path)) {
            const JsonValue* value = choice->find("value");
            text += (text.empty() ? "" : ", ") + path + " " + value_text(value != nullptr ? *value : *choice);
        }
    }
    return text;
}

/// The releases that a stack's record lists, as they are named, what each is, and what it does otherwise.
Table releases_table(const JsonDocument& document, const std::string& stack) {
    Table table{.title = "Releases"};
    if (const JsonValue* releases = document.root.find("releases")) {
        for (const JsonNode& release : JsonNode(document, *releases).items()) {
            JsonObject object(release);
            table.rows.push_back({text_cell(stack + "@" + object.at("release").string()),
                                  text_cell(object.at("title").string()),
                                  text_cell(changes_text(release.value()))});
        }
    }
    return table;
}

Table lines_table(const std::string& title, const JsonDocument& document, const char* key,
                  const Catalogue& catalogue) {
    Table table{.title = title};
    if (const JsonValue* value = document.root.find(key)) {
        for (const std::string& line : JsonNode(document, *value).strings()) {
            table.rows.push_back({text_cell(catalogue.source_title(line))});
        }
    }
    return table;
}

}  // namespace

std::vector<Table> record_tables(const ShowAnswer& answer, const Catalogue& catalogue) {
    const JsonDocument& document = answer.document;
    std::vector<Table> tables(1);
    tables[0].title = std::string(record_name(answer.room)) + " " + answer.id;
    add_rows(tables[0], document, document.root, "");
    if (answer.room == Room::stacks) {
        tables.push_back(releases_table(document, answer.id));
    }
    if (answer.room == Room::clusters) {
        tables.push_back(prices_table(answer.prices, catalogue));
    }
    tables.push_back(lines_table("Notes", document, "notes", catalogue));
    tables.push_back(lines_table("Sources", document, "sources", catalogue));
    std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
    return tables;
}

void write_json(JsonWriter& out, const ShowAnswer& found, const Catalogue& catalogue) {
    out.begin_object().member("schema_version", 1).member("kind", record_name(found.room));
    out.key("record").value(found.document.root);
    out.key("source_titles").begin_object();
    if (const JsonValue* sources = found.document.root.find("sources")) {
        for (const std::string& key : JsonNode(found.document, *sources).strings()) {
            if (const std::string title = catalogue.source_title(key); title != key) {
                out.member(key, title);
            }
        }
    }
    out.end_object();
    if (found.room == Room::clusters) {
        out.key("prices").begin_array();
        for (const NodePrice& p : found.prices) {
            out.begin_object().member("provider", p.provider).member("kind", p.kind);
            out.member(p.per_hour ? "usd_per_hour" : "usd", p.amount);
            out.member("region", p.region).member("as_of", p.as_of).member("source", p.source).end_object();
        }
        out.end_array();
    }
    out.end_object();
}

}  // namespace traincost
