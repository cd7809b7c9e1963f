#include "traincost/fit/unstated_recompute.hpp"

#include <cstdint>
#include <optional>

#include "traincost/cost/estimate.hpp"

namespace traincost {

namespace {

bool fits(Job& job, Recompute recompute, std::optional<std::int64_t> layers) {
    job.run.recompute = recompute;
    job.run.recompute_layers = layers;
    return estimate(job).fits;
}

}  // namespace

void assume_least_recompute(const RunRecord& record, Job& job, std::vector<std::string>& assumptions) {
    if (!record.run.recompute.empty() || record.measured.out_of_memory ||
        job.run.recompute != Recompute::none || fits(job, Recompute::none, std::nullopt))
        return;
    if (fits(job, Recompute::selective, std::nullopt)) {
        assumptions.emplace_back("run.recompute: without selective it would not fit");
        return;
    }
    const std::int64_t pp = job.run.parallel.pp;
    std::int64_t enough = (job.model.layers + pp - 1) / pp;  // blocks of the fullest stage
    if (!fits(job, Recompute::full, enough)) {
        fits(job, Recompute::none, std::nullopt);
        return;
    }
    for (std::int64_t few = 0; enough - few > 1;) {
        const std::int64_t middle = few + (enough - few) / 2;
        (fits(job, Recompute::full, middle) ? enough : few) = middle;
    }
    fits(job, Recompute::full, enough);
    assumptions.emplace_back("run.recompute: it fits with " + std::to_string(enough) +
                             " recomputed blocks a stage");
}

}  // namespace traincost
