#include "traincost/io/catalogue_state.hpp"

#include <algorithm>
#include <filesystem>

#include "traincost/base/meant_names.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/stack_releases.hpp"

namespace traincost {

using io::rooms;
using io::singular;
using io::Source;

namespace {

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

/// A stack's releases, as records that stand where the stack's does.
void add_releases(const JsonDocument& stack, const Source& record, std::vector<Source>& sources) {
    for (const io::StackRelease& release : io::releases_of(stack)) {
        std::erase_if(sources, [&](const Source& other) { return other.id == release.id; });
        sources.push_back({.id = release.id,
                           .aliases = release.aliases,
                           .text = record.text,
                           .path = record.path,
                           .release = release.name});
    }
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

}  // namespace

const EmbeddedFile* io::embedded_file(std::string_view room, std::string_view id) {
    const auto files = embedded_room(room);
    const auto found =
        std::lower_bound(files.begin(), files.end(), id,
                         [](const EmbeddedFile& file, std::string_view x) { return file.id < x; });
    return found != files.end() && found->id == id ? &*found : nullptr;
}

std::string Catalogue::State::override_path(Room room, std::string_view id) const {
    return folder + "/" + std::string(rooms[static_cast<std::size_t>(room)]) + "/" + std::string(id) +
           ".json";
}

namespace {

/// Puts a user's record in the place of what has its id; `source` is without id and aliases.
void override_with(const JsonDocument& document, Room room, Source source, std::vector<Source>& sources) {
    JsonObject object((JsonNode(document)));
    source.id = object.at("id").string();
    if (const auto aliases = object.find("aliases")) {
        source.aliases = aliases->strings();
    }
    std::erase_if(sources, [&](const Source& other) { return other.id == source.id; });
    if (room == Room::stacks) {
        add_releases(document, source, sources);
    }
    sources.push_back(std::move(source));
}

/// The room whose records have the schema of the document.
Room room_of(const JsonDocument& document) {
    constexpr std::array<std::string_view, rooms.size()> schemas = {"accelerator/1", "cluster/1", "model/1",
                                                                    "stack/2", "prices/1"};
    return static_cast<Room>(JsonObject((JsonNode(document))).at("schema").one_of(schemas));
}

}  // namespace

void Catalogue::State::add_record(const RecordText& record) {
    const JsonDocument document = parse_json(record.text, record.name);
    const Room room = room_of(document);
    const JsonNode id = JsonObject((JsonNode(document))).at("id");
    if (id.string().empty() || id.string() != canonical_name(id.string())) {
        id.fail("'" + id.string() + "'; must be a name in lower case without spaces" +
                (id.string().empty() ? "" : ", '" + canonical_name(id.string()) + "'"));
    }
    for (const auto& [other_room, other] : records) {
        const JsonDocument before = parse_json(other.text, other.name);
        if (other_room == room && JsonObject((JsonNode(before))).at("id").string() == id.string()) {
            id.fail("'" + id.string() + "'; already the id of " + other.name);
        }
    }
    records.emplace_back(room, record);
}

void Catalogue::State::add_overrides(Room room, std::vector<Source>& sources) const {
    for (const std::string& file : json_files(folder, rooms[static_cast<std::size_t>(room)])) {
        const std::string name = std::filesystem::path(file).stem().string();
        if (name != canonical_name(name)) {
            throw Error(ErrorKind::input, file + ": a record's file is named by its id in lower case, '" +
                                              canonical_name(name) + ".json'");
        }
        const JsonDocument document = read_json_file(file);
        if (const JsonNode id = JsonObject((JsonNode(document))).at("id"); id.string() != name) {
            id.fail("'" + id.string() + "'; must be the file's name, '" + name + "'");
        }
        override_with(document, room, {.id = {}, .aliases = {}, .text = {}, .path = file, .release = {}},
                      sources);
    }
    for (const auto& [own_room, record] : records) {
        if (own_room == room) {
            override_with(parse_json(record.text, record.name), room,
                          {.id = {}, .aliases = {}, .text = record.text, .path = record.name, .release = {}},
                          sources);
        }
    }
}

void Catalogue::State::read_bench() {
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

const std::vector<Source>& Catalogue::State::sources(Room room) {
    const auto i = static_cast<std::size_t>(room);
    std::call_once(indexed[i], [&] {
        std::vector<Source> all;
        for (const EmbeddedFile& file : embedded_room(rooms[i])) {
            all.push_back({.id = std::string(file.id),
                           .aliases = scan_aliases(file.text),
                           .text = file.text,
                           .path = {},
                           .release = {}});
            constexpr std::string_view releases = "\"releases\": [";
            if (room == Room::stacks && file.text.find(releases) != std::string_view::npos) {
                const Source stack = all.back();
                add_releases(parse(room, stack), stack, all);
            }
        }
        add_overrides(room, all);
        std::sort(all.begin(), all.end(), [](const Source& a, const Source& b) { return a.id < b.id; });
        index[i] = std::move(all);
    });
    return index[i];
}

namespace {

/// The name of a device without the first of the words that a vendor puts before it; itself where there is
/// none.
std::string without_vendor(const std::string& canonical) {
    for (const std::string_view word :
         {"nvidia-", "amd-", "intel-", "huawei-", "google-", "geforce-", "tesla-", "quadro-", "instinct-"}) {
        if (canonical.starts_with(word))
            return canonical.substr(word.size());
    }
    return canonical;
}

}  // namespace

std::optional<Source> Catalogue::State::source(Room room, std::string_view name) {
    const std::string canonical = canonical_name(name);
    if (folder.empty() && records.empty()) {
        if (const EmbeddedFile* file = io::embedded_file(rooms[static_cast<std::size_t>(room)], canonical)) {
            return Source{.id = canonical, .aliases = {}, .text = file->text, .path = {}, .release = {}};
        }
    }
    const Source* found = nullptr;
    for (const Source& candidate : sources(room)) {
        if (candidate.id == canonical) {
            return candidate;
        }
        const bool alias = std::any_of(candidate.aliases.begin(), candidate.aliases.end(),
                                       [&](const std::string& a) { return canonical_name(a) == canonical; });
        if (alias && (found == nullptr || found->path.empty())) {
            found = &candidate;
        }
    }
    const std::size_t at = canonical.find('@');
    if (found == nullptr && room == Room::stacks && at != std::string::npos) {
        // an alias of the stack before its release
        const auto stack = source(room, canonical.substr(0, at));
        if (stack && stack->id != canonical.substr(0, at)) {
            return source(room, stack->id + canonical.substr(at));
        }
    }
    if (found == nullptr && room == Room::accelerators) {
        // as drivers name a device: "NVIDIA GeForce RTX 4090", "AMD Instinct MI300X"
        const std::string bare = without_vendor(canonical);
        return bare != canonical ? source(room, bare) : std::nullopt;
    }
    return found != nullptr ? std::optional(*found) : std::nullopt;
}

Source Catalogue::State::require(Room room, std::string_view name) {
    if (auto found = source(room, name)) {
        return *found;
    }
    std::vector<std::string> names;
    std::vector<std::string> ids;
    for (const Source& candidate : sources(room)) {
        ids.push_back(candidate.id);
        names.push_back(candidate.id);
        names.insert(names.end(), candidate.aliases.begin(), candidate.aliases.end());
    }
    const auto i = static_cast<std::size_t>(room);
    const std::size_t at = name.find('@');
    if (const auto stack = source(room, name.substr(0, at)); at != std::string_view::npos && stack) {
        std::string releases;
        for (const Source& candidate : sources(room)) {
            if (candidate.id.starts_with(stack->id + '@'))
                releases += (releases.empty() ? "" : ", ") + candidate.release;
        }
        throw Error(ErrorKind::not_found,
                    "unknown release '" + std::string(name.substr(at + 1)) + "' of " + stack->id +
                        (releases.empty() ? ", which has none" : "; allowed: " + releases));
    }
    std::string suggestion = meant_by_part(name, ids, "traincost list " + std::string(rooms[i]));
    if (suggestion.empty()) {
        suggestion = did_you_mean(name, names);
    }
    if (suggestion.empty()) {
        suggestion = "; 'traincost list " + std::string(rooms[i]) + "' names them all";
    }
    throw Error(ErrorKind::not_found,
                "unknown " + std::string(singular[i]) + " '" + std::string(name) + "'" + suggestion);
}

JsonDocument Catalogue::State::parse(Room room, const Source& source) {
    const std::string file = source.id.substr(0, source.id.find('@'));
    const std::string built_in = std::string(rooms[static_cast<std::size_t>(room)]) + "/" + file + ".json";
    JsonDocument record = source.text.empty()
                              ? read_json_file(source.path)
                              : parse_json(source.text, source.path.empty() ? built_in : source.path);
    return source.release.empty() ? record : io::release_record(record, source.release);
}

}  // namespace traincost
