// How a run is operated, in a job's JSON: "operation".
#pragma once

#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/spec/draft/job_draft.hpp"

namespace traincost {

/// Reads the object into the draft; `Error` of kind input where a key is unknown or a value out of its range.
void read_operation(const JsonNode& node, JobDraft& draft);
/// The same alone.
Operation operation_from_json(const JsonNode& node);

/// Writes the object: every field that says something.
void write_json(JsonWriter& out, const Operation& operation);

}  // namespace traincost
