// A training log as JSON: the answer of `traincost read`.
#pragma once

#include "traincost/import/logs/training_log.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

/// The value: an object with "kind": "log". What the log does not print is null.
void write_json(JsonWriter& out, const TrainingLog& log);

}  // namespace traincost
