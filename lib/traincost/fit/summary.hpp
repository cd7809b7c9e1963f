// Errors of a validation by group: what `validate` prints, and the tables that look for causes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/fit/validate.hpp"

namespace traincost {

/// Fills `summary`, `fits`, `safety` and `ranking` from the rows.
void summarize(std::span<const SourcedRecord> records, Validation& validation);

/// The keys records are grouped and filtered by.
std::span<const std::string_view> record_keys();
/// A record's value of a key of `record_keys`: "8" for tp, "7B-13B" for size, "full" for recompute. Nothing
/// for another key.
std::optional<std::string> record_key(const SourcedRecord& record, const RecordFacts& facts,
                                      std::string_view key);

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
