#include "traincost/fit/achieved.hpp"

#include <algorithm>

namespace traincost {

std::string_view to_string(FlopConvention convention) {
    static constexpr std::array<std::string_view, flop_convention_count> names = {"exact", "exact_full",
                                                                                  "palm", "megatron", "6ND"};
    return names[static_cast<std::size_t>(convention)];
}

Achieved achieved(const Job& job, Seconds step, double tokens_done) {
    Achieved a{};
    a.step = step;
    a.predicted = estimate(job);
    a.ratio = step / a.predicted.step.total;

    const double gpus = static_cast<double>(job.cluster.accelerators);
    const double tokens = a.predicted.throughput.tokens_per_step;
    a.tokens_per_s = tokens / step.value();
    a.tokens_per_s_per_gpu = a.tokens_per_s / gpus;
    const FlopRate peak = *peak_rate(job.cluster.accelerator, job.run.precision.gemm);
    const auto rate_of = [&](Flops flops) {
        const FlopRate rate = flops / step / gpus;
        return AchievedRate{rate, rate / peak};
    };
    for (int i = 0; i < flop_convention_count; ++i) {
        a.by_convention[static_cast<std::size_t>(i)] =
            rate_of(model_flops(job, static_cast<FlopConvention>(i)));
    }
    a.model = a.by_convention[static_cast<std::size_t>(FlopConvention::exact)];
    a.hardware = rate_of(hardware_flops(job));
    const double N = static_cast<double>(a.predicted.parameters.total);
    a.eight_nd = rate_of(Flops{8.0 * N * tokens});

    if (a.predicted.training) {
        // Time, cost and energy are in proportion to the predicted run's.
        const TrainingTotals& all = *a.predicted.training;
        const double left = std::max(0.0, all.tokens - tokens_done);
        const double share = left / all.tokens * a.ratio;
        a.remaining = Remaining{.tokens = left,
                                .time = all.time * share,
                                .gpu_hours = all.gpu_hours * share,
                                .cost = std::nullopt,
                                .energy_kwh = std::nullopt};
        if (all.cost) {
            a.remaining->cost = *all.cost * share;
        }
        if (all.energy_kwh) {
            a.remaining->energy_kwh = *all.energy_kwh * share;
        }
    }
    return a;
}

}  // namespace traincost
