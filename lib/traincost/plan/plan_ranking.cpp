#include "traincost/plan/plan_ranking.hpp"

#include <algorithm>

namespace traincost {

bool ranks_before(const Plan& a, const Plan& b) {
    if (a.value != b.value)
        return a.value < b.value;
    if (a.metrics != b.metrics)
        return a.metrics < b.metrics;
    return a.configuration < b.configuration;
}

bool dominates(const Plan& a, const Plan& b) {
    const PlanMetrics& x = a.metrics;
    const PlanMetrics& y = b.metrics;
    if (x.time > y.time || x.memory > y.memory || x.cost > y.cost)
        return false;
    if (x.time < y.time || x.memory < y.memory || x.cost < y.cost)
        return true;
    return a.configuration < b.configuration;
}

void TopPlans::add(const Plan& plan) {
    if (heap_.size() < limit_) {
        heap_.push_back(plan);
        std::push_heap(heap_.begin(), heap_.end(), ranks_before);
    } else if (limit_ > 0 && ranks_before(plan, heap_.front())) {
        std::pop_heap(heap_.begin(), heap_.end(), ranks_before);
        heap_.back() = plan;
        std::push_heap(heap_.begin(), heap_.end(), ranks_before);
    }
}

void TopPlans::add(const TopPlans& other) {
    for (const Plan& plan : other.heap_)
        add(plan);
}

std::vector<Plan> TopPlans::sorted() const {
    std::vector<Plan> plans = heap_;
    std::sort(plans.begin(), plans.end(), ranks_before);
    return plans;
}

void ParetoFront::add(const Plan& plan) {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
        if (!dominates(plans_[i], plan))
            continue;
        // What dominated one plan will dominate its neighbours: look there first.
        if (i > 0)
            std::swap(plans_[i], plans_[i / 2]);
        return;
    }
    std::erase_if(plans_, [&](const Plan& other) { return dominates(plan, other); });
    plans_.push_back(plan);
}

void ParetoFront::add(const ParetoFront& other) {
    for (const Plan& plan : other.plans_)
        add(plan);
}

std::vector<Plan> ParetoFront::sorted() const {
    std::vector<Plan> plans = plans_;
    std::sort(plans.begin(), plans.end(), [](const Plan& a, const Plan& b) {
        return a.metrics != b.metrics ? a.metrics < b.metrics : a.configuration < b.configuration;
    });
    return plans;
}

}  // namespace traincost
