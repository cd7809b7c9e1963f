// What a compute budget buys, as tables and as charts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/ask/questions/scale_question.hpp"
#include "traincost/report/charts/chart.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// The laws' optima, the given size, and the cheapest model over its life.
std::vector<Table> scaling_tables(const ScalingBudget& question);

/// The loss of every size at this compute with the laws' optima on it, and the laws' sizes over compute.
std::vector<Chart> scaling_charts(const ScalingBudget& question);

}  // namespace traincost
