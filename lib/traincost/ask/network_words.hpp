// What is said of a cluster's network in place of the catalogue's.
#pragma once

#include <optional>

#include "traincost/ask/resolve.hpp"

namespace traincost {

/// Nothing where it was not said.
struct NetworkWords {
    std::optional<double> bus_GBps{};            ///< of an accelerator in its node, one direction
    std::optional<double> network_Gbps{};        ///< of a node
    std::optional<double> bus_latency_us{};      ///< of one step of a collective inside a node
    std::optional<double> network_latency_us{};  ///< and between nodes
};

/// Changes the job's network, and says so among its assumptions. `Error` of kind usage where the cluster has
/// no network between nodes to change, or a figure is beyond any network's.
void apply_network(const NetworkWords& words, ResolvedJob& resolved);

}  // namespace traincost
