// A training log for a terminal.
#pragma once

#include "traincost/import/logs/training_log.hpp"
#include "traincost/report/table.hpp"

#include <string>
#include <vector>

namespace traincost {

/// The log `name`: what it prints, then what is odd about it.
std::vector<Table> tables_of(const TrainingLog& log, const std::string& name);

}  // namespace traincost
