// What a search has found so far, in memory that does not grow with the space.
#pragma once

#include <cstddef>
#include <optional>

#include "traincost/plan/plan_ranking.hpp"
#include "traincost/plan/search.hpp"

namespace traincost {

/// The best plans, the front and the counts of a part of a space. Adding parts in any order gives the same.
struct Findings {
    explicit Findings(std::size_t top) : best(top) {
    }
    TopPlans best;
    ParetoFront pareto;
    std::optional<Plan> smallest;  ///< by value
    std::optional<Plan> fastest;
    std::optional<Plan> cheapest;
    SearchCounts counts;
    bool unsure = false;  ///< some plans fit, but without the margin asked for

    void keep_smallest(const Plan& plan);
    void keep_fastest(const Plan& plan);
    void keep_cheapest(const Plan& plan);
    void add(const Findings& other);
    SearchResult result() const;
};

}  // namespace traincost
