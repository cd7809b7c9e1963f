// What a job keeps in its nodes' own memory.
#pragma once

#include "traincost/base/quantity.hpp"
#include "traincost/cost/memory.hpp"

namespace traincost {

/// Host memory of a node whose ranks all keep `rank` there.
Bytes of_node(const Job& job, Bytes rank);

/// Whether a node is known to have less memory than its ranks keep there of offloaded states, weights and
/// activations; all of them hold the stage that keeps most.
bool exceeds_host(const Job& job, const Shape& shape, const BlockTable& table, const StageClasses& stages);

}  // namespace traincost
