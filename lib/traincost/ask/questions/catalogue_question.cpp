#include "traincost/ask/questions/catalogue_question.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/base/meant_names.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

struct FoundRecord {
    Room room;
    std::string id;
};

/// The record `name` stands for: in the room asked for, else in the only room that knows it.
FoundRecord find_record(const Catalogue& catalogue, const ShowQuestion& options) {
    if (!options.kind.empty()) {
        const Room room = room_from(options.kind);
        return {room, catalogue.id(room, options.name)};
    }
    std::vector<FoundRecord> found;
    std::vector<std::string> ids, names;
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
        for (const FoundRecord& f : found) {
            all += (all.empty() ? "" : " and ") + ("the " + std::string(record_name(f.room))) + " '" + f.id +
                   "'";
        }
        throw Error(ErrorKind::usage, "'" + options.name + "' is " + all + "; choose with --kind");
    }
    for (const Room room : {Room::models, Room::accelerators, Room::clusters, Room::stacks}) {
        for (const CatalogueEntry& entry : catalogue.entries(room)) {
            ids.push_back(entry.id);
            names.push_back(entry.id);
            names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
        }
    }
    const std::string parts = meant_by_part(options.name, ids, "traincost list");
    const std::string suggestion = parts.empty() ? did_you_mean(options.name, names) : parts;
    throw Error(ErrorKind::not_found, "no record named '" + options.name + "'" +
                                          (suggestion.empty() ? "; see 'traincost list'" : suggestion));
}

bool contains_ignoring_case(const std::string& text, const std::string& wanted) {
    return canonical_name(text).find(canonical_name(wanted)) != std::string::npos;
}

bool wanted(const CatalogueEntry& entry, const std::string& filter) {
    return contains_ignoring_case(entry.id, filter) ||
           std::any_of(entry.aliases.begin(), entry.aliases.end(),
                       [&](const std::string& alias) { return contains_ignoring_case(alias, filter); });
}

std::vector<Room> all_rooms() {
    std::vector<Room> rooms;
    for (std::size_t i = 0; i < room_names().size(); ++i) {
        rooms.push_back(static_cast<Room>(i));
    }
    return rooms;
}

std::optional<Room> find_room(const std::string& name) {
    for (const Room room : all_rooms()) {
        if (name == room_names()[static_cast<std::size_t>(room)] || name == record_name(room)) {
            return room;
        }
    }
    constexpr std::pair<std::string_view, Room> other_names[] = {{"gpu", Room::accelerators},
                                                                 {"gpus", Room::accelerators},
                                                                 {"nodes", Room::clusters},
                                                                 {"frameworks", Room::stacks}};
    for (const auto& [other, room] : other_names) {
        if (name == other) {
            return room;
        }
    }
    return std::nullopt;
}

std::string unknown_kind(const std::string& name) {
    std::string all;
    for (const std::string_view known : room_names()) {
        all += (all.empty() ? "" : ", ") + std::string(known);
    }
    return "unknown kind of record '" + name + "'; allowed: " + all;
}

/// Where the word for a kind is a part of names instead, the error says which flag it is for.
std::vector<Room> asked_rooms(const ListQuestion& question, const Catalogue& catalogue) {
    if (question.kind.empty()) {
        return all_rooms();
    }
    if (const std::optional<Room> room = find_room(question.kind)) {
        return {*room};
    }
    const std::string near = did_you_mean(question.kind, room_names());
    const std::vector<Room> rooms = all_rooms();
    const bool named = std::any_of(rooms.begin(), rooms.end(), [&](Room room) {
        const auto entries = catalogue.entries(room);
        return std::any_of(entries.begin(), entries.end(),
                           [&](const CatalogueEntry& entry) { return wanted(entry, question.kind); });
    });
    const bool filter = near.empty() && named && question.filter.empty();
    throw Error(ErrorKind::usage, unknown_kind(question.kind) +
                                      (filter ? "; did you mean --filter '" + question.kind + "'?" : near));
}

}  // namespace

Room room_from(const std::string& name) {
    if (const std::optional<Room> room = find_room(name)) {
        return *room;
    }
    throw Error(ErrorKind::usage, unknown_kind(name) + did_you_mean(name, room_names()));
}

bool ListAnswer::yes() const {
    return std::any_of(rooms.begin(), rooms.end(), [](const ListedRoom& r) { return !r.entries.empty(); });
}

ListAnswer ask(const ListQuestion& question, const Sources& sources) {
    ListAnswer answer{.question = question, .rooms = {}};
    for (const Room room : asked_rooms(question, sources.catalogue())) {
        ListedRoom& listed = answer.rooms.emplace_back(ListedRoom{room, {}});
        for (const CatalogueEntry& entry : sources.catalogue().entries(room)) {
            if (wanted(entry, question.filter)) {
                listed.entries.push_back(entry);
            }
        }
    }
    return answer;
}

std::string nothing_listed_text(const ListAnswer& answer) {
    return "no record" + (answer.question.kind.empty() ? "" : " of " + answer.question.kind) + " has '" +
           answer.question.filter + "' in its names";
}

ShowAnswer ask(const ShowQuestion& question, const Sources& sources) {
    const Catalogue& catalogue = sources.catalogue();
    const FoundRecord found = find_record(catalogue, question);
    ShowAnswer answer{found.room, found.id,
                      found.room == Room::stacks ? catalogue.stack_document(found.id)
                                                 : catalogue.document(found.room, found.id)};
    if (found.room == Room::clusters) {
        answer.prices = catalogue.prices(found.id);
    }
    return answer;
}

std::vector<std::string> ids_of_kind(const std::string& kind, const Sources& sources) {
    const bool all = kind == "all";
    const Room only = all ? Room::models : room_from(kind);
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < room_names().size(); ++i) {
        if (all ? Room(i) == Room::prices : Room(i) != only) {
            continue;
        }
        for (const CatalogueEntry& entry : sources.catalogue().entries(Room(i))) {
            ids.push_back(entry.id);
        }
    }
    return ids;
}

}  // namespace traincost
