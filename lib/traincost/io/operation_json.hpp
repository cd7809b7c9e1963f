// How a run is operated, in a job's JSON: "operation".
#pragma once

#include "traincost/io/json.hpp"
#include "traincost/plan/operation.hpp"

namespace traincost {

/// Reads the object; `Error` of kind input where a key is unknown or a value out of its range.
Operation operation_from_json(const JsonNode& node);

/// Writes the object: every field that says something.
void write_json(JsonWriter& out, const Operation& operation);

}  // namespace traincost
