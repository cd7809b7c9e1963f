// Empirical constants of software stacks and accelerators, fitted to run records.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/fit/constant_fit.hpp"
#include "traincost/fit/records/record_job.hpp"
#include "traincost/fit/statistics.hpp"
#include "traincost/fit/validate.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// One constant before and after.
struct FittedConstant {
    const FitConstant* constant;
    double before;
    double after;
    double standard_error;  ///< of `after`, from the curvature of the fit
    bool bound;             ///< the records say something about it; else it is left as it was
    bool at_bound;          ///< ended at an end of its range: the records ask for something the model lacks
};

/// Records are held out in this many folds, by their identifiers (`fold_of`).
inline constexpr int calibration_folds = 5;

/// The constants of a stack (or an accelerator) fitted to its records. Errors are of the measurement, by all
/// records used; `held_out` predicts each of five folds with constants fitted to the other four.
struct Calibration {
    std::string subject;  ///< the stack, or the accelerator
    Subject of;
    Fitted to;
    std::vector<FittedConstant> constants;
    ErrorStatistics before;
    ErrorStatistics fitted;
    ErrorStatistics held_out;
};

struct CalibrationOptions {
    std::vector<std::string> constants;  ///< names; empty: all of stacks
    /// A stack with fewer is left alone; by 1 a cross-validation means 12.
    std::int64_t least_records = 1;
    std::int64_t most_records = 400;  ///< more are thinned, by identifier
    /// The stack that one is written over, by identifier: where its constants come from before there are
    /// records. Nothing where it is written over none.
    std::function<std::optional<StackSpec>(const std::string&)> base_of{};
    /// Where errors without a source refit constants: the stack whose record states those of one, by
    /// identifier, and whether a record of that stack rests a constant on runs. Absent: every stack its own,
    /// and all constants.
    std::function<std::string(const std::string&)> stated_by{};
    std::function<bool(const std::string&, std::string_view)> rests_on_runs{};
};

/// Fits each stack of the records (and, where their constants are named, each accelerator). A few records
/// move the constants in part (empirical Bayes), a dozen decide. Deterministic; uses all cores.
std::vector<Calibration> calibrate(std::span<const SourcedRecord> records, const JobOf& job_of,
                                   const CalibrationOptions& options);

/// The stack with the fitted constants in place.
StackSpec calibrated(StackSpec stack, const Calibration& calibration);

/// One group of records left out of a fit: its error with the present constants, and with those fitted to the
/// others.
struct LeftOutGroup {
    std::string group;
    ErrorStatistics as_is;
    ErrorStatistics refitted;
    std::vector<double> constants;  ///< fitted without the group, in the order of `CrossValidation::names`
};

/// How far a stack's (accelerator's) constants carry to records they were not fitted to.
struct CrossValidation {
    std::string subject;
    Subject of;
    Fitted to;
    std::vector<std::string_view> names;  ///< the constants the records have a bearing on
    std::vector<double> present;
    std::vector<LeftOutGroup> groups;
    ErrorStatistics as_is;  ///< of all groups together
    ErrorStatistics refitted;
};

/// One record's step time (rates inverted) or memory, predicted with stack constants fitted without its
/// source.
struct LeftOutError {
    std::string source;
    Fitted to;
    double as_it_stands;  ///< ln(predicted / measured) with the present constants
    double left_out;      ///< with constants fitted to the stack's other sources
    bool refitted;        ///< whether there are others
};

/// All records that state one. Before any record is seen a stack's constants are those of the stack it is
/// written over; each source counts as a few runs, because errors of one source are alike.
std::vector<LeftOutError> errors_without_source(std::span<const SourcedRecord> records, const JobOf& job_of,
                                                const CalibrationOptions& options);

/// What records can be grouped by in a cross-validation: "source", "accelerator", "stack", "model", "size",
/// "class".
std::span<const std::string_view> cross_validation_groups();

/// Leaves out each group of records in turn. Subjects whose records are all of one group are left out: there
/// is nothing to learn them from.
std::vector<CrossValidation> cross_validate(std::span<const SourcedRecord> records, const JobOf& job_of,
                                            const CalibrationOptions& options, std::string_view by);

}  // namespace traincost
