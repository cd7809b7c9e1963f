// What somebody's own measured runs say about the next: the factor of their stack and machine, between what
// other sources' factors are and what the runs show (empirical Bayes).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traincost/fit/uncertainty.hpp"
#include "traincost/fit/validate.hpp"

namespace traincost {

/// How log errors, ln(measured / predicted), differ between sources and inside one. By moments, sources
/// alike; errors beyond a factor of two count as two.
struct SourceSpread {
    double mean;     ///< of sources' means
    double between;  ///< variance of sources' true means
    double within;   ///< variance inside a source
};
SourceSpread source_spread(std::span<const std::vector<double>> sources);

/// Where the next log error of a source is expected after the `own` ones: its mean, and the deviation of the
/// next single error.
///   m = (mu W + n B y) / (W + n B),   s^2 = W + W B / (W + n B)
/// B, W variances between and within sources, mu their mean, y the own mean of n.
struct NextError {
    double mean;
    double deviation;
};
NextError next_error(const SourceSpread& spread, std::span<const double> own);

/// Prediction of a source's runs after `own_runs` of them were measured; its source has no say in the spread.
/// Means over sources.
struct OwnRunsRow {
    std::int64_t own_runs;
    std::int64_t sources;  ///< with more runs than that
    double median_error;   ///< of the corrected prediction
    double held;           ///< share inside the 80 % interval of the next error
    double width;          ///< of the interval, high over low
};

/// For 0, 1, 3 and 10 own runs, over the sources that have at least 12 of the metric, the same ones in each
/// row. The own runs are those at even distances in the source's file.
std::vector<OwnRunsRow> own_runs_rows(const Validation& validation, std::span<const SourcedRecord> records,
                                      Metric metric);

}  // namespace traincost
