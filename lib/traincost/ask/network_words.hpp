// What is said of a cluster's network in place of the catalogue's.
#pragma once

#include "traincost/ask/assumption.hpp"
#include "traincost/spec/cluster.hpp"
#include "traincost/spec/operation.hpp"

namespace traincost {

/// Changes the cluster's network to what `words` say of it, and says so. `Error` of kind usage where the
/// cluster has no network between nodes to change, or a figure is beyond any network's.
void apply_network(const Operation& words, ClusterSpec& cluster, Assumptions& out);

}  // namespace traincost
