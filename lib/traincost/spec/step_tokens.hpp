// Tokens of an optimizer step, where sequences are padded to the longest of their micro-batch.
#pragma once

#include <cstdint>

#include "traincost/spec/run.hpp"

namespace traincost {

/// Mean tokens of a sequence, padding included.
std::int64_t mean_length(const RunSpec& run);

/// Tokens of an optimizer step, padding included.
double tokens_per_step(const RunSpec& run);

}  // namespace traincost
