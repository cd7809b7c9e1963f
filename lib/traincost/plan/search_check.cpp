#include "traincost/plan/search_check.hpp"

#include <cmath>
#include <string>

#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

bool below(std::int32_t index, std::size_t size) {
    return index >= 0 && static_cast<std::size_t>(index) < size;
}

bool counts(double x) {
    return std::isfinite(x) && x >= 0.0;
}

/// What is wrong with the plan; empty where nothing is.
std::string fault_of(const Plan& plan, const SearchRequest& request) {
    const Configuration& c = plan.configuration;
    if (!below(c.site, request.sites.size()))
        return "names a cluster that was not searched";
    const SearchSpace& space = request.sites[static_cast<std::size_t>(c.site)].space;
    if (!below(c.recompute, space.recompute.size()) || !below(c.offload, space.offload.size()) ||
        !below(c.schedule, enum_names<Schedule>().size()) || !below(c.sequence_parallel, 2))
        return "names a choice that was not searched";
    constexpr std::int32_t any = INT32_MAX;
    for (const auto& [degree, least] :
         {std::pair{c.tp, 1}, std::pair{c.cp, 1}, std::pair{c.pp, 1}, std::pair{c.ep, 1}, std::pair{c.etp, 1},
          std::pair{c.vp, 1}, std::pair{c.dp, 1}, std::pair{c.micro_batch, 1}, std::pair{c.zero, 0},
          std::pair{c.hybrid_shard, 0}}) {
        if (degree < least || degree == any)
            return "has a degree of " + std::to_string(degree);
    }
    const std::vector<Problem> problems = validate(job_of(request, c));
    if (!problems.empty())
        return to_string(problems.front());
    const PlanMetrics& m = plan.metrics;
    if (!counts(m.time.value()) || !counts(m.memory.value()) || !counts(m.cost.value()) ||
        !counts(m.energy) || !counts(plan.value))
        return "has a metric that is not a number of at least 0";
    return {};
}

}  // namespace

void validate(const SearchResult& result, const SearchRequest& request, std::vector<Problem>& problems) {
    const auto faultless = [&](const std::string& place, const Plan& plan) {
        const std::string fault = fault_of(plan, request);
        if (!fault.empty())
            problems.push_back({place, fault});
        return fault.empty();
    };
    for (const auto& [name, plans] :
         {std::pair{"/best/", &result.best}, std::pair{"/pareto/", &result.pareto}}) {
        for (std::size_t i = 0; i < plans->size(); ++i) {
            if (!faultless(name + std::to_string(i), (*plans)[i]))
                return;
        }
    }
    for (const auto& [name, plan] :
         {std::pair{"/smallest", &result.smallest}, std::pair{"/fastest", &result.fastest},
          std::pair{"/cheapest", &result.cheapest}}) {
        if (*plan && !faultless(name, **plan))
            return;
    }
}

}  // namespace traincost
