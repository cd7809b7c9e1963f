// Frozen weights that are stored in 4 bits and multiplied in the compute format.
#pragma once

#include "traincost/cost/ops/op_builder.hpp"

namespace traincost {

/// Whether the products of `module` have a quantised base.
bool has_quantised_weights(const Job& job, Module module);

/// Adds to `product` what makes its weights, `matrices` of them, in the compute format: in each pass, as the
/// input gradient needs them again. [Dettmers23, §3]
void restore_weights(OpBuilder& build, Operator& product, int matrices);

}  // namespace traincost
