// The parts of a step as the IIIS-Turing calculator shows them, of our own estimate.
#pragma once

#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/report/table.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// Computation (6 numbers), communication by kind of group, collective and direction, and the timeline of a
/// step: totals, and "per loop", that is of one layer of one micro-batch. All of the slowest stage.
std::vector<Table> step_detail_tables(const Job& job, const Estimate& estimate);

}  // namespace traincost
