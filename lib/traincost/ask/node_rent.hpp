// What an hour of an accelerator costs where nobody lets its usual node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "traincost/io/catalogue.hpp"

namespace traincost {

/// Where only an accelerator is named: its usual node stays if it has an hourly price of `kind` (any where
/// none is named), else the cheapest node with that accelerator that has one takes its place, and an
/// assumption says so. `per_node`: accelerators a node, where they are not the node's own.
void take_rented_node(const std::optional<std::string>& kind, std::optional<std::int64_t> per_node,
                      const Catalogue& catalogue, ClusterChoice& choice);

/// Where only an accelerator is named, no price is asked for and its usual node has none: the node stays and
/// gets the hourly prices of the other nodes with that accelerator, those on demand first and the cheapest of
/// them before the others; an assumption says whose the first is. Whether it got any.
bool take_rent_of_other_nodes(std::optional<std::int64_t> per_node, const Catalogue& catalogue,
                              ClusterChoice& choice);

}  // namespace traincost
