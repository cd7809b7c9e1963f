// Empirical constants fitted to run records: which there are, and the fit itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "traincost/fit/records/record.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// Which measurements a constant is fitted to.
enum class Fitted : std::uint8_t { time, memory };

/// Whose constant it is.
enum class Subject : std::uint8_t { stack, accelerator };

/// A constant that may be fitted, the range it makes sense in, and how a data file spells it.
struct FitConstant {
    std::string_view name;  ///< its key in a stack record, or in an accelerator's GEMM data
    Subject of;
    Fitted to;
    double low;
    double high;
    double (*get)(const Job& job);
    void (*set)(Job& job, double value);
    bool by_name = false;  ///< fitted only where it is asked for: runs of few kinds bear on it
};
std::span<const FitConstant> fit_constants();

/// A record that can be predicted.
struct FitSample {
    const RunRecord* record;
    Job job;
};
using FitSamples = std::vector<const FitSample*>;
using ChosenConstants = std::vector<const FitConstant*>;

/// Constants fitted to samples that share them.
struct ConstantFit {
    std::vector<double> values;
    std::vector<double> standard_errors;  ///< from the curvature of the fit
    std::vector<bool> bound;              ///< the records say something about it; else it is as it was
    std::vector<bool> at_bound;  ///< at an end of its range: the records ask for what the model lacks
};

/// What a fit knows before it sees its samples.
struct FitPrior {
    /// The pull of each constant to its centre: errors' variance over that of the constant in units of its
    /// range. The default decides only what the samples don't.
    double weight = 0.02;
    /// One a constant; empty: the values that the first sample's job has.
    std::vector<double> centre{};
    /// One a sample, 1 for one that stands for itself; empty: all 1.
    std::vector<double> sample_weights{};
};

/// Least squares on ln(predicted / measured) with Huber's loss (threshold `huber_threshold`),
/// Levenberg-Marquardt steps inside the ranges from the best of a scan, and the prior's pull. Deterministic;
/// uses all cores.
ConstantFit fit(const FitSamples& samples, Fitted to, const ChosenConstants& chosen,
                const FitPrior& prior = {});

/// ln(predicted / measured) of the samples' rows of that kind, rates inverted, with these values in place;
/// without values as the jobs are.
std::vector<double> log_errors(const FitSamples& samples, Fitted to, const ChosenConstants& chosen,
                               const std::vector<double>& values);

/// Errors larger than this grow the loss linearly: an outlier pulls, but not with its square [Huber64].
inline constexpr double huber_threshold = 0.15;

}  // namespace traincost
