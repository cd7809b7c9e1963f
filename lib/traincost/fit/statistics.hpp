// Order statistics and means of errors.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace traincost {

/// Arithmetic mean; 0 for no values.
double mean(std::span<const double> values);

/// The p-quantile of ascending values, linear between order statistics [HyndmanFan96, type 7]; 0 for no
/// values.
double quantile(std::span<const double> ascending, double p);

/// How far predictions lie from measurements, from signed relative errors (predicted - measured) / measured.
struct ErrorStatistics {
    std::int64_t n;
    double mape;          ///< mean of |error|
    double median_ape;    ///< median of |error|
    double p90_ape;       ///< 90th percentile of |error|
    double worst_ape;     ///< largest |error|
    double bias;          ///< mean error
    double within_10pct;  ///< share with |error| <= 0.1
};
ErrorStatistics error_statistics(std::span<const double> errors);

/// One of `folds` folds, from the bytes of the identifier alone: the same record always falls into the same
/// fold, whatever else is in the file (FNV-1a, 64 bits [Noll91]).
int fold_of(std::string_view identifier, int folds);

}  // namespace traincost
