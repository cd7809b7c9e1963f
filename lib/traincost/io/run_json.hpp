// Runs in JSON: what is trained how.
#pragma once

#include "traincost/io/json.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

/// Reads the "run" object of a job; `Error` of kind input where a key is unknown, missing or not allowed.
/// `precision` is a recipe's name, or an object with the recipe's `name` and the parts that differ.
RunSpec run_from_json(const JsonNode& node);

/// Writes an object that `run_from_json` reads back equal.
void write_json(JsonWriter& out, const RunSpec& run);

}  // namespace traincost
