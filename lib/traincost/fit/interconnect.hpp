// The fabric between nodes, as the words of a run record name it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// A fabric and what it gives a node.
struct StatedFabric {
    std::string name;                    ///< "IB NDR", "Omni-Path", "EFA": as link data is named
    std::optional<ByteRate> per_node{};  ///< one way, all cards of a node together; absent: not stated
    std::optional<std::int64_t> nics{};  ///< cards of a node, where they are counted
    bool operator==(const StatedFabric&) const = default;
};

/// The fabric that words like "NVLink3 + 8x HDR 200Gb/s IB per VM", "4 x 100Gb RoCE per node" or "RoCE 1600
/// Gbps/node" state, for nodes of `per_node` accelerators; storage and management networks are passed over.
/// Without a rate only EFA and Omni-Path are believed, as no other network of a node has these names.
/// Nothing where no fabric is stated, or the run stays in one node.
std::optional<StatedFabric> fabric_from_words(std::string_view words, std::int64_t per_node);

}  // namespace traincost
