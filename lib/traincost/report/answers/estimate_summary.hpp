// An estimate in a few lines: the answer first.
#pragma once

#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// Whether it fits and by how much, the step with its interval, rates, days, GPU-hours and cost, and the one
/// remedy or the one risk: at most 14 lines on a wide terminal.
Table summary_of(const EstimateAnswer& answer);

}  // namespace traincost
