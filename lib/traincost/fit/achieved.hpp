// How good a run was: its measured step beside what its job is worth and what was predicted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "traincost/cost/estimate.hpp"
#include "traincost/cost/flops.hpp"
#include "traincost/fit/uncertainty.hpp"

namespace traincost {

inline constexpr int flop_convention_count = 5;
/// "exact", "exact_full", "palm", "megatron", "6ND".
std::string_view to_string(FlopConvention convention);

/// A FLOP rate of one accelerator, and its share of the peak of the matrix format.
struct AchievedRate {
    FlopRate rate;
    double utilization;
};

/// What is still to do.
struct Remaining {
    double tokens;
    Seconds time;
    double gpu_hours;
    std::optional<Dollars> cost;
    std::optional<double> energy_kwh;
};

/// The sheet of a run.
struct Achieved {
    Seconds step;  ///< measured
    double tokens_per_s;
    double tokens_per_s_per_gpu;
    AchievedRate model;                                             ///< exact inventory: MFU
    AchievedRate hardware;                                          ///< and what is recomputed: HFU
    std::array<AchievedRate, flop_convention_count> by_convention;  ///< by `FlopConvention`
    AchievedRate eight_nd;                                          ///< 8 N D, as Fast_LLM counts
    Estimate predicted;
    double ratio;  ///< measured step over the predicted
    std::optional<Remaining> remaining;
};

/// The sheet of a job whose steps take `step`; `tokens_done` of the job's tokens are behind it.
Achieved achieved(const Job& job, Seconds step, double tokens_done = 0.0);

}  // namespace traincost
