// Estimates in JSON: base units, the unit in the key.
#pragma once

#include <span>
#include <string>

#include "traincost/cost/estimate.hpp"
#include "traincost/fit/uncertainty.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/plan/operation.hpp"

namespace traincost {

inline constexpr int estimate_schema_version = 1;

/// Writes the members schema_version, input, params, fits, memory, step, throughput, training, cost, energy,
/// reliability and assumptions into the object that is open, so that a caller may add its own. What the job
/// and its operation do not say (tokens, price, power, failures) is null.
void write_estimate_members(JsonWriter& out, const Job& job, const Estimate& estimate,
                            const Uncertainty& sure, std::span<const std::string> assumptions,
                            const Operation& operation = {});

}  // namespace traincost
