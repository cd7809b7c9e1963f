// An estimate as a spreadsheet whose formulas a spreadsheet program computes again.
#pragma once

#include <traincost/cost/estimate.hpp>
#include <traincost/spec/job.hpp>

#include <string>

namespace traincost::cli {

/// Writes `file` (.xlsx) with the sheets Input, Memory, Step and Output. Every term of memory and step is a
/// live formula of the symbols beside it; totals are sums of the terms, and rates, days and cost follow from
/// them. Output holds the numbers of a timeline where 'timeline --from' looks for them. Formulas carry our
/// results as cached values. `Error` where the file cannot be written.
void write_workbook(const std::string& file, const Job& job, const Estimate& estimate);

}  // namespace traincost::cli
