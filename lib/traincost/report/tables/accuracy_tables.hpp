// A validation as the accuracy page shows it, and as the file beside it.
#pragma once

#include <string>
#include <string_view>

#include "traincost/fit/validate.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// One row a measure: all records together.
Table measure_overview(const Validation& validation);

/// One row a group of `kind` ("table", "source", "stack" or "accelerator") under `title`: errors in step time
/// (TFLOP/s where a group states no step time) and in memory side by side, and the verdicts.
Table overview_table(const Validation& validation, std::string_view kind, std::string title);

/// One row a group and measure with all its statistics, six digits each: docs/accuracy.csv.
Table measures_table(const Validation& validation);

}  // namespace traincost
