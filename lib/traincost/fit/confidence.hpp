// How sure one estimate is.
#pragma once

#include <optional>
#include <string>

#include "traincost/cost/estimate.hpp"
#include "traincost/fit/uncertainty.hpp"

namespace traincost {

/// Intervals of an estimate from measured runs that compare with it; absent where there are none.
struct Confidence {
    std::optional<Interval> step_time{};  ///< seconds: four of five comparable runs lie inside
    std::string step_time_from{};         ///< "682 runs of nanotron on Hopper"
    std::optional<Interval> memory{};     ///< bytes used on the device of the fullest stage
    std::string memory_from{};
    std::optional<double> probability_of_fitting{};
};

/// Looks up the runs that compare with the job's stack and accelerator.
Confidence confidence_of(const Job& job, const Estimate& estimate, const Residuals& residuals);

}  // namespace traincost
