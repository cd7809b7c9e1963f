// The answer of `calibrate`, printed.
#pragma once

#include <string>
#include <vector>

#include "traincost/ask/measured/calibrate_question.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// None where there was nothing to fit to.
std::vector<Table> calibrate_tables(const CalibrateAnswer& answer);

/// Why there was nothing to fit to; empty where there was.
std::string nothing_fitted_text(const CalibrateAnswer& answer);

/// As one JSON object; empty where there is none: of accelerators left out.
std::string calibrate_json(const CalibrateAnswer& answer);

}  // namespace traincost
