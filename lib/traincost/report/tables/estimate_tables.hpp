// An estimate as the tables people read.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/fit/uncertainty.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// "Fits: 61.2 GiB of 79.6 GiB …", and the reverse with its shortfall.
std::string verdict(const Estimate& estimate);

/// "By our memory estimate this job does not fit: …", for answers about something else.
std::string misfit_text(const Estimate& estimate);

/// The largest part of the step and its share: "matrix products (62 %)".
std::string bound_by(const StepTime& step);

/// "under 1%", "84%": the probability of fitting; empty where nothing is known.
std::string probability_words(const Uncertainty& sure);

/// "llama-3.1-70b on 32 h100-sxm5-80gb, megatron-core, bf16-mixed".
std::string job_title(const Job& job);
/// "tp 8, pp 4, dp 1, zero 0; …", degrees of 1 left out.
std::string layout_text(const Job& job);

/// "; of the fp8 peak, 1.98e+03 TFLOP/s": what MFU divides by where products run in a format other than the
/// compute format, or emulate it. Empty where it is the compute format's own peak.
std::string peak_words(const Job& job);

/// Where the peak of the stage lies and what is alive there.
std::string peak_text(const StageMemory& stage);

/// "a failure every 3h6m; a checkpoint of 4.42 TiB every 12m, written in 24.0 s; 10m from a failure to …".
std::string reliability_text(const Reliability& reliability);

/// "8 accelerators fail every 3m; writing a checkpoint of 2 TiB takes 10m": why a run of no goodput never
/// ends. Failures must be counted.
std::string no_progress_text(const Job& job, const Operation& operation);

/// What a run takes under its operation: goodput, time, GPU-hours, cost, energy, carbon; no rows where
/// neither tokens nor failures are known.
Table operation_table(std::string title, const Job& job, const Estimate& estimate,
                      const Operation& operation);

/// Everything about one estimate: summary, parameters, memory at the peak and by stage, step, training under
/// its operation, assumptions.
std::vector<Table> estimate_tables(const Job& job, const Estimate& estimate, const Uncertainty& sure,
                                   std::span<const std::string> assumptions, const Operation& operation = {});

/// One remark a line under a title.
Table remarks_table(std::string title, std::span<const std::string> remarks);

}  // namespace traincost
