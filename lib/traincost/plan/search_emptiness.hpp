// Which dimension leaves a space nothing.
#pragma once

#include <string>

#include "traincost/plan/search_space.hpp"

namespace traincost {

/// Why a space holds no configuration: the first rule no value survives, as "tp: none of 5, 7 divides
/// model.heads = 96", else a dimension without whose values there would be some; empty when there are
/// configurations.
std::string why_empty(const Job& job, const SearchSpace& space);

}  // namespace traincost
