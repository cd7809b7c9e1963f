// Names and values of a JSON object, cells of a row of a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/logs/lines/log_taker.hpp"

namespace traincost {

using TakeValue = LogTaker<std::string_view /*name*/, std::string_view /*value*/>;

/// Calls `take` for every value of a JSON object, with the names of the objects around it before its own; a
/// string without its quotes. A value that the end of the line cuts off is left out.
void for_each_member(std::string_view line, const TakeValue& take);

/// Calls `take` for every object of an array that stands in one line.
void for_each_object(std::string_view line, const LogTaker<std::string_view>& take);

using TakeCell = LogTaker<std::string_view /*cell*/, bool /*last*/>;

/// Calls `take` for every field of a row between separators, without the quotes around it.
void for_each_cell(std::string_view line, char separator, const TakeCell& take);

/// The fields of a row.
std::vector<std::string> fields_of_row(std::string_view line, char separator);

}  // namespace traincost
