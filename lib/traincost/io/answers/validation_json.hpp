// A validation as JSON, for scripts.
#pragma once

#include <span>
#include <string>

#include "traincost/fit/validate.hpp"

namespace traincost {

/// {"schema_version", "records", "evaluated", "skipped", "rows", "summary", "ranking", "ranking_one_fabric",
/// "safety"}: seconds, bytes and TFLOP/s; errors as fractions of the measurement.
std::string validation_json(const Validation& validation, std::span<const SourcedRecord> records);

}  // namespace traincost
