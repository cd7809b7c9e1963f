// Configurations in words.
#pragma once

#include <string>
#include <string_view>

#include "traincost/plan/search.hpp"

namespace traincost {

/// The configuration in words: "tp 8, pp 4, dp 32, zero 1, micro-batch 2, selective recompute".
std::string configuration_text(const SearchRequest& request, const Configuration& configuration);

/// "full recompute of 2 layers a stage".
std::string choice_text(const RecomputeChoice& choice);
/// "optimizer on cpu, weights on cpu".
std::string choice_text(const OffloadChoice& choice);

/// The name with hyphens for underscores, as sentences have it.
std::string hyphenated(std::string_view name);

}  // namespace traincost
