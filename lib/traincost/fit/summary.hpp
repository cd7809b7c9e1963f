// Errors of a validation by group: what `validate` prints, and the tables that look for causes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/fit/record_groups.hpp"
#include "traincost/fit/validate.hpp"

namespace traincost {

/// Fills `summary`, `fits`, `safety`, `layouts` and the rankings from the rows, which has `validate` made.
void summarize(std::span<const SourcedRecord> records, const RecordGroups& groups, Validation& validation);

/// Rows of one metric whose records share the values of some keys.
struct ResidualGroup {
    std::vector<std::string> values;
    std::int64_t n;
    double mean_log_error;  ///< mean of ln(predicted / measured)
    double spread;          ///< its standard deviation
    double mape;
};
std::vector<ResidualGroup> residual_groups(const Validation& validation,
                                           std::span<const SourcedRecord> records, Metric metric,
                                           std::span<const std::string> keys);

}  // namespace traincost
