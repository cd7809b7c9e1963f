#include "traincost/plan/plan_ranking.hpp"

#include <algorithm>
#include <tuple>

namespace traincost {

bool simpler(const Configuration& a, const Configuration& b) {
    const auto complexity = [](const Configuration& c) {
        const int kinds = (c.dp > 1) + (c.tp > 1) + (c.pp > 1) + (c.cp > 1) + (c.ep > 1);
        return std::tuple(kinds, c.cp, c.tp, c.pp, c.vp, c.ep, c.zero, c.hybrid_shard, c.recompute,
                          c.offload);
    };
    if (complexity(a) != complexity(b))
        return complexity(a) < complexity(b);
    return a < b;
}

namespace {

std::tuple<double, double, double, double, std::int32_t> speed(const Plan& p) {
    return {p.value, p.metrics.time.value(), p.metrics.cost.value(), p.metrics.energy, p.configuration.site};
}

}  // namespace

bool same_speed(const Plan& a, const Plan& b) {
    return speed(a) == speed(b);
}

bool ranks_before(const Plan& a, const Plan& b) {
    if (a.value != b.value)
        return a.value < b.value;
    if (!same_speed(a, b))
        return speed(a) < speed(b);
    if (a.metrics.memory != b.metrics.memory)
        return a.metrics.memory < b.metrics.memory;
    return simpler(a.configuration, b.configuration);
}

bool dominates(const Plan& a, const Plan& b) {
    const PlanMetrics& x = a.metrics;
    const PlanMetrics& y = b.metrics;
    if (x.time > y.time || x.memory > y.memory || x.cost > y.cost)
        return false;
    if (x.time < y.time || x.memory < y.memory || x.cost < y.cost)
        return true;
    return simpler(a.configuration, b.configuration);
}

void TopPlans::add(const Plan& plan) {
    if (limit_ == 0 || (speeds_ == limit_ && plan.value > plans_.back().value))
        return;
    const auto place = std::lower_bound(plans_.begin(), plans_.end(), plan, ranks_before);
    auto first = place;
    while (first != plans_.begin() && same_speed(*(first - 1), plan))
        --first;
    auto last = place;
    while (last != plans_.end() && same_speed(*last, plan))
        ++last;
    const auto known = static_cast<std::size_t>(last - first);
    if (known == guises) {
        if (place == last)
            return;
        std::move_backward(place, last - 1, last);
        *place = plan;
        return;
    }
    plans_.insert(place, plan);
    speeds_ += known == 0 ? 1 : 0;
    if (speeds_ <= limit_)
        return;
    const Plan worst = plans_.back();
    while (same_speed(plans_.back(), worst))
        plans_.pop_back();
    --speeds_;
}

void TopPlans::add(const TopPlans& other) {
    for (const Plan& plan : other.plans_)
        add(plan);
}

std::vector<PlanGuises> guises_of(const std::vector<Plan>& plans) {
    // Communicators take some 100 MB to 600 MB each.
    constexpr double buffers = 1.2e9;
    std::vector<PlanGuises> all;
    for (const Plan& plan : plans) {
        if (all.empty() || !same_speed(all.back().plan, plan)) {
            all.push_back({plan, {}});
        } else if (plan.metrics.memory <= all.back().plan.metrics.memory + Bytes{buffers}) {
            all.back().also.push_back(plan.configuration);
        }
    }
    return all;
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
        return a.metrics != b.metrics ? a.metrics < b.metrics : simpler(a.configuration, b.configuration);
    });
    return plans;
}

}  // namespace traincost
