// What is said of an accelerator's power in place of the catalogue's.
#pragma once

#include <span>

#include "traincost/ask/assumption.hpp"
#include "traincost/io/embedded.hpp"
#include "traincost/spec/cluster.hpp"
#include "traincost/spec/operation.hpp"

namespace traincost {

/// Sets the power limit that `words` say, with the kernel data of `bench`, and says so; the node draws as
/// much less. `Error` of kind usage where the rated power is not known, or the limit is below a tenth or
/// above twice of it.
void apply_power(const Operation& words, ClusterSpec& cluster, std::span<const EmbeddedFile> bench,
                 Assumptions& out);

}  // namespace traincost
