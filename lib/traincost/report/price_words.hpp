// The price of a bill in words.
#pragma once

#include <string>

#include "traincost/spec/cluster.hpp"

namespace traincost {

/// "$2.50 per GPU-hour, on-demand, Nebius": the price that counts; where whole nodes are paid for, how many
/// accelerators of the last are idle. Empty where none is known.
std::string price_words(const ClusterSpec& cluster);

}  // namespace traincost
