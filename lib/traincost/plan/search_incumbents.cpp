#include "traincost/plan/search_incumbents.hpp"

#include <algorithm>

#include "traincost/plan/plan_ranking.hpp"

namespace traincost {

Incumbents::Incumbents(const SearchRequest& request, const std::vector<Plan>& best,
                       const std::vector<Plan>& front)
    : objective_(request.objective),
      limits_(request.limits),
      any_(request.top > 0 && guises_of(best).size() >= request.top && (!request.front || !front.empty())),
      front_wanted_(request.front) {
    if (!any_)
        return;
    last_value_ = best.back().value;
    for (const Plan& plan : front) {
        front_.push_back(plan.metrics);
        least_.push_back(least_.empty() ? plan.metrics.memory : std::min(least_.back(), plan.metrics.memory));
    }
}

bool Incumbents::rule_out(const PlanMetrics& at_least) const {
    if (!any_)
        return false;
    if ((limits_.step_time && at_least.time > *limits_.step_time) ||
        (limits_.step_cost && at_least.cost > *limits_.step_cost)) {
        return true;
    }
    if (!front_wanted_)
        return objective_value(objective_, at_least) > last_value_;
    // Strictly faster than the bound: equal plans are told apart by their configuration, which a bound has
    // not.
    const auto faster = std::partition_point(
        front_.begin(), front_.end(), [&](const PlanMetrics& plan) { return plan.time < at_least.time; });
    for (auto i = faster - front_.begin(); i-- > 0;) {
        const auto at = static_cast<std::size_t>(i);
        if (least_[at] > at_least.memory)
            return false;
        if (front_[at].memory <= at_least.memory && front_[at].cost <= at_least.cost)
            return objective_value(objective_, at_least) > last_value_;
    }
    return false;
}

}  // namespace traincost
