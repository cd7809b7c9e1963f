// A training log for a terminal.
#pragma once

#include "traincost/import/logs/training_log.hpp"
#include "traincost/report/table.hpp"

#include <string>
#include <vector>

namespace traincost {

/// The log `name`, at most 80 columns wide: what it prints, then what is odd about it.
std::vector<Table> tables_of(const TrainingLog& log, const std::string& name);

/// `text` in lines of at most `width` columns, broken at blanks; lines after the first begin with two blanks.
std::string wrapped(const std::string& text, std::size_t width);

}  // namespace traincost
