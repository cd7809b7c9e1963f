#include <cli/commands/catalogue_options.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output_options.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/report/render.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>

namespace traincost::cli {

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
            return {"id",     "provider", "accelerator", "a node",   "link",
                    "domain", "fabric",   "rate each",   "node-hour"};
        case Room::models:
            return {"id",     "family", "parameters", "active", "layers",
                    "hidden", "heads",  "kv heads",   "vocab",  "repository"};
        case Room::stacks:
            return {"id", "title", "stands on"};
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

bool contains_ignoring_case(const std::string& text, const std::string& wanted) {
    return canonical_name(text).find(canonical_name(wanted)) != std::string::npos;
}

bool wanted(const CatalogueEntry& entry, const std::string& filter) {
    return contains_ignoring_case(entry.id, filter) ||
           std::any_of(entry.aliases.begin(), entry.aliases.end(),
                       [&](const std::string& alias) { return contains_ignoring_case(alias, filter); });
}

Table room_table(Room room, const Catalogue& catalogue, const std::string& filter) {
    Table table{.columns = columns_of(room)};
    for (const CatalogueEntry& entry : catalogue.entries(room)) {
        if (wanted(entry, filter)) {
            const auto rows = rows_of(room, entry.id, catalogue);
            table.rows.insert(table.rows.end(), rows.begin(), rows.end());
        }
    }
    return table;
}

Table rooms_table(const Catalogue& catalogue) {
    Table table{.columns = {"kind", "records"}};
    for (std::size_t i = 0; i < room_names().size(); ++i) {
        const auto n = static_cast<std::int64_t>(catalogue.entries(static_cast<Room>(i)).size());
        table.rows.push_back({text_cell(room_names()[i]), count_cell(n)});
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

void write_entries(JsonWriter& out, Room room, const Catalogue& catalogue, const std::string& filter) {
    out.key(room_names()[static_cast<std::size_t>(room)]).begin_array();
    for (const CatalogueEntry& entry : catalogue.entries(room)) {
        if (wanted(entry, filter)) {
            out.begin_object().member("id", entry.id).array("aliases", entry.aliases);
            out.member("overridden", entry.overridden);
            if (room == Room::prices) {
                write_prices(out, entry.id, catalogue);
            }
            out.end_object();
        }
    }
    out.end_array();
}

struct Options {
    std::string room;
    std::string filter;
    OutputFlags output;
};

std::vector<Room> asked_rooms(const std::string& name) {
    if (!name.empty()) {
        return {room_from(name)};
    }
    std::vector<Room> rooms;
    for (std::size_t i = 0; i < room_names().size(); ++i) {
        rooms.push_back(static_cast<Room>(i));
    }
    return rooms;
}

void print_json(const std::vector<Room>& rooms, const Catalogue& catalogue, const Options& options,
                Context& context) {
    JsonWriter out;
    out.begin_object().member("schema_version", 1);
    for (const Room room : rooms) {
        write_entries(out, room, catalogue, options.filter);
    }
    context.out << out.end_object().text();
}

void list(const Options& options, Context& context) {
    const Catalogue catalogue(context.data_folder);
    const std::vector<Room> rooms = asked_rooms(options.room);
    if (options.output.json) {
        print_json(rooms, catalogue, options, context);
        return;
    }
    if (options.room.empty() && options.filter.empty()) {
        const Table table = rooms_table(catalogue);
        context.out << render({&table, 1}, options.output.format, context.style);
        return;
    }
    std::vector<Table> found;
    for (const Room room : rooms) {
        Table table = room_table(room, catalogue, options.filter);
        if (rooms.size() > 1) {
            table.title = room_names()[static_cast<std::size_t>(room)];
        }
        if (rooms.size() == 1 || !table.rows.empty()) {
            found.push_back(std::move(table));
        }
    }
    context.out << render(found, options.output.format, context.style);
    if (found.empty() || found.front().rows.empty()) {
        context.err << "traincost: no record" << (options.room.empty() ? "" : " of " + options.room)
                    << " has '" << options.filter << "' in its names\n";
        context.exit_code = exit_no;
    }
}

}  // namespace

void add_list(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("list", "Models, accelerators, clusters, stacks and prices in the catalogue");
    const auto options = std::make_shared<Options>();
    command->add_option("KIND", options->room,
                        "models, accelerators, clusters, stacks or prices; default: all");
    command->add_option("--filter", options->filter, "Keep only records whose id or alias contains TEXT")
        ->type_name("TEXT");
    add_output_options(*command, options->output);
    command->callback([options, &context] { list(*options, context); });
}

}  // namespace traincost::cli
