#include "traincost/io/catalogue.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <list>
#include <map>
#include <mutex>

#include "traincost/base/text.hpp"
#include "traincost/io/accelerator_json.hpp"
#include "traincost/io/cluster_build.hpp"
#include "traincost/io/embedded.hpp"
#include "traincost/io/stack_json.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, 5> rooms = {"accelerators", "clusters", "models", "stacks", "prices"};
/// Every folder of the data: the rooms, the titles of sources, and measured curves.
constexpr std::array<std::string_view, 7> folders = {"accelerators", "clusters", "models", "stacks",
                                                     "prices",       "sources",  "bench"};
constexpr std::array<std::string_view, 5> singular = {"accelerator", "cluster", "model", "stack",
                                                      "price list"};
/// Longest chain of stacks that stand on one another.
constexpr int longest_base_chain = 8;

std::span<const EmbeddedFile> embedded_room(std::string_view room) {
    const auto files = embedded_files();
    const auto by_room = [](const auto& a, const auto& b) {
        if constexpr (std::same_as<std::decay_t<decltype(a)>, EmbeddedFile>) {
            return a.room < b;
        } else {
            return a < b.room;
        }
    };
    const auto first = std::lower_bound(files.begin(), files.end(), room, by_room);
    const auto last = std::upper_bound(first, files.end(), room, by_room);
    return {first, last};
}

const EmbeddedFile* embedded_file(std::string_view room, std::string_view id) {
    const auto files = embedded_room(room);
    const auto found =
        std::lower_bound(files.begin(), files.end(), id,
                         [](const EmbeddedFile& file, std::string_view x) { return file.id < x; });
    return found != files.end() && found->id == id ? &*found : nullptr;
}

/// The strings of the "aliases" array near the top of a built-in record, without parsing it. The tests hold
/// this against the parser for every record.
std::vector<std::string> scan_aliases(std::string_view text) {
    std::vector<std::string> aliases;
    constexpr std::string_view key = "\"aliases\": [";
    const std::size_t begin = text.find(key);
    if (begin == std::string_view::npos) {
        return aliases;
    }
    std::size_t at = begin + key.size();
    while (at < text.size() && text[at] != ']') {
        if (text[at] == '"') {
            const std::size_t end = text.find('"', at + 1);
            aliases.emplace_back(text.substr(at + 1, end - at - 1));
            at = end;
        }
        ++at;
    }
    return aliases;
}

/// The JSON files of a room of the user's folder, in order; none where there is no such folder.
std::vector<std::string> json_files(const std::string& folder, std::string_view room) {
    std::vector<std::string> files;
    const std::filesystem::path path = std::filesystem::path(folder) / room;
    if (folder.empty() || !std::filesystem::is_directory(path)) {
        return files;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
        if (entry.path().extension() == ".json") {
            files.push_back(entry.path().string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// What was parsed or built, by name; forgotten as a whole where it grows too large.
template <class T>
class Cache {
public:
    template <class Make>
    T get(const std::string& key, const Make& make) {
        {
            const std::lock_guard lock(mutex_);
            if (const auto found = values_.find(key); found != values_.end()) {
                return found->second;
            }
        }
        T value = make();
        const std::lock_guard lock(mutex_);
        if (values_.size() >= most)
            values_.clear();
        return values_.emplace(key, std::move(value)).first->second;
    }

private:
    static constexpr std::size_t most = 512;

    std::mutex mutex_;
    std::map<std::string, T> values_;
};

/// A record of a room before it is parsed: built-in text, or a user's file.
struct Source {
    std::string id;
    std::vector<std::string> aliases;
    std::string_view text;
    std::string path;  ///< of an override
};

}  // namespace

struct Catalogue::State {
    std::string folder;
    std::array<std::once_flag, rooms.size()> indexed;
    std::array<std::vector<Source>, rooms.size()> index;
    Cache<ModelRecord> models;
    Cache<AcceleratorSpec> accelerators;
    Cache<StackSpec> stacks;
    Cache<ClusterRecord> clusters;
    Cache<ClusterChoice> nodes;               ///< by node type or accelerator, count and accelerators a node
    Cache<std::vector<std::string>> holders;  ///< node types, by accelerator
    Cache<ClusterChoice> mixed;               ///< by node type, accelerator, count and accelerators a node

    std::once_flag bench_read;
    std::list<std::pair<std::string, std::string>> own_bench;  ///< ids and texts that `bench` points to
    std::vector<EmbeddedFile> bench;

    std::string override_path(Room room, std::string_view id) const {
        return folder + "/" + std::string(rooms[static_cast<std::size_t>(room)]) + "/" + std::string(id) +
               ".json";
    }

    void add_overrides(Room room, std::vector<Source>& sources) const {
        for (const std::string& file : json_files(folder, rooms[static_cast<std::size_t>(room)])) {
            Source source{
                .id = std::filesystem::path(file).stem().string(), .aliases = {}, .text = {}, .path = file};
            if (source.id != canonical_name(source.id)) {
                throw Error(ErrorKind::input, file + ": a record's file is named by its id in lower case, '" +
                                                  canonical_name(source.id) + ".json'");
            }
            const JsonDocument document = read_json_file(file);
            JsonObject object((JsonNode(document)));
            if (const JsonNode id = object.at("id"); id.string() != source.id) {
                id.fail("is '" + id.string() + "', must be the file's name, '" + source.id + "'");
            }
            if (const auto aliases = object.find("aliases")) {
                source.aliases = aliases->strings();
            }
            std::erase_if(sources, [&](const Source& other) { return other.id == source.id; });
            sources.push_back(std::move(source));
        }
    }

    /// The built-in files with the folder's own, in order of their names.
    void read_bench() {
        constexpr std::string_view room = "bench";
        const auto built_in = embedded_room(room);
        bench.assign(built_in.begin(), built_in.end());
        for (const std::string& file : json_files(folder, room)) {
            own_bench.push_back({std::filesystem::path(file).stem().string(), read_text_file(file)});
        }
        for (const auto& [id, text] : own_bench) {
            std::erase_if(bench, [&name = id](const EmbeddedFile& other) { return other.id == name; });
            bench.push_back({.room = room, .id = id, .text = text});
        }
        std::sort(bench.begin(), bench.end(),
                  [](const EmbeddedFile& a, const EmbeddedFile& b) { return a.id < b.id; });
    }

    const std::vector<Source>& sources(Room room) {
        const auto i = static_cast<std::size_t>(room);
        std::call_once(indexed[i], [&] {
            std::vector<Source> all;
            for (const EmbeddedFile& file : embedded_room(rooms[i])) {
                all.push_back({.id = std::string(file.id),
                               .aliases = scan_aliases(file.text),
                               .text = file.text,
                               .path = {}});
            }
            add_overrides(room, all);
            std::sort(all.begin(), all.end(), [](const Source& a, const Source& b) { return a.id < b.id; });
            index[i] = std::move(all);
        });
        return index[i];
    }

    std::optional<Source> source(Room room, std::string_view name) {
        const std::string canonical = canonical_name(name);
        if (folder.empty()) {
            if (const EmbeddedFile* file = embedded_file(rooms[static_cast<std::size_t>(room)], canonical)) {
                return Source{.id = canonical, .aliases = {}, .text = file->text, .path = {}};
            }
        }
        const Source* found = nullptr;
        for (const Source& candidate : sources(room)) {
            if (candidate.id == canonical) {
                return candidate;
            }
            const bool alias =
                std::any_of(candidate.aliases.begin(), candidate.aliases.end(),
                            [&](const std::string& a) { return canonical_name(a) == canonical; });
            if (alias && (found == nullptr || found->path.empty())) {
                found = &candidate;
            }
        }
        return found != nullptr ? std::optional(*found) : std::nullopt;
    }

    Source require(Room room, std::string_view name) {
        if (auto found = source(room, name)) {
            return *found;
        }
        std::vector<std::string> names;
        for (const Source& candidate : sources(room)) {
            names.push_back(candidate.id);
            names.insert(names.end(), candidate.aliases.begin(), candidate.aliases.end());
        }
        const auto i = static_cast<std::size_t>(room);
        std::string suggestion = did_you_mean(name, names);
        if (suggestion.empty()) {
            suggestion = "; 'traincost list " + std::string(rooms[i]) + "' names them all";
        }
        throw Error(ErrorKind::not_found,
                    "unknown " + std::string(singular[i]) + " '" + std::string(name) + "'" + suggestion);
    }

    static JsonDocument parse(Room room, const Source& source) {
        if (!source.path.empty()) {
            return read_json_file(source.path);
        }
        return parse_json(source.text,
                          std::string(rooms[static_cast<std::size_t>(room)]) + "/" + source.id + ".json");
    }
};

Catalogue::Catalogue(std::string folder) : state_(std::make_unique<State>()) {
    state_->folder = std::move(folder);
    if (state_->folder.empty()) {
        return;
    }
    if (!std::filesystem::is_directory(state_->folder)) {
        throw Error(ErrorKind::input,
                    state_->folder + ": is not a folder; the folder of override records is expected");
    }
    for (const auto& entry : std::filesystem::directory_iterator(state_->folder)) {
        const std::string name = entry.path().filename().string();
        const bool known = std::find(folders.begin(), folders.end(), name) != folders.end();
        if (entry.is_directory() && !name.starts_with('.') && !known) {
            throw Error(ErrorKind::input,
                        entry.path().string() +
                            ": is no kind of record; folders are accelerators, clusters, models, "
                            "stacks, prices, sources, bench" +
                            did_you_mean(name, folders));
        }
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
            base_name.fail("stands on more than " + std::to_string(longest_base_chain) +
                           " other stacks, or on itself");
        }
        JsonDocument below = catalogue.document(Room::stacks, base_name.string());
        std::erase_if(std::get<JsonValue::Object>(merged.root.data),
                      [](const JsonMember& m) { return m.key == "base"; });
        for (const char* personal : {"aliases", "notes"}) {
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
    const std::string node = usual != nullptr ? JsonNode(raw, *usual).string() : "generic-8";
    ClusterChoice choice = cluster(node, name, accelerators, per_node);
    choice.assumptions.insert(choice.assumptions.begin(), "cluster: nodes taken as " + describe(choice.spec) +
                                                              " (" + node + "), the usual node of " +
                                                              choice.spec.accelerator.id);
    return choice;
}

ClusterChoice Catalogue::cluster(std::string_view name, std::string_view accelerator_name,
                                 std::int64_t accelerators, std::optional<std::int64_t> per_node) const {
    if (accelerators < 1) {
        throw Error(ErrorKind::input,
                    "the number of accelerators is " + std::to_string(accelerators) + ", must be at least 1");
    }
    if (per_node && *per_node < 1) {
        throw Error(ErrorKind::input,
                    "the accelerators a node are " + std::to_string(*per_node) + ", must be at least 1");
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
    const EmbeddedFile* file = embedded_file("sources", "sources");
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
