#include "traincost/io/catalogue.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "traincost/base/text.hpp"
#include "traincost/io/catalogue_state.hpp"
#include "traincost/io/cluster_build.hpp"
#include "traincost/io/specs/accelerator_json.hpp"
#include "traincost/io/specs/stack_json.hpp"

namespace traincost {

using io::folders;
using io::rooms;
using io::singular;
using io::Source;

namespace {

/// Longest chain of stacks that stand on one another.
constexpr int longest_base_chain = 8;

}  // namespace

Catalogue::Catalogue(std::string folder) : state_(std::make_unique<State>()) {
    state_->folder = std::move(folder);
    if (state_->folder.empty()) {
        return;
    }
    if (!std::filesystem::is_directory(state_->folder)) {
        throw Error(ErrorKind::input, state_->folder + ": is not a folder of override records");
    }
    for (const auto& entry : std::filesystem::directory_iterator(state_->folder)) {
        const std::string name = entry.path().filename().string();
        const bool known = std::find(folders.begin(), folders.end(), name) != folders.end();
        if (entry.is_directory() && !name.starts_with('.') && !known) {
            throw Error(ErrorKind::input,
                        entry.path().string() +
                            ": is not a kind of record; allowed folders: accelerators, clusters, models, "
                            "stacks, prices, sources, bench" +
                            did_you_mean(name, folders));
        }
    }
}

Catalogue::Catalogue(std::string folder, const std::vector<RecordText>& records)
    : Catalogue(std::move(folder)) {
    for (const RecordText& record : records) {
        state_->add_record(record);
    }
}

Catalogue::~Catalogue() = default;
Catalogue::Catalogue(Catalogue&&) noexcept = default;
Catalogue& Catalogue::operator=(Catalogue&&) noexcept = default;

std::span<const std::string_view> room_names() {
    return rooms;
}

std::string_view record_name(Room room) {
    return singular[static_cast<std::size_t>(room)];
}

std::vector<CatalogueEntry> Catalogue::entries(Room room) const {
    std::vector<CatalogueEntry> out;
    for (const Source& source : state_->sources(room)) {
        out.push_back({.id = source.id, .aliases = source.aliases, .overridden = !source.path.empty()});
    }
    return out;
}

std::optional<std::string> Catalogue::find(Room room, std::string_view name) const {
    const auto source = state_->source(room, name);
    return source ? std::optional(source->id) : std::nullopt;
}

std::string Catalogue::id(Room room, std::string_view name) const {
    return state_->require(room, name).id;
}

JsonDocument Catalogue::document(Room room, std::string_view name) const {
    return State::parse(room, state_->require(room, name));
}

ModelRecord Catalogue::model_record(std::string_view name) const {
    const Source source = state_->require(Room::models, name);
    return state_->models.get(source.id, [&] {
        const JsonDocument document = State::parse(Room::models, source);
        return model_record_from_json(JsonNode(document));
    });
}

ModelSpec Catalogue::model(std::string_view name) const {
    return model_record(name).spec;
}

AcceleratorSpec Catalogue::accelerator(std::string_view name) const {
    const Source source = state_->require(Room::accelerators, name);
    return state_->accelerators.get(source.id, [&] {
        const JsonDocument document = State::parse(Room::accelerators, source);
        return accelerator_from_json(JsonNode(document));
    });
}

ClusterRecord Catalogue::cluster_record(std::string_view name) const {
    const Source source = state_->require(Room::clusters, name);
    return state_->clusters.get(source.id, [&] {
        const JsonDocument document = State::parse(Room::clusters, source);
        return cluster_record_from_json(JsonNode(document));
    });
}

std::vector<std::string> Catalogue::clusters_with(std::string_view accelerator_name) const {
    const std::string wanted = id(Room::accelerators, accelerator_name);
    return state_->holders.get(wanted, [&] {
        std::vector<std::string> found;
        for (const CatalogueEntry& entry : entries(Room::clusters)) {
            const ClusterRecord record = cluster_record(entry.id);
            if (record.accelerator && find(Room::accelerators, *record.accelerator) == wanted)
                found.emplace_back(entry.id);
        }
        return found;
    });
}

std::vector<NodePrice> Catalogue::prices(std::string_view cluster) const {
    const auto source = state_->source(Room::prices, id(Room::clusters, cluster));
    if (!source) {
        return {};
    }
    const JsonDocument document = State::parse(Room::prices, *source);
    return prices_from_json(JsonNode(document));
}

namespace {

/// `merged` over the stacks it stands on.
void lay_bases_under(JsonDocument& merged, const Catalogue& catalogue) {
    for (int depth = 0; const JsonValue* base = merged.root.find("base"); ++depth) {
        const JsonNode base_name(merged, *base);
        if (depth == longest_base_chain) {
            base_name.fail("is based on more than " + std::to_string(longest_base_chain) +
                           " other stacks, or on itself");
        }
        JsonDocument below = catalogue.document(Room::stacks, base_name.string());
        std::erase_if(std::get<JsonValue::Object>(merged.root.data),
                      [](const JsonMember& m) { return m.key == "base"; });
        for (const char* personal : {"aliases", "notes", "releases"}) {
            std::erase_if(std::get<JsonValue::Object>(below.root.data),
                          [&](const JsonMember& m) { return m.key == personal; });
        }
        merged.root = overlay_stack(below.root, merged.root);
    }
}

}  // namespace

JsonDocument Catalogue::stack_document(std::string_view name) const {
    JsonDocument merged = document(Room::stacks, name);
    lay_bases_under(merged, *this);
    return merged;
}

StackSpec Catalogue::stack(std::string_view name) const {
    return state_->stacks.get(id(Room::stacks, name), [&] {
        const JsonDocument document = stack_document(name);
        return stack_from_json(JsonNode(document));
    });
}

std::optional<StackSpec> Catalogue::base_of_stack(std::string_view name) const {
    const JsonDocument own = document(Room::stacks, name);
    const JsonValue* base = own.root.find("base");
    return base == nullptr ? std::nullopt : std::optional(stack(JsonNode(own, *base).string()));
}

StackSpec Catalogue::stack_from(const JsonDocument& document) const {
    JsonDocument merged = document;
    JsonObject object((JsonNode(merged)));  // refuses what is no object
    lay_bases_under(merged, *this);
    return stack_from_json(JsonNode(merged));
}

namespace {

/// What tells one cluster from another.
std::string cluster_key(std::string_view name, std::string_view accelerator, std::int64_t accelerators,
                        std::optional<std::int64_t> per_node) {
    return std::string(name) + '|' + std::string(accelerator) + '|' + std::to_string(accelerators) + '|' +
           (per_node ? std::to_string(*per_node) : "");
}

}  // namespace

ClusterChoice Catalogue::cluster(std::string_view name, std::int64_t accelerators,
                                 std::optional<std::int64_t> per_node) const {
    return state_->nodes.get(cluster_key(name, "", accelerators, per_node),
                             [&] { return new_cluster(name, accelerators, per_node); });
}

std::string Catalogue::node_of(const std::string& usual, const std::vector<std::string>& others,
                               std::optional<std::int64_t> per_node) const {
    const ClusterRecord record = cluster_record(usual);
    if (!per_node || *per_node == record.per_node)
        return usual;
    std::string found;
    for (const std::string& id : others) {
        const ClusterRecord other = cluster_record(id);
        if (other.per_node != *per_node || other.kind != record.kind)
            continue;
        if (!found.empty())
            return usual;
        found = id;
    }
    return found.empty() ? usual : found;
}

ClusterChoice Catalogue::new_cluster(std::string_view name, std::int64_t accelerators,
                                     std::optional<std::int64_t> per_node) const {
    if (find(Room::clusters, name)) {
        const ClusterRecord record = cluster_record(name);
        if (!record.accelerator) {
            throw Error(ErrorKind::input, "cluster '" + record.id + "' is for any accelerator; name one");
        }
        return cluster(name, *record.accelerator, accelerators, per_node);
    }
    if (!find(Room::accelerators, name)) {
        throw Error(
            ErrorKind::not_found, "unknown cluster or accelerator '" + std::string(name) + "'" + [&] {
                std::vector<std::string> names;
                for (const Room room : {Room::accelerators, Room::clusters}) {
                    for (const CatalogueEntry& entry : entries(room)) {
                        names.push_back(entry.id);
                        names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
                    }
                }
                return did_you_mean(name, names);
            }());
    }
    const JsonDocument raw = document(Room::accelerators, name);
    const JsonValue* usual = raw.root.find("default_cluster");
    const std::string usual_node = usual != nullptr ? JsonNode(raw, *usual).string() : "generic-8";
    const std::string node = node_of(usual_node, clusters_with(name), per_node);
    ClusterChoice choice = cluster(node, name, accelerators, per_node);
    const std::string& id = choice.spec.accelerator.id;
    const std::string why = node == usual_node ? "the usual node for " + id
                                               : "a node of " + std::to_string(*per_node) + " " + id +
                                                     " instead of the usual " + usual_node;
    choice.assumptions.insert(choice.assumptions.begin(),
                              "cluster: " + node + ", " + why + ": " + describe(choice.spec));
    return choice;
}

ClusterChoice Catalogue::cluster(std::string_view name, std::string_view accelerator_name,
                                 std::int64_t accelerators, std::optional<std::int64_t> per_node) const {
    if (accelerators < 1) {
        throw Error(ErrorKind::input,
                    "the number of accelerators is " + std::to_string(accelerators) + "; must be at least 1");
    }
    if (per_node && *per_node < 1) {
        throw Error(ErrorKind::input, "the number of accelerators per node is " + std::to_string(*per_node) +
                                          "; must be at least 1");
    }
    return state_->mixed.get(cluster_key(name, accelerator_name, accelerators, per_node), [&] {
        const ClusterRecord record = cluster_record(name);
        return build_cluster(record, accelerator(accelerator_name), prices(record.id), accelerators, per_node,
                             bench());
    });
}

std::span<const EmbeddedFile> Catalogue::bench() const {
    std::call_once(state_->bench_read, [&] { state_->read_bench(); });
    return state_->bench;
}

std::string Catalogue::source_title(std::string_view key) const {
    const EmbeddedFile* file = io::embedded_file("sources", "sources");
    std::vector<JsonDocument> documents = {parse_json(file->text, "sources/sources.json")};
    if (const std::string own = state_->folder + "/sources/sources.json";
        !state_->folder.empty() && std::filesystem::exists(own)) {
        documents.insert(documents.begin(), read_json_file(own));
    }
    for (const JsonDocument& document : documents) {
        JsonObject object((JsonNode(document)));
        object.skip("schema");
        object.skip("id");
        const JsonObject titles(object.at("titles"));
        object.finish();
        if (const JsonValue* title = titles.node().value().find(key)) {
            return JsonNode(document, *title).string();
        }
    }
    return std::string(key);
}

std::string canonical_name(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool gap = c == ' ' || c == '_' || c == '\t';
        if (!gap) {
            out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        } else if (!out.empty() && out.back() != '-') {
            out += '-';
        }
    }
    while (!out.empty() && out.back() == '-') {
        out.pop_back();
    }
    return out;
}

}  // namespace traincost
