// The best plan of each cluster under each stack.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/plan/search.hpp"

namespace traincost {

/// A cluster under a stack: its best plan over all numbers of accelerators, or what it found without one.
struct ClusterPlan {
    std::string cluster;
    std::string stack;
    std::optional<Plan> plan;  ///< of the whole request: its site is an index there
    SearchRequest request;     ///< of this cluster alone
    SearchResult result;
};

/// A search of its own for every cluster and stack of the request: those with a plan by objective, then the
/// others in order.
std::vector<ClusterPlan> best_of_clusters(const SearchRequest& request);

}  // namespace traincost
