// What a compute budget buys, as tables and as charts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/plan/scaling_laws.hpp"
#include "traincost/report/charts/chart.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// What is asked of a budget.
struct ScalingQuestion {
    Flops compute;
    double ratio = 20.0;                       ///< tokens a parameter, of the fixed ratio
    std::optional<double> parameters{};        ///< a size to judge
    std::optional<double> inference_tokens{};  ///< the model will process after training
    std::vector<std::string> assumptions{};
};

/// The laws' optima, the given size, and the cheapest model over its life.
std::vector<Table> scaling_tables(const ScalingQuestion& question);

/// The loss of every size at this compute with the laws' optima on it, and the laws' sizes over compute.
std::vector<Chart> scaling_charts(const ScalingQuestion& question);

}  // namespace traincost
