// Calibrations as JSON: what was fitted, and the stack records that hold it.
#pragma once

#include <span>
#include <string>

#include "traincost/fit/calibrate.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

/// {"schema_version", "calibrations": [{"stack", "fitted_to", "n", "error_before", "error_fitted",
/// "error_held_out", "constants": [...]}]}; errors as fractions.
std::string calibration_json(std::span<const Calibration> calibrations);

/// {"schema_version", "by", "cross_validations": [{"stack" | "accelerator", "fitted_to", "present": {...},
/// "groups": [{"group", "n", "error_as_is", "error_refitted", "constants": {...}}], "error_as_is",
/// "error_refitted"}]}.
std::string cross_validation_json(std::span<const CrossValidation> validations, const std::string& by);

/// The stack record `document` with the constants of `calibrations` (of that stack) and what they were fitted
/// to: FOLDER/stacks/ID.json of a folder for --data.
std::string calibrated_stack_record(const JsonDocument& document, std::span<const Calibration> calibrations,
                                    std::span<const std::string> sources);

}  // namespace traincost
