// The table of residuals (data/bench/residuals.json), which `traincost validate --write-residuals` generates.
#pragma once

#include <string>

#include "traincost/fit/uncertainty.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

/// Reads "residuals/2"; `Error` of kind input where it is not that.
Residuals residuals_from_json(const JsonNode& node);

/// What `residuals_from_json` reads back equal, to the written digits.
std::string residuals_json(const Residuals& residuals);

/// The table built into the library, or `folder`/bench/residuals.json where that file is there. Empty when
/// there is neither.
Residuals read_residuals(const std::string& folder = {});

}  // namespace traincost
