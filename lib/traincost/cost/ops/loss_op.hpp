#pragma once

#include "traincost/cost/ops/op_builder.hpp"

namespace traincost {

/// The loss over the logits that `head` makes, `head.gemm.m` tokens of `head.gemm.n` logits: bytes kept,
/// alive for a time and walked, and launches, by the stack's kernel. A loss that runs the head a chunk at a
/// time changes what the head holds too.
Operator loss_op(const OpBuilder& build, Operator& head);

}  // namespace traincost
