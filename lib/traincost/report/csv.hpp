// Tables as comma-separated values [RFC 4180]: base units, every digit.
#pragma once

#include <span>
#include <string>

#include "traincost/report/table.hpp"

namespace traincost {

/// One table: its columns and rows, the unit of a column that has one in its title ("memory [byte]").
/// Several: one line a cell, with the columns table, row, column, value, unit; the row is named by its first
/// cell. Remarks are left out.
std::string to_csv(std::span<const Table> tables);

}  // namespace traincost
