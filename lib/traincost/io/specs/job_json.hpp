// Whole jobs in JSON ("job/1"): what `--job` reads, and the resolved input that every answer repeats.
//
//   {"schema": "job/1",
//    "model": "llama-3.1-8b",                 a catalogue id, or a "model/1" object
//    "cluster": {"id": "dgx-h100", "accelerator": "h100-sxm5-80gb", "accelerators": 16, "per_node": 8},
//    "stack": "megatron-core",                an id, or a "stack/2" object
//    "run": {"sequence": 8192, "micro_batch": 1, "global_batch": 256, "precision": "bf16-mixed", …},
//    "operation": {"failure_rate": "llama-3-405b", "storage_GBps": 200, "pue": 1.1, …}}
#pragma once

#include "traincost/io/catalogue.hpp"
#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/spec/draft/job_draft.hpp"
#include "traincost/spec/job.hpp"
#include "traincost/spec/operation.hpp"

namespace traincost {

/// What a "job/1" object says, or the `input` of an answer that repeats one; any part may be left to others.
/// Names of the catalogue become ids. `Error` of kind input or not_found where a key is unknown or a value is
/// not allowed.
JobDraft job_draft_from_json(const JsonNode& node, const Catalogue& catalogue);

/// Writes the job in full, so that `job_draft_from_json` reads the same job back.
void write_json(JsonWriter& out, const Job& job, const Operation& operation = {});

}  // namespace traincost
