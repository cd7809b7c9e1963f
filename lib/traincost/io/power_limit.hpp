// Accelerators that draw less, or more, than their rated power.
#pragma once

#include <span>

#include "traincost/io/embedded.hpp"
#include "traincost/spec/cluster.hpp"

namespace traincost {

/// Sets the power limit of each accelerator of `cluster`, in W, in place of its rated power or an earlier
/// limit: the kernel data of `bench`, with long products and attention at the clocks that the limit leaves
/// them (docs/model.md). False, and nothing changed, where the rated power is not known.
bool limit_power(ClusterSpec& cluster, double watts, std::span<const EmbeddedFile> bench);

}  // namespace traincost
