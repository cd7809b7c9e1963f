// `list` and `show`: the records of the catalogue.
#pragma once

#include <string>
#include <vector>

#include "traincost/ask/sources.hpp"
#include "traincost/io/catalogue.hpp"

namespace traincost {

/// The room called so, in the plural or the singular: "models", "model". `Error` of kind usage with all
/// names.
Room room_from(const std::string& name);

struct ListQuestion {
    std::string kind{};    ///< of records; empty: all
    std::string filter{};  ///< what an id or alias must contain; empty: anything
};

/// The records of one kind that were asked for.
struct ListedRoom {
    Room room;
    std::vector<CatalogueEntry> entries;
};

struct ListAnswer {
    ListQuestion question;
    std::vector<ListedRoom> rooms;  ///< every kind asked for, also those without a record

    /// Whether any record is listed.
    bool yes() const;
};

/// `Error` of kind usage for an unknown kind.
ListAnswer ask(const ListQuestion& question, const Sources& sources);

/// Why nothing is listed.
std::string nothing_listed_text(const ListAnswer& answer);

/// The ids of the records of a kind; of "all" those of every kind but prices. `Error` as of `room_from`.
std::vector<std::string> ids_of_kind(const std::string& kind, const Sources& sources);

struct ShowQuestion {
    std::string name;    ///< id, alias or repository
    std::string kind{};  ///< where the name alone is ambiguous
};

struct ShowAnswer {
    Room room;
    std::string id;
    JsonDocument document;            ///< the record, a stack's with what it stands on
    std::vector<NodePrice> prices{};  ///< of a cluster's node
};

/// `Error` where no record or more than one is called so.
ShowAnswer ask(const ShowQuestion& question, const Sources& sources);

}  // namespace traincost
