#include "traincost/fit/unstated_recompute.hpp"

#include <cstdint>
#include <optional>

#include "traincost/cost/estimate.hpp"

namespace traincost {

namespace {

/// One recomputation after the other, tried on a job.
class Trial {
public:
    /// `strict`: only the estimate itself counts.
    Trial(Job& job, const Residuals& residuals, const LeftOut& left_out, bool strict)
        : job_(job), residuals_(residuals), left_out_(left_out), strict_(strict) {
    }

    /// Whether the job, which recomputes so much from now on, may have run.
    bool possible(Recompute recompute, std::optional<std::int64_t> layers) const {
        job_.run.recompute = recompute;
        job_.run.recompute_layers = layers;
        const Estimate estimate = traincost::estimate(job_);
        if (estimate.fits || strict_)
            return estimate.fits;
        const auto probability = probability_of_fitting(residuals_, job_, estimate, left_out_);
        return probability && verdict_of(*probability) != Verdict::out_of_memory;
    }

private:
    Job& job_;
    const Residuals& residuals_;
    const LeftOut& left_out_;
    bool strict_;
};

/// Whether gradients lie in a buffer of their own that is wider than it has to be, a choice of launchers.
bool buffers_widen(const Job& job) {
    const Precision& precision = job.run.precision;
    return job.stack.states.gradients == GradientStore::main_buffer && !precision.base &&
           bytes_per_element(precision.gradients) > bytes_per_element(precision.compute);
}

}  // namespace

void assume_least_recompute(const RunRecord& record, const Residuals& residuals, const LeftOut& left_out,
                            Job& job, std::vector<std::string>& assumptions) {
    const Trial trial(job, residuals, left_out, record.measured.memory_bytes.has_value());
    if (!record.run.recompute.empty() || record.measured.out_of_memory ||
        job.run.recompute != Recompute::none || trial.possible(Recompute::none, std::nullopt))
        return;
    if (record.run.grad_dtype.empty() && buffers_widen(job)) {
        const Precision stated = job.run.precision;
        job.run.precision.gradients = job.run.precision.reduce = stated.compute;
        if (trial.possible(Recompute::none, std::nullopt)) {
            assumptions.emplace_back("run.grad_dtype: with gradients in fp32 it would hardly fit");
            return;
        }
        job.run.precision = stated;
    }
    if (trial.possible(Recompute::selective, std::nullopt)) {
        assumptions.emplace_back("run.recompute: without selective it would hardly fit");
        return;
    }
    const std::int64_t pp = job.run.parallel.pp;
    std::int64_t enough = (job.model.layers + pp - 1) / pp;  // blocks of the fullest stage
    if (!trial.possible(Recompute::full, enough)) {
        job.run.recompute = Recompute::none;
        job.run.recompute_layers.reset();
        return;
    }
    for (std::int64_t few = 0; enough - few > 1;) {
        const std::int64_t middle = few + (enough - few) / 2;
        (trial.possible(Recompute::full, middle) ? enough : few) = middle;
    }
    job.run.recompute_layers = enough;
    assumptions.emplace_back("run.recompute: with fewer than " + std::to_string(enough) +
                             " recomputed blocks a stage it would hardly fit");
}

}  // namespace traincost
