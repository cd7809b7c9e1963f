// Limits that several specs share.
#pragma once

#include <cstdint>
#include <vector>

#include "traincost/base/error.hpp"

namespace traincost {

/// No machine has more; ranks of a configuration are 32-bit.
inline constexpr std::int64_t most_accelerators = std::int64_t{1} << 24;
inline constexpr std::int64_t most_per_node = std::int64_t{1} << 16;

struct HostSpec;

/// Appends what is out of range of a node's host.
void validate(const HostSpec& host, std::vector<Problem>& problems);

}  // namespace traincost
