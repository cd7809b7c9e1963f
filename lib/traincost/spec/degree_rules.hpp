// Degrees that the model alone allows or not: heads, widths and experts that they must divide.
#pragma once

#include "traincost/spec/check.hpp"
#include "traincost/spec/model.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

/// Adds every problem of tp, ep and, beside mixers that keep a state, cp; paths start with "parallel.".
void validate_degrees(const ModelSpec& model, const Parallelism& parallel, Checker& check);

/// Whether there is none.
bool divides_model(const ModelSpec& model, const Parallelism& parallel);

}  // namespace traincost
