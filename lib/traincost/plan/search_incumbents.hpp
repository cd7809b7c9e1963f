// Plans known before a search starts, and what they rule out.
#pragma once

#include <vector>

#include "traincost/plan/search.hpp"

namespace traincost {

/// Feasible plans of a space's sample. They never change while the space is walked, so what they rule out
/// depends neither on threads nor on shards.
class Incumbents {
public:
    /// None: nothing is ruled out.
    Incumbents() = default;
    /// The sample's plans of the `top` best speeds under the request's objective (fewer rule nothing out) and
    /// its front.
    Incumbents(const SearchRequest& request, const std::vector<Plan>& best, const std::vector<Plan>& front);

    /// Whether every plan with at least these metrics is beyond a limit, or both behind `top` others and,
    /// where the front is wanted, beaten in time, memory and cost by one of it.
    bool rule_out(const PlanMetrics& at_least) const;

private:
    Objective objective_{};
    PlanLimits limits_{};
    bool any_ = false;
    bool front_wanted_ = true;
    double last_value_ = 0.0;         ///< of the best
    std::vector<PlanMetrics> front_;  ///< by time
    std::vector<Bytes> least_;        ///< memory of `front_` up to each
};

}  // namespace traincost
