// What sources left out of intervals and fits show, as tables for people.
#pragma once

#include <span>
#include <string>

#include "traincost/fit/left_out.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// How often 80 % intervals hold from other sources' residuals alone.
Table coverage_table(std::span<const LeftOutCoverage> rows, LeftOutKinds kinds);
Table coverage_table(std::span<const LeftOutCoverage> rows, std::string title);
/// The errors of sources that no constant of a stack was fitted to.
Table left_out_error_table(std::span<const LeftOutMedians> rows);

}  // namespace traincost
