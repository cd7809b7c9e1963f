// Time of attention kernels by shape, kernel generation and direction (docs/model.md, "Attention time").
#pragma once

#include <optional>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/kernel_shapes.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/attention_model.hpp"
#include "traincost/spec/kernel_models.hpp"

namespace traincost {

/// Time of softmax(q kT) v without host overhead; zero for an empty shape.
Seconds attention_forward_time(const AttentionShape& shape, const AttentionModel& model);

/// Time of its gradients dq, dk, dv: recomputes the scores, so 2.5 times the forward FLOPs.
Seconds attention_backward_time(const AttentionShape& shape, const AttentionModel& model);

/// The model of one kernel generation on an accelerator. Where the architecture has no such kernel: the
/// fastest older one it has. Nothing without a 16-bit peak or attention data.
std::optional<AttentionModel> attention_model(const AcceleratorSpec& accelerator, const KernelModels& kernels,
                                              AttentionGeneration generation);

/// Bytes a score of attention that writes 16-bit scores around one fused softmax kernel (Megatron): each
/// product writes or reads them once, softmax and its gradient pass over them, dropout too, with a mask of
/// one byte.
MathAttentionFit fused_softmax_bytes(bool dropout);

}  // namespace traincost
