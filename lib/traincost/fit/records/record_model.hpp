// The model of a run record as a shape. A record states the dimensions; what it leaves to the architecture's
// family (norms, biases, non-linearity, rotated share) comes from the family's published definition.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traincost/fit/records/record.hpp"
#include "traincost/spec/model.hpp"

namespace traincost {

/// The shape a record describes, for runs of `sequence` tokens. Appends what was assumed, one line each; a
/// family we do not know is taken as Llama-like (rotary positions) or GPT-like (learned positions), and said.
ModelSpec model_of(const RecordModel& model, std::int64_t sequence, std::vector<std::string>& assumptions);

/// A shape as a record states it, and whether `model_of` makes the same parameters of it again.
struct DescribedModel {
    RecordModel model;
    bool whole;  ///< false: no family has its norms and biases, or a record has no word for a part of it
};

/// The record of a shape, under the family whose definition is nearest to it.
DescribedModel describe_model(const ModelSpec& model, std::int64_t sequence);

}  // namespace traincost
