// Whole jobs in JSON ("job/1"): what `--job` reads, and the resolved input that every answer repeats.
//
//   {"schema": "job/1",
//    "model": "llama-3.1-8b",                 a catalogue id, or a "model/1" object
//    "cluster": {"id": "dgx-h100", "accelerator": "h100-sxm5-80gb", "accelerators": 16, "per_node": 8},
//    "stack": "megatron-core",                an id, or a "stack/1" object
//    "run": {"sequence": 8192, "micro_batch": 1, "global_batch": 256, "precision": "bf16-mixed", …},
//    "operation": {"failure_rate": "llama-3-405b", "storage_GBps": 200, "pue": 1.1, …}}
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "traincost/io/catalogue.hpp"
#include "traincost/io/json.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// The parts a job file names; each may be left to the command line.
struct JobFile {
    std::optional<ModelSpec> model{};
    std::optional<std::string> cluster{};               ///< id or alias of a node type
    std::optional<std::string> accelerator{};           ///< id or alias
    std::optional<AcceleratorSpec> accelerator_spec{};  ///< where the file describes it itself
    std::optional<std::int64_t> accelerators{};
    std::optional<std::int64_t> per_node{};
    std::optional<StackSpec> stack{};
    std::optional<RunSpec> run{};
    Operation operation{};
    bool names_dp = false;  ///< the run says its data-parallel degree
};

/// Reads a "job/1" object, or the `input` of an answer that repeats one; `Error` of kind input or not_found
/// where a key is unknown or a value is not allowed.
JobFile job_file_from_json(const JsonNode& node, const Catalogue& catalogue);

/// Writes the job in full, so that `job_file_from_json` reads the same job back.
void write_json(JsonWriter& out, const Job& job, const Operation& operation = {});

}  // namespace traincost
