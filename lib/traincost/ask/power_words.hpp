// What is said of an accelerator's power in place of the catalogue's.
#pragma once

#include "traincost/ask/assumption.hpp"
#include "traincost/spec/cluster.hpp"
#include "traincost/spec/operation.hpp"

namespace traincost {

/// Sets the power limit that `words` say, and says so. `Error` of kind usage where the rated power is not
/// known, or the limit is below a tenth or above twice of it.
void apply_power(const Operation& words, ClusterSpec& cluster, Assumptions& out);

}  // namespace traincost
