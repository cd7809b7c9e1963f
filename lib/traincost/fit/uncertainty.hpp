// How sure a prediction is: intervals from the residuals of comparable measured runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traincost/cost/estimate.hpp"
#include "traincost/fit/residuals.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

struct Interval {
    double low;
    double high;
    bool operator==(const Interval&) const = default;
};

/// "22 runs of pytorch on Hopper from 1 source and 2,680 other runs from 22 sources"
std::string words_of(const Comparable& comparable, const ResidualGroupKey& group);

/// Four of five comparable runs were measured between predicted·e^(scale low) and predicted·e^(scale high).
Interval interval_80(const ResidualQuantiles& quantiles, double predicted, double scale = 1.0);

/// Share of comparable runs measured at no more than `limit` when `predicted` was predicted; linear between
/// the quantiles, exponential beyond them.
double probability_below(const ResidualQuantiles& quantiles, double predicted, double limit);

/// What a probability of fitting is called.
enum class Verdict : std::uint8_t { fits, risky, out_of_memory };
std::string_view to_string(Verdict verdict);
/// `fits` from 0.9, `out of memory` below 0.1, `risky` between.
Verdict verdict_of(double probability_of_fitting);

/// Probability that the job's fullest rank stays below its accelerator's usable memory. From residuals of
/// reserved memory where comparable runs of the stack state it, else of device, else of allocated memory;
/// what lies outside that view (context, communicators) is taken as predicted.
std::optional<double> probability_of_fitting(const Residuals& residuals, const Job& job,
                                             const Estimate& estimate, const LeftOut& left_out = {});

/// Plans that fit with less are risky: never first unless asked for.
inline constexpr double sure_to_fit = 0.8;

/// What a job's memory must leave free so that it fits with `probability`: a plan fits with at least that
/// where `needed` of it is no more than the accelerator's usable memory. None where there are no residuals.
MemoryMargin memory_margin(const Residuals& residuals, const Job& job, double probability = sure_to_fit);

/// The interval of a step that was chosen because it is the fastest predicted: later by what chosen layouts
/// are flattered by on average, if they are.
Interval chosen_interval(const Residuals& residuals, const Interval& interval);

/// "chosen layouts ran 0.6% faster beside their predictions than the rest of their group (278 groups); one in
/// five ran 7.4% slower or more"; empty where nothing is known.
std::string selection_text(const Residuals& residuals);

/// What `estimate` prints beside its numbers; each part is absent when there are no residuals at all.
struct Uncertainty {
    std::optional<Interval> step_time_s;
    std::optional<Interval> allocated_bytes, reserved_bytes, device_bytes;  ///< of the fullest stage
    std::optional<double> probability_of_fitting;
    Verdict verdict;              ///< without residuals as the estimate says
    std::string step_comparable;  ///< what the step's interval comes from, in words
    std::string memory_comparable;
};
Uncertainty uncertainty(const Residuals& residuals, const Job& job, const Estimate& estimate);

}  // namespace traincost
