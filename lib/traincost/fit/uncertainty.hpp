// How sure a prediction is: intervals from the residuals of comparable measured runs.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

struct Interval {
    double low;
    double high;
    bool operator==(const Interval&) const = default;
};

/// What is predicted: step time (and rates, inverted), and the three views of memory.
enum class ResidualKind : std::uint8_t { step_time, allocated, reserved, device };
inline constexpr int residual_kind_count = 4;
std::string_view to_string(ResidualKind kind);
std::optional<ResidualKind> residual_kind_from(std::string_view name);

/// Residuals are held out in this many folds, by the record's identifier (`fold_of`).
inline constexpr int residual_folds = 5;

/// Points of a residual distribution: its quantiles at 1/22, 2/22 … 21/22, and the 10 % and 90 % points, all
/// of ln(measured / predicted), at plotting positions k/(n+1) so that a new record falls between the points
/// with the stated probability [HyndmanFan96, type 6].
struct ResidualQuantiles {
    static constexpr int points = 21;
    std::int64_t n = 0;
    double low = 0.0;   ///< 10 %
    double high = 0.0;  ///< 90 %
    std::array<double, points> at{};
    bool operator==(const ResidualQuantiles&) const = default;
};

/// Whether a run stays inside one node or crosses the fabric between nodes.
enum class Extent : std::uint8_t { any, node, fabric };
std::string_view to_string(Extent extent);
std::optional<Extent> extent_from(std::string_view name);

/// What makes runs comparable. An empty name stands for every stack, or every class.
struct ResidualGroupKey {
    ResidualKind kind;
    std::string stack;
    std::string accelerator_class;
    Extent extent = Extent::any;
    bool operator==(const ResidualGroupKey&) const = default;
    auto operator<=>(const ResidualGroupKey&) const = default;
};

/// Residuals of one group.
struct ResidualEntry {
    ResidualGroupKey group;
    ResidualQuantiles all;
    std::array<ResidualQuantiles, residual_folds> without;  ///< each fold left out
    bool operator==(const ResidualEntry&) const = default;
};

/// The table `traincost validate --write-residuals` writes and `estimate` reads.
struct Residuals {
    std::vector<ResidualEntry> entries;
    bool operator==(const Residuals&) const = default;
};

/// One measured run's residual, with what it is grouped by (extent node or fabric).
struct Residual {
    ResidualGroupKey group;
    std::string id;
    double log_error;  ///< ln(measured / predicted)
};

/// The class residuals are pooled over: vendor generation, the first word of the architecture ("Hopper",
/// "Ampere").
std::string accelerator_class(const AcceleratorSpec& accelerator);

/// The narrowest group of a job's runs.
ResidualGroupKey residual_group(ResidualKind kind, const Job& job);

/// Quantiles of residuals by stack, class and extent, by stack and class, by stack, by class, and over all;
/// groups of fewer than `comparable_records` are left to the wider ones. Where stacks are pooled each stack
/// weighs the same: a stack with a thousand records says no more about an unknown one than a stack with
/// twenty.
Residuals residuals_from(std::span<const Residual> residuals);

/// Runs a group needs before its own residuals are used.
inline constexpr std::int64_t comparable_records = 20;

/// The narrowest group with enough records, in the order of `residuals_from`. `fold` leaves out the records
/// of one fold (-1: none). Nothing when the table is empty.
struct Comparable {
    const ResidualQuantiles* quantiles;
    std::string words;  ///< "682 runs of nanotron on Hopper"
    bool same_stack;
};
std::optional<Comparable> comparable(const Residuals& residuals, const ResidualGroupKey& group,
                                     int fold = -1);

/// Four of five comparable runs were measured between predicted·e^low and predicted·e^high.
Interval interval_80(const ResidualQuantiles& quantiles, double predicted);

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
                                             const Estimate& estimate, int fold = -1);

/// What `estimate` prints beside its numbers; each part is absent when there are no residuals at all.
struct Uncertainty {
    std::optional<Interval> step_time_s;
    std::optional<Interval> allocated_bytes, reserved_bytes, device_bytes;  ///< of the fullest stage
    std::optional<double> probability_of_fitting;
    Verdict verdict;              ///< without residuals as the estimate says
    std::string step_comparable;  ///< what the step's interval comes from: "26 runs of pytorch on Hopper"
    std::string memory_comparable;
};
Uncertainty uncertainty(const Residuals& residuals, const Job& job, const Estimate& estimate);

}  // namespace traincost
