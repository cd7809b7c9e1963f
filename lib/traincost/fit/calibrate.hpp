// Empirical constants of software stacks, fitted to run records.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/fit/record_job.hpp"
#include "traincost/fit/statistics.hpp"
#include "traincost/fit/validate.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// Which measurements a constant is fitted to.
enum class Fitted : std::uint8_t { time, memory };

/// A constant of a stack that may be fitted, the range it makes sense in, and how a data file spells it.
struct StackConstant {
    std::string_view name;  ///< its key in a stack record
    Fitted to;
    double low;
    double high;
    double (*get)(const StackSpec& stack);
    void (*set)(StackSpec& stack, double value);
};
std::span<const StackConstant> stack_constants();

/// One constant before and after.
struct FittedConstant {
    const StackConstant* constant;
    double before;
    double after;
    double standard_error;  ///< of `after`, from the curvature of the fit
    bool bound;             ///< the records say something about it; else it is left as it was
    bool at_bound;          ///< ended at an end of its range: the records ask for something the model lacks
};

/// Records are held out in this many folds, by their identifiers (`fold_of`).
inline constexpr int calibration_folds = 5;

/// A stack's constants fitted to its records. Errors are of the measurement, by all records used; `held_out`
/// predicts each of five folds with constants fitted to the other four.
struct Calibration {
    std::string stack;
    Fitted to;
    std::vector<FittedConstant> constants;
    ErrorStatistics before;
    ErrorStatistics fitted;
    ErrorStatistics held_out;
};

struct CalibrationOptions {
    std::vector<std::string> constants;  ///< names; empty: all
    std::int64_t least_records = 12;     ///< a stack with fewer is left alone
    std::int64_t most_records = 400;     ///< more are thinned, by identifier
};

/// Fits each stack of the records, by least squares on ln(predicted / measured) with Huber's loss (threshold
/// `huber_threshold`), Levenberg-Marquardt steps inside the ranges, and a weak pull to the present value that
/// decides what the records don't. Deterministic; uses all cores.
std::vector<Calibration> calibrate(std::span<const SourcedRecord> records, const JobOf& job_of,
                                   const CalibrationOptions& options);

/// Errors larger than this grow the loss linearly: an outlier pulls, but not with its square [Huber64].
inline constexpr double huber_threshold = 0.15;

/// The stack with the fitted constants in place.
StackSpec calibrated(StackSpec stack, const Calibration& calibration);

}  // namespace traincost
