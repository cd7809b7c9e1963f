#include "traincost/plan/search_findings.hpp"

namespace traincost {

namespace {

void keep(std::optional<Plan>& kept, const Plan& plan, double value, double least) {
    if (!kept || value < least || (value == least && plan.configuration < kept->configuration))
        kept = plan;
}

}  // namespace

void Findings::keep_smallest(const Plan& plan) {
    keep(smallest, plan, plan.value, smallest ? smallest->value : 0.0);
}

void Findings::keep_fastest(const Plan& plan) {
    keep(fastest, plan, plan.metrics.time.value(), fastest ? fastest->metrics.time.value() : 0.0);
}

void Findings::keep_cheapest(const Plan& plan) {
    keep(cheapest, plan, plan.metrics.cost.value(), cheapest ? cheapest->metrics.cost.value() : 0.0);
}

void Findings::add(const Findings& other) {
    best.add(other.best);
    pareto.add(other.pareto);
    if (other.smallest)
        keep_smallest(*other.smallest);
    if (other.fastest)
        keep_fastest(*other.fastest);
    if (other.cheapest)
        keep_cheapest(*other.cheapest);
    counts += other.counts;
    unsure = unsure || other.unsure;
}

SearchResult Findings::result() const {
    SearchResult r{best.sorted(), pareto.sorted(), {}, {}, {}, counts, false, false, unsure};
    // What comes nearest only matters where nothing is allowed; bounds may have cut it where something is.
    if (counts.feasible == 0) {
        r.fastest = fastest;
        r.cheapest = cheapest;
        if (counts.over_deadline + counts.over_budget == 0)
            r.smallest = smallest;
    }
    return r;
}

}  // namespace traincost
