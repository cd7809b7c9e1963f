// Accelerators that draw less, or more, than their rated power.
#pragma once

#include "traincost/spec/cluster.hpp"

namespace traincost {

/// Sets the power limit of each accelerator of `cluster`, in W, in place of its rated power: long products
/// and attention run at other clocks (docs/model.md), and the node draws as much less. False, and nothing
/// changed, where the rated power is not known.
bool limit_power(ClusterSpec& cluster, double watts);

}  // namespace traincost
