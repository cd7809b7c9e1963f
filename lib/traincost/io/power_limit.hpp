// Accelerators that draw less, or more, than their rated power.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "traincost/io/embedded.hpp"
#include "traincost/spec/cluster.hpp"

namespace traincost {

/// What is wrong with a limit of `watts`: less than a tenth of the accelerator's rated power, more than twice
/// of it, or no rated power known; nothing where it can be.
std::optional<std::string> limit_complaint(const AcceleratorSpec& accelerator, double watts);

/// Sets the power limit of each accelerator of `cluster`, in W, in place of its rated power or an earlier
/// limit: the kernel data of `bench`, with long products and attention at the clocks that the limit leaves
/// them (docs/model.md). False, and nothing changed, where the rated power is not known.
bool limit_power(ClusterSpec& cluster, double watts, std::span<const EmbeddedFile> bench);

}  // namespace traincost
