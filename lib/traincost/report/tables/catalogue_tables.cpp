#include "traincost/report/tables/catalogue_tables.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

/// The value below `keys`, or nothing.
const JsonValue* below(const JsonValue& root, std::initializer_list<std::string_view> keys) {
    const JsonValue* value = &root;
    for (const std::string_view key : keys) {
        value = value->find(key);
        if (value == nullptr) {
            return nullptr;
        }
    }
    return value;
}

std::string text_at(const JsonValue& root, std::initializer_list<std::string_view> keys) {
    const JsonValue* value = below(root, keys);
    const auto* text = value != nullptr ? std::get_if<std::string>(&value->data) : nullptr;
    return text != nullptr ? *text : std::string();
}

std::optional<double> number_at(const JsonValue& root, std::initializer_list<std::string_view> keys) {
    const JsonValue* value = below(root, keys);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&value->data)) {
        return static_cast<double>(*whole);
    }
    const auto* real = std::get_if<double>(&value->data);
    return real != nullptr ? std::optional(*real) : std::nullopt;
}

Cell text_or_nothing(const std::string& text) {
    return text.empty() ? empty_cell() : text_cell(text);
}

/// A figure of the record in a larger unit, as a cell in base units.
template <class Quantity>
Cell scaled_cell(std::optional<double> x, double unit) {
    return x ? cell(Quantity(*x * unit)) : empty_cell();
}

/// Memory as it is marketed, in 10^9 bytes.
Cell marketed_memory_cell(std::optional<double> gigabytes) {
    if (!gigabytes) {
        return empty_cell();
    }
    constexpr double giga = 1e9;
    return {.text = to_significant(*gigabytes) + " GB",
            .exact = to_exact(*gigabytes * giga),
            .unit = "byte",
            .number = true};
}

Cell whole_cell(std::optional<double> x) {
    return x ? count_cell(static_cast<std::int64_t>(*x)) : empty_cell();
}

Cell figure_cell(std::optional<double> x) {
    return x ? number_cell(*x) : empty_cell();
}

std::vector<Cell> accelerator_row(const std::string& id, const JsonValue& r) {
    constexpr double giga = 1e9;
    constexpr double tera = 1e12;
    const auto peak = [&](std::string_view type) {
        return scaled_cell<FlopRate>(number_at(r, {"peak_TFLOPs", type}), tera);
    };
    const std::optional<double> bf16 = number_at(r, {"peak_TFLOPs", "bf16"});
    return {text_cell(id),
            text_or_nothing(text_at(r, {"vendor"})),
            marketed_memory_cell(number_at(r, {"memory", "capacity_GB"})),
            scaled_cell<ByteRate>(number_at(r, {"memory", "bandwidth_GBps"}), giga),
            bf16 ? peak("bf16") : peak("fp16"),
            peak("fp8"),
            text_or_nothing(text_at(r, {"scale_up", "type"})),
            scaled_cell<ByteRate>(number_at(r, {"scale_up", "per_direction_GBps"}), giga),
            figure_cell(number_at(r, {"tdp_W"}))};
}

std::vector<Cell> cluster_row(const std::string& id, const JsonValue& r, const Catalogue& catalogue) {
    constexpr double giga = 1e9;
    Cell price = empty_cell();
    std::optional<Dollars> least;
    for (const NodePrice& p : catalogue.prices(id)) {
        if (p.per_hour && p.kind == "on-demand" && (!least || p.amount < *least)) {
            least = p.amount;
        }
    }
    if (least) {
        price = cell(*least);
    }
    return {text_cell(id),
            text_or_nothing(text_at(r, {"provider"})),
            text_or_nothing(text_at(r, {"accelerator"})),
            whole_cell(number_at(r, {"accelerators_per_node"})),
            text_or_nothing(text_at(r, {"scale_up", "link"})),
            whole_cell(number_at(r, {"scale_up", "domain"})),
            text_or_nothing(text_at(r, {"scale_out", "fabric"})),
            scaled_cell<ByteRate>(number_at(r, {"scale_out", "per_accelerator_GBps"}), giga),
            price};
}

std::vector<Cell> model_row(const std::string& id, const JsonValue& r) {
    const auto count = [&](std::initializer_list<std::string_view> keys) {
        const std::optional<double> x = number_at(r, keys);
        return x ? short_count_cell(*x) : empty_cell();
    };
    return {text_cell(id),
            text_or_nothing(text_at(r, {"family"})),
            count({"parameters", "computed", "total"}),
            count({"parameters", "computed", "active"}),
            whole_cell(number_at(r, {"layers"})),
            whole_cell(number_at(r, {"hidden"})),
            whole_cell(number_at(r, {"heads"})),
            whole_cell(number_at(r, {"kv_heads"})),
            whole_cell(number_at(r, {"vocab"})),
            text_or_nothing(text_at(r, {"hf_repo"}))};
}

std::vector<Cell> stack_row(const std::string& id, const JsonValue& r) {
    return {text_cell(id), text_or_nothing(text_at(r, {"title"})), text_or_nothing(text_at(r, {"base"}))};
}

std::vector<std::vector<Cell>> price_rows(const std::string& id, const Catalogue& catalogue) {
    const std::optional<double> per_node =
        number_at(catalogue.document(Room::clusters, id).root, {"accelerators_per_node"});
    std::vector<std::vector<Cell>> rows;
    for (const NodePrice& price : catalogue.prices(id)) {
        const bool each = price.per_hour && per_node && *per_node > 0.0;
        rows.push_back({text_cell(id), text_cell(price.provider), text_cell(price.kind), cell(price.amount),
                        text_cell(price.per_hour ? "node-hour" : "node"),
                        each ? cell(price.amount / *per_node) : empty_cell(), text_or_nothing(price.region),
                        text_or_nothing(price.as_of)});
    }
    return rows;
}

std::vector<std::string> columns_of(Room room) {
    switch (room) {
        case Room::accelerators:
            return {"id",       "vendor", "memory",    "bandwidth", "16-bit peak",
                    "fp8 peak", "link",   "link rate", "TDP W"};
        case Room::clusters:
            return {"id",     "provider", "accelerator", "per node", "link",
                    "domain", "fabric",   "rate each",   "node-hour"};
        case Room::models:
            return {"id",     "family", "parameters", "active", "layers",
                    "hidden", "heads",  "kv heads",   "vocab",  "repository"};
        case Room::stacks:
            return {"id", "title", "based on"};
        case Room::prices:
            return {"cluster", "provider", "kind", "price", "for", "accelerator-hour", "region", "as of"};
    }
    return {};
}

/// The rows of a record: one, but of each price one.
std::vector<std::vector<Cell>> rows_of(Room room, const std::string& id, const Catalogue& catalogue) {
    const JsonDocument document = catalogue.document(room, id);
    switch (room) {
        case Room::accelerators:
            return {accelerator_row(id, document.root)};
        case Room::clusters:
            return {cluster_row(id, document.root, catalogue)};
        case Room::models:
            return {model_row(id, document.root)};
        case Room::stacks:
            return {stack_row(id, document.root)};
        case Room::prices:
            return price_rows(id, catalogue);
    }
    return {};
}

Table room_table(const ListedRoom& listed, const Catalogue& catalogue) {
    Table table{.columns = columns_of(listed.room)};
    for (const CatalogueEntry& entry : listed.entries) {
        const auto rows = rows_of(listed.room, entry.id, catalogue);
        table.rows.insert(table.rows.end(), rows.begin(), rows.end());
    }
    return table;
}

Table rooms_table(const ListAnswer& answer) {
    Table table{.columns = {"kind", "records"}};
    for (const ListedRoom& listed : answer.rooms) {
        table.rows.push_back({text_cell(room_names()[static_cast<std::size_t>(listed.room)]),
                              count_cell(static_cast<std::int64_t>(listed.entries.size()))});
    }
    table.remarks = {
        "'traincost list KIND' names the records, 'traincost show NAME' prints one with its sources."};
    return table;
}

void write_prices(JsonWriter& out, const std::string& id, const Catalogue& catalogue) {
    out.key("prices").begin_array();
    for (const NodePrice& price : catalogue.prices(id)) {
        out.begin_object().member("provider", price.provider).member("kind", price.kind);
        out.member("USD", price.amount).member("per_hour", price.per_hour).member("region", price.region);
        out.member("as_of", price.as_of).end_object();
    }
    out.end_array();
}

}  // namespace

std::vector<Table> list_tables(const ListAnswer& answer, const Catalogue& catalogue) {
    if (answer.question.kind.empty() && answer.question.filter.empty()) {
        return {rooms_table(answer)};
    }
    std::vector<Table> found;
    for (const ListedRoom& listed : answer.rooms) {
        Table table = room_table(listed, catalogue);
        if (answer.rooms.size() > 1) {
            table.title = room_names()[static_cast<std::size_t>(listed.room)];
        }
        if (answer.rooms.size() == 1 || !table.rows.empty()) {
            found.push_back(std::move(table));
        }
    }
    return found;
}

void write_json(JsonWriter& out, const ListAnswer& answer, const Catalogue& catalogue) {
    out.begin_object().member("schema_version", 1);
    for (const ListedRoom& listed : answer.rooms) {
        out.key(room_names()[static_cast<std::size_t>(listed.room)]).begin_array();
        for (const CatalogueEntry& entry : listed.entries) {
            out.begin_object().member("id", entry.id).array("aliases", entry.aliases);
            out.member("overridden", entry.overridden);
            if (listed.room == Room::prices) {
                write_prices(out, entry.id, catalogue);
            }
            out.end_object();
        }
        out.end_array();
    }
    out.end_object();
}

}  // namespace traincost
