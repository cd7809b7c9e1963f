// A validation as tables for people.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/fit/summary.hpp"
#include "traincost/fit/validate.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// What a metric is called over a table.
std::string_view metric_title(Metric metric);
/// A name and all statistics of a row, as columns n, mean |error|, median, 90 %, worst, bias, within 10 %,
/// the share an 80 % interval holds, and the share it holds as a new source.
std::vector<Cell> error_cells(std::string_view name, const SummaryRow& row);
/// Errors by group, one table a metric. `kind` picks the groups: "all" with "table", "source", "stack" or
/// "accelerator"; empty for every one.
std::vector<Table> error_tables(const Validation& validation, std::string_view kind);
/// Fits or out of memory: accuracy and recalls by group.
std::vector<Table> verdict_tables(const Validation& validation, std::string_view kind);
/// How honest probabilities of fitting are.
std::vector<Table> safety_tables(const Validation& validation);
/// What the ranking of layouts by predicted time costs.
std::vector<Table> ranking_tables(const Validation& validation);
/// Every row, measured beside predicted.
Table row_table(const Validation& validation, std::span<const SourcedRecord> records);
/// The `n` rows of `metric` with the largest error, `of_source` of one source at most, each with what the
/// source leaves open.
Table worst_table(const Validation& validation, std::span<const SourcedRecord> records, Metric metric,
                  std::size_t n, std::size_t of_source = std::numeric_limits<std::size_t>::max());
/// Records that gave no row, by reason.
Table skipped_table(const Validation& validation, std::span<const SourcedRecord> records);
/// Mean signed log error by the values of `keys`.
Table residual_table(const Validation& validation, std::span<const SourcedRecord> records, Metric metric,
                     std::span<const std::string> keys);

}  // namespace traincost
