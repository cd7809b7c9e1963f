// Measured costs of the driver's memory: data/bench/allocator.json.
#pragma once

#include "traincost/io/json.hpp"
#include "traincost/spec/kernels/allocator_model.hpp"

namespace traincost {

/// Reads an "allocator/1" record; `Error` of kind input where a key is unknown, missing or out of range.
AllocatorModel allocator_model_from_json(const JsonNode& node);

}  // namespace traincost
