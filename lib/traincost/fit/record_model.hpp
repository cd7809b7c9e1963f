// The model of a run record as a shape. A record states the dimensions; what it leaves to the architecture's
// family (norms, biases, non-linearity, rotated share) comes from the family's published definition.
#pragma once

#include <string>
#include <vector>

#include "traincost/fit/record.hpp"
#include "traincost/spec/model.hpp"

namespace traincost {

/// The shape a record describes, for runs of `sequence` tokens. Appends what was assumed, one line each; a
/// family we do not know is taken as Llama-like (rotary positions) or GPT-like (learned positions), and said.
ModelSpec model_of(const RecordModel& model, std::int64_t sequence, std::vector<std::string>& assumptions);

}  // namespace traincost
