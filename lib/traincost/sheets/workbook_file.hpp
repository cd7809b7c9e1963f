// A workbook as a file of a spreadsheet program.
#pragma once

#include "traincost/report/workbook.hpp"

#include <string>

namespace traincost {

/// Writes `file` (.xlsx) with the workbook's sheets. Formulas carry our results as cached values. `Error`
/// where the file cannot be written.
void write_workbook(const std::string& file, const Workbook& workbook);

}  // namespace traincost
