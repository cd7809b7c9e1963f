// What is said of a plan because it was chosen.
#pragma once

#include <string>
#include <string_view>

#include "traincost/fit/uncertainty.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

/// What is said of plans none of which is sure to fit.
inline constexpr std::string_view risky_text =
    "Risky: no plan has a probability of fitting of 80% or more (from memory errors on comparable "
    "runs).";

/// "80% interval of plan 1: 5.4 s to 7.3 s; layouts predicted fastest …"; empty where nothing is known.
std::string chosen_text(const Residuals& residuals, const Uncertainty& sure);

/// The same as the member "chosen": the interval of the step, and the bias of choosing.
void write_chosen(JsonWriter& out, const Residuals& residuals, const Uncertainty& sure);

}  // namespace traincost
