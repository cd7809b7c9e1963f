// Time of attention kernels by shape, kernel generation and direction (docs/model.md, "Attention time").
#pragma once

#include <optional>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/kernels/bandwidth.hpp"
#include "traincost/cost/kernels/gemm.hpp"
#include "traincost/cost/kernels/kernel_shapes.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/kernels/attention_model.hpp"
#include "traincost/spec/kernels/kernel_models.hpp"

namespace traincost {

/// Time of softmax(q kT) v without host overhead; zero for an empty shape.
Seconds attention_forward_time(const AttentionShape& shape, const AttentionModel& model);

/// Time of its gradients dq, dk, dv: recomputes the scores, so 2.5 times the forward FLOPs.
Seconds attention_backward_time(const AttentionShape& shape, const AttentionModel& model);

/// What attention that writes its scores runs on: batched products around one softmax kernel, and one of
/// dropout.
struct BatchedAttention {
    const GemmModel* gemm;
    const BandwidthModel* memory;
    double element;     ///< bytes of a score
    double misaligned;  ///< fraction of the peak where the head dimension is no multiple of 16 bytes
    bool dropout;
    bool written_out = false;  ///< by one's own code, not by scaled_dot_product_attention's math path
};

/// Time of both products, softmax and dropout over all (not only the visible) scores.
Seconds batched_attention_forward_time(const AttentionShape& shape, const BatchedAttention& kernels);

/// Time of the four products of backward and of the two kernels between them.
Seconds batched_attention_backward_time(const AttentionShape& shape, const BatchedAttention& kernels);

/// Time of both products and of the eager operators between them on fp32 scores.
Seconds wide_attention_forward_time(const AttentionShape& shape, const BatchedAttention& kernels);

/// Time of the four products of backward and of the softmax between them.
Seconds wide_attention_backward_time(const AttentionShape& shape, const BatchedAttention& kernels);

/// The model of one kernel generation on an accelerator. Where the architecture has no such kernel: the
/// fastest older one it has. On operands of 32-bit `type` the fit runs at their share of its rate. Nothing
/// without a 16-bit peak or attention data.
std::optional<AttentionModel> attention_model(const AcceleratorSpec& accelerator, const KernelModels& kernels,
                                              AttentionGeneration generation, DataType type = DataType::bf16);

}  // namespace traincost
