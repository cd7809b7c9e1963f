// The catalogue: the records built into the library, and a folder of records that override them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/io/embedded.hpp"
#include "traincost/io/json.hpp"
#include "traincost/io/specs/cluster_json.hpp"
#include "traincost/io/specs/model_json.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/cluster.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// The kinds of record people ask for by name; each is a folder of the data.
enum class Room : std::uint8_t { accelerators, clusters, models, stacks, prices };

/// The folder names, in the order of `Room`.
std::span<const std::string_view> room_names();

/// "accelerator", "cluster", "model", "stack", "price list": one record of the room, in words.
std::string_view record_name(Room room);

/// One name a room knows.
struct CatalogueEntry {
    std::string id;
    std::vector<std::string> aliases;
    bool overridden;  ///< comes from the user's folder
};

/// A cluster made for a job, and what was assumed to make it, one line each.
struct ClusterChoice {
    ClusterSpec spec;
    std::vector<std::string> assumptions;
};

/// A record that is in no folder; its schema says the room.
struct RecordText {
    std::string name;  ///< what messages call it
    std::string text;
    bool operator==(const RecordText&) const = default;
};

/// Look-up by id or alias. Case, spaces and underscores don't matter ("A100 80GB PCIe" is "a100-80gb-pcie").
/// An override record replaces the built-in one of its id, and its names win over built-in aliases. Only
/// records asked for are parsed; what was parsed is kept. Safe to use from several threads.
class Catalogue {
public:
    /// The built-in records, overridden by `folder`/ROOM/ID.json where `folder` is not empty. `Error` of kind
    /// input where the folder is missing or has a sub-folder that is no room.
    explicit Catalogue(std::string folder = {});
    /// The same with `records` over them all. `Error` of kind input where one has no schema of a room, no id
    /// in lower case, or the id of another.
    Catalogue(std::string folder, const std::vector<RecordText>& records);
    ~Catalogue();
    Catalogue(Catalogue&&) noexcept;
    Catalogue& operator=(Catalogue&&) noexcept;

    /// Every record of the room, by id.
    std::vector<CatalogueEntry> entries(Room room) const;
    /// The id that `name` stands for, or nothing.
    std::optional<std::string> find(Room room, std::string_view name) const;
    /// The id that `name` stands for; `Error` of kind not_found that suggests the nearest.
    std::string id(Room room, std::string_view name) const;
    /// The record as it is written; a stack's without its base.
    JsonDocument document(Room room, std::string_view name) const;

    ModelSpec model(std::string_view name) const;
    ModelRecord model_record(std::string_view name) const;
    AcceleratorSpec accelerator(std::string_view name) const;
    ClusterRecord cluster_record(std::string_view name) const;
    /// The node types that hold the accelerator, by id.
    std::vector<std::string> clusters_with(std::string_view accelerator) const;
    StackSpec stack(std::string_view name) const;
    /// A stack of a document that is not in the catalogue, over the base it names.
    StackSpec stack_from(const JsonDocument& document) const;
    /// The stack that a stack's record is written over; nothing where it is written over none.
    std::optional<StackSpec> base_of_stack(std::string_view name) const;
    /// A stack's record with its base laid under it.
    JsonDocument stack_document(std::string_view name) const;
    /// Prices of a node type; none where none is known.
    std::vector<NodePrice> prices(std::string_view cluster) const;

    /// A cluster of `accelerators`: `name` is a node type, or an accelerator, which then gets its usual node.
    /// `per_node` overrides the record's.
    ClusterChoice cluster(std::string_view name, std::int64_t accelerators,
                          std::optional<std::int64_t> per_node = std::nullopt) const;
    /// The same where a node type and an accelerator are both named: that node with that accelerator.
    ClusterChoice cluster(std::string_view name, std::string_view accelerator, std::int64_t accelerators,
                          std::optional<std::int64_t> per_node = std::nullopt) const;

    /// Measured curves of links and kernels: the built-in files, replaced or joined by the folder's
    /// bench/ID.json.
    std::span<const EmbeddedFile> bench() const;

    /// The full title of a source key; the text itself where it is no key.
    std::string source_title(std::string_view key) const;

private:
    /// The usual node, or the one of `others` that has `per_node` accelerators where it is alone of its kind.
    std::string node_of(const std::string& usual, const std::vector<std::string>& others,
                        std::optional<std::int64_t> per_node) const;
    ClusterChoice new_cluster(std::string_view name, std::int64_t accelerators,
                              std::optional<std::int64_t> per_node) const;

    struct State;
    std::unique_ptr<State> state_;
};

/// A name as the catalogue compares it: lower case, spaces and underscores as hyphens.
std::string canonical_name(std::string_view name);

}  // namespace traincost
