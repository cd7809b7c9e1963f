// The answer to a scaling question as JSON.
#pragma once

#include "traincost/ask/questions/scale_question.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

/// {"flops", "laws", "given_size", "lifetime", "assumptions"}, the middle two where they were asked for.
void write_json(JsonWriter& out, const ScalingBudget& question);

}  // namespace traincost
