// An estimate as the tables people read.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/fit/uncertainty.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// "Fits: 61.2 GiB of 79.6 GiB …", and the reverse with its shortfall.
std::string verdict(const Estimate& estimate);

/// The largest part of the step and its share: "matrix products (62 %)".
std::string bound_by(const StepTime& step);

/// "llama-3.1-70b on 32 h100-sxm5-80gb, megatron-core, bf16-mixed".
std::string job_title(const Job& job);
/// "tp 8, pp 4, dp 1, zero 0; …", degrees of 1 left out.
std::string layout_text(const Job& job);

/// Where the peak of the stage lies and what is alive there.
std::string peak_text(const StageMemory& stage);

/// Everything about one estimate: summary, parameters, memory at the peak and by stage, step, training,
/// assumptions.
std::vector<Table> estimate_tables(const Job& job, const Estimate& estimate, const Uncertainty& sure,
                                   std::span<const std::string> assumptions);

/// One remark a line under a title.
Table remarks_table(std::string title, std::span<const std::string> remarks);

}  // namespace traincost
