#include "traincost/fit/confidence.hpp"

namespace traincost {

Confidence confidence_of(const Job& job, const Estimate& estimate, const Residuals& residuals) {
    Confidence confidence{};
    const std::string machine = accelerator_class(job.cluster.accelerator);
    if (const auto runs = comparable(residuals, ResidualKind::step_time, job.stack.id, machine)) {
        confidence.step_time = interval_80(*runs->quantiles, estimate.step.total.value());
        confidence.step_time_from = runs->words;
    }
    if (const auto runs = comparable(residuals, ResidualKind::memory, job.stack.id, machine)) {
        const double used = estimate.stages[static_cast<std::size_t>(estimate.peak_stage)].device.value();
        confidence.memory = interval_80(*runs->quantiles, used);
        confidence.memory_from = runs->words;
        confidence.probability_of_fitting =
            probability_below(*runs->quantiles, used, estimate.capacity.value());
    }
    return confidence;
}

}  // namespace traincost
