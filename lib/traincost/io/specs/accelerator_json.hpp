// Accelerators in JSON ("accelerator/1").
#pragma once

#include <string>

#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/spec/accelerator.hpp"

namespace traincost {

/// Reads an "accelerator/1" record; `Error` of kind input where a key is unknown, missing or of the wrong
/// type, or a figure that an estimate needs is unpublished.
AcceleratorSpec accelerator_from_json(const JsonNode& node);

/// Writes an object that `accelerator_from_json` reads back equal.
void write_json(JsonWriter& out, const AcceleratorSpec& accelerator);

}  // namespace traincost
