// Configurations in words.
#pragma once

#include <string>
#include <string_view>

#include "traincost/plan/search.hpp"

namespace traincost {

/// The configuration in words: "tp 8, pp 4, dp 32, zero 1, micro-batch 2, selective recompute".
std::string configuration_text(const SearchRequest& request, const Configuration& configuration);

/// The configuration as flags of `estimate`, all that it takes besides model, cluster and batch: "--tp 8 --pp
/// 4
/// --zero 1 --micro-batch 2 --recompute selective".
std::string configuration_flags(const SearchRequest& request, const Configuration& configuration);

/// What another configuration of the site has otherwise: "cp 4, dp 1, micro-batch 4".
std::string difference_text(const SearchRequest& request, const Configuration& from,
                            const Configuration& other);

/// "full recompute of 2 layers per stage".
std::string choice_text(const RecomputeChoice& choice);
/// "optimizer on cpu, weights on cpu".
std::string choice_text(const OffloadChoice& choice);

/// The name with hyphens for underscores, as sentences have it.
std::string hyphenated(std::string_view name);

}  // namespace traincost
