// What another process says a search found, held against the request before it is believed.
#pragma once

#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/plan/search.hpp"

namespace traincost {

/// Appends the first thing that no search of the request can have found: a configuration outside its space or
/// that `validate` refuses, a metric that is no number.
void validate(const SearchResult& result, const SearchRequest& request, std::vector<Problem>& problems);

}  // namespace traincost
