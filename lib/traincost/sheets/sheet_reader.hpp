// Numbers of a spreadsheet file (.xlsx) as it was last saved.
#pragma once

#include <map>
#include <string>

namespace traincost {

/// The cells of the sheet called `sheet` that hold a number, by place ("G1"): cached values of formulas too.
/// `Error` of kind input where the file is no spreadsheet or has no such sheet.
std::map<std::string, double> sheet_numbers(const std::string& file, const std::string& sheet);

}  // namespace traincost
