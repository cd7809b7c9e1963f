// A sweep as a table, and as charts.
#pragma once

#include <vector>

#include "traincost/plan/sweep.hpp"
#include "traincost/report/charts/chart.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// One row a point: its values, and what became of it.
Table sweep_table(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points);

/// Step time, memory, and with tokens days and cost, over the first axis whose values are numbers, a series
/// for every combination of the others; as bars where no axis has numbers. Points that do not fit are
/// hollow, points that cannot be are left out and counted in a remark.
std::vector<Chart> sweep_charts(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points);

}  // namespace traincost
