#include "traincost/plan/recommend.hpp"

#include <algorithm>
#include <functional>

#include "traincost/plan/plan_ranking.hpp"

namespace traincost {

namespace {

StepTerm largest_term(const StepTime& step) {
    const auto largest = std::max_element(step.terms.begin(), step.terms.end());
    return static_cast<StepTerm>(largest - step.terms.begin());
}

/// Inputs a prediction depends on and that nobody knows to better than this.
struct UncertainInput {
    const char* name;
    std::function<void(Job&, Operation&, double)> scale;
};

std::vector<UncertainInput> uncertain_inputs(const Operation& operation) {
    std::vector<UncertainInput> inputs = {
        {"matrix rate",
         [](Job& job, Operation&, double f) {
             for (auto& peak : job.cluster.accelerator.peak) {
                 if (peak)
                     *peak *= f;
             }
         }},
        {"memory bandwidth",
         [](Job& job, Operation&, double f) { job.cluster.accelerator.memory_bandwidth *= f; }},
        {"bandwidth within a node",
         [](Job& job, Operation&, double f) { job.cluster.network.scale_up.bandwidth *= f; }},
        {"bandwidth between nodes", [](Job& job, Operation&, double f) {
             if (job.cluster.network.scale_out)
                 job.cluster.network.scale_out->bandwidth *= f;
         }}};
    if (operation.between_failures) {
        inputs.push_back(
            {"time between failures", [](Job&, Operation& o, double f) { *o.between_failures *= f; }});
        inputs.push_back({"storage bandwidth", [](Job&, Operation& o, double f) { *o.storage *= f; }});
    }
    return inputs;
}

}  // namespace

std::vector<Recommendation> recommend(const SearchRequest& request, const SearchResult& result,
                                      const TieRule& tie, const Operation& operation,
                                      const MayNotFit& may_not_fit) {
    constexpr double change = -0.2;
    std::vector<Recommendation> all;
    if (result.best.empty())
        return all;
    const double best = result.best.front().value;
    for (const auto& [plan, also] : guises_of(result.best)) {
        const Job job = job_of(request, plan.configuration);
        Recommendation r{.plan = plan,
                         .job = job,
                         .estimate = estimate(job),
                         .bound_by = StepTerm::gemm,
                         .tie = false,
                         .behind = loss_of(request.objective, best, plan.value),
                         .neighbours = neighbours(request, plan, may_not_fit),
                         .sensitivities = {},
                         .also = also};
        r.bound_by = largest_term(r.estimate.step);
        const bool same = plan.configuration.site == result.best.front().configuration.site;
        r.tie = !all.empty() && r.behind <= (same ? tie.same_site : tie.other_site);
        all.push_back(std::move(r));
    }
    all.front().tie = all.size() > 1 && all[1].tie;
    for (const UncertainInput& input : uncertain_inputs(operation)) {
        std::vector<double> values;
        for (Recommendation& r : all) {
            Job job = r.job;
            Operation operated = operation;
            input.scale(job, operated, 1.0 + change);
            const Estimate e = estimate(job);
            const Bytes peak = e.stages[static_cast<std::size_t>(e.peak_stage)].device;
            const Site& site = request.sites[static_cast<std::size_t>(r.plan.configuration.site)];
            const double goodput = site.goodput * (goodput_of(job, operated) / goodput_of(r.job, operation));
            const PlanMetrics metrics = metrics_of(job.cluster, goodput, e.step.total, peak);
            values.push_back(objective_value(request.objective, metrics));
            r.sensitivities.push_back({input.name, change, metrics.time / r.plan.metrics.time - 1.0, false});
        }
        const double least = *std::min_element(values.begin(), values.end());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i].sensitivities.back().stays_best = values[i] <= least;
    }
    return all;
}

}  // namespace traincost
