// Runs in JSON: what is trained how.
#pragma once

#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/spec/draft/job_draft.hpp"

namespace traincost {

/// A recipe's name, or an object with the recipe's `name` and the parts that differ; `Error` of kind input
/// where a key is unknown or not allowed.
NamedPrecision precision_from_json(const JsonNode& node);

/// Reads the "run" object of a job into the draft; `Error` of kind input where a key is unknown, or a value
/// not allowed.
void read_run(const JsonNode& node, JobDraft& draft);

/// Writes the "run" object of a job, which `read_run` reads back.
void write_json(JsonWriter& out, const RunSpec& run);

}  // namespace traincost
