#include "traincost/cost/kernels/attention_time.hpp"

#include <algorithm>
#include <cmath>

namespace traincost {

namespace {

// FLOPs of the backward kernel over those of forward: five products of the size of forward's two [Dao23,
// Sec. 3.1].
constexpr double backward_flops = 2.5;

double interpolate(double x, const std::array<double, AttentionCurve::knots>& xs,
                   const std::array<double, AttentionCurve::knots>& ys) {
    if (x <= xs.front()) {
        return ys.front();
    }
    for (std::size_t i = 1; i < xs.size(); ++i) {
        if (x <= xs[i]) {
            const double f = (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
            return ys[i - 1] * (1 - f) + ys[i] * f;
        }
    }
    return ys.back();
}

// Slowing of a grid of `blocks` on `units`: idle units where there are fewer blocks than units.
double occupancy(double blocks, double units) {
    return blocks < units ? units / blocks : 1.0;
}

// The head dimension of the kernel that takes heads of `dim` (one H200, torch 2.11, cuDNN 9.19, 2026-11-26:
// heads of 72 to 120 take the time of 128 in cuDNN's kernels, of 72 and 80 that of 96 in FlashAttention-2's,
// of 144 and 160 that of 192 in both, and up to a tenth more). Heads below the smallest of the curve stay as
// they are: what older kernels make of those is not measured.
double padded_head(double dim, const AttentionFit& fit, const AttentionCurve& curve) {
    if (dim <= curve.head_dim.front())
        return dim;
    constexpr double fine = 128;
    constexpr double coarse_step = 64;
    const double step =
        dim > fine && fit.head_step > 1 ? std::max(fit.head_step, coarse_step) : fit.head_step;
    return std::ceil(dim / step) * step;
}

// t = t0 + F (1 + (X + [causal] X_c) / keys) / (e peak) · occupancy, no less than the operands' bytes at the
// bandwidth
Seconds kernel_time(const AttentionShape& a, const AttentionModel& model, const AttentionCurve& curve,
                    double flop_factor, double operand_factor) {
    const AttentionFit& fit = *model.fit;
    const double keys = mean_keys(a);
    const double head = padded_head(a.qk_dim, fit, curve);
    const double width = head + padded_head(a.v_dim, fit, curve);
    const double flops = flop_factor * 2 * a.batch * a.heads * a.queries * keys * width;
    const double e = interpolate(head, curve.head_dim, curve.efficiency);
    double extra = interpolate(head, curve.head_dim, curve.extra_keys);
    if (a.causal) {
        extra += interpolate(head, curve.head_dim, curve.causal_keys);
    }
    const double blocks = a.batch * a.heads * std::ceil(a.queries / fit.query_block);
    const double compute =
        flops * (1 + extra / keys) / (e * model.peak.value()) * occupancy(blocks, model.units);
    const double masked = a.masked ? std::max(1.0, interpolate(head, curve.head_dim, curve.masked)) : 1.0;
    const double elements = a.batch * (a.heads * a.queries + a.kv_heads * a.keys) * (a.qk_dim + a.v_dim);
    const double memory = operand_factor * model.element * elements / model.bandwidth.value();
    return fit.launch + Seconds(std::max(compute * masked, memory));
}

bool empty(const AttentionShape& a) {
    return !(a.batch * a.heads * a.queries * a.keys > 0);
}

Seconds score_time(const AttentionShape& a, double bytes_per_score, const AttentionModel& model) {
    return Bytes(a.batch * a.heads * a.queries * a.keys * bytes_per_score) / model.bandwidth;
}

}  // namespace

Seconds attention_forward_time(const AttentionShape& shape, const AttentionModel& model) {
    if (empty(shape)) {
        return Seconds();
    }
    if (!model.fit) {
        return score_time(shape, model.math.forward_bytes, model);
    }
    return kernel_time(shape, model, model.fit->forward, 1.0, 1.0);
}

Seconds attention_backward_time(const AttentionShape& shape, const AttentionModel& model) {
    if (empty(shape)) {
        return Seconds();
    }
    if (!model.fit) {
        return score_time(shape, model.math.backward_bytes, model);
    }
    // q, k, v, o and the gradient are read, dq, dk, dv written.
    const Seconds time = kernel_time(shape, model, model.fit->backward, backward_flops, 2.5);
    return shape.kv_heads < shape.heads ? time * model.fit->shared_keys : time;
}

namespace {

// Products of the heads: one kernel of a count, without the sorting of a grouped one. Heads of `dim` lie side
// by side, so one off the 16-byte grid puts every operand off it.
Seconds batched_product_time(double m, double n, double k, double dim, const AttentionShape& a,
                             const BatchedAttention& kernels) {
    GemmModel batched = *kernels.gemm;
    batched.fit.grouped = 1;
    batched.fit.grouped_prologue = 0;
    const double count = a.batch * a.heads;
    const Seconds time = gemm_time({m, n, k, count}, GemmPass::forward, batched);
    constexpr double grid_bytes = 16;
    if (std::fmod(dim * kernels.element, grid_bytes) == 0) {
        return time;
    }
    return std::max(time, Flops(2 * m * n * k * count) / (batched.peak * kernels.misaligned));
}

// Softmax and dropout over the scores; `softmax` and `dropout` passes of e bytes each, a mask of one byte.
Seconds score_walk_time(const AttentionShape& a, double softmax, double dropout, const BatchedAttention& k) {
    const double scores = a.batch * a.heads * a.queries * a.keys;
    Seconds time = memory_time(Bytes(scores * k.element * softmax), MemoryAccess::stream, *k.memory);
    if (k.dropout) {
        time += memory_time(Bytes(scores * (k.element * dropout + 1)), MemoryAccess::dropout, *k.memory);
    }
    return time;
}

Seconds backward_products_time(const AttentionShape& a, const BatchedAttention& kernels) {
    return batched_product_time(a.queries, a.keys, a.v_dim, a.v_dim, a, kernels) +
           batched_product_time(a.keys, a.v_dim, a.queries, a.v_dim, a, kernels) +
           batched_product_time(a.queries, a.qk_dim, a.keys, a.qk_dim, a, kernels) +
           batched_product_time(a.keys, a.qk_dim, a.queries, a.qk_dim, a, kernels);
}

// Share of the scores that a causal softmax reads; all are written, the masked ones as zeros.
double read_share(const AttentionShape& a) {
    return a.causal && a.queries == a.keys ? 0.5 : 1.0;
}

}  // namespace

// S = Q K^T, P = softmax(S), dropout(P), O = P V
Seconds batched_attention_forward_time(const AttentionShape& a, const BatchedAttention& kernels) {
    if (empty(a)) {
        return Seconds();
    }
    return batched_product_time(a.queries, a.keys, a.qk_dim, a.qk_dim, a, kernels) +
           batched_product_time(a.queries, a.v_dim, a.keys, a.v_dim, a, kernels) +
           score_walk_time(a, 1 + read_share(a), 2, kernels);
}

// dP = dO V^T, dV = P^T dO, dS from P and dP, dQ = dS K, dK = dS^T Q
Seconds batched_attention_backward_time(const AttentionShape& a, const BatchedAttention& kernels) {
    if (empty(a)) {
        return Seconds();
    }
    return backward_products_time(a, kernels) + score_walk_time(a, 1 + 2 * read_share(a), 2, kernels);
}

namespace {

// Bytes a score that eager operators in fp32 walk between the products: scale, mask, softmax and its guard
// against rows without keys; backward the softmax alone. 12.8 and 6.1 ms for 1.07e9 scores beside products in
// tf32 and in fp32 (scaled_dot_product_attention of 32 heads over 8 of keys, H200, torch 2.11, 2026-11-22).
constexpr double wide_forward_bytes = 50;
constexpr double wide_backward_bytes = 24;

// Written out by one's own code: one guard less, and a mask filled in and a scale that go back as well (six
// steps of three shapes each way in tf32 and in fp32, H200, torch 2.11, 2026-11-27: 5 to 13 less, 25 more).
constexpr double written_out_forward_bytes = 41;
constexpr double written_out_backward_bytes = 49;
// With a mask of a byte; 11 and 9 measured.
constexpr double wide_dropout_bytes = 10;

Seconds wide_walk_time(const AttentionShape& a, double bytes_per_score, const BatchedAttention& k) {
    const double scores = a.batch * a.heads * a.queries * a.keys;
    if (k.dropout)
        bytes_per_score += wide_dropout_bytes;
    return memory_time(Bytes(scores * bytes_per_score), MemoryAccess::stream, *k.memory);
}

}  // namespace

Seconds wide_attention_forward_time(const AttentionShape& a, const BatchedAttention& kernels) {
    if (empty(a)) {
        return Seconds();
    }
    return batched_product_time(a.queries, a.keys, a.qk_dim, a.qk_dim, a, kernels) +
           batched_product_time(a.queries, a.v_dim, a.keys, a.v_dim, a, kernels) +
           wide_walk_time(a, kernels.written_out ? written_out_forward_bytes : wide_forward_bytes, kernels);
}

Seconds wide_attention_backward_time(const AttentionShape& a, const BatchedAttention& kernels) {
    if (empty(a)) {
        return Seconds();
    }
    return backward_products_time(a, kernels) +
           wide_walk_time(a, kernels.written_out ? written_out_backward_bytes : wide_backward_bytes, kernels);
}

namespace {

// Rate of the memory-efficient kernel on 32-bit operands over that on 16-bit ones: 0.24 to 0.32 in three
// shapes, both directions (H200, torch 2.11, 2026-11-22); the same whether products may use tf32.
constexpr double wide_kernel_rate = 0.265;

/// Whether a kernel is of one vendor's accelerators.
bool is_of_vendor(AttentionGeneration generation) {
    return generation == AttentionGeneration::flash_pallas || generation == AttentionGeneration::flash_aiter;
}

/// What runs where `asked` is asked for: FlashAttention-2 in place of another vendor's kernel, and the
/// accelerator's own vendor's in place of generations later than that, where current stacks run it.
AttentionGeneration kernel_asked(AttentionGeneration asked, const AttentionFits& fits) {
    if (is_of_vendor(asked))
        return fits.by_generation[static_cast<std::size_t>(asked)] ? asked : AttentionGeneration::flash2;
    const bool later = asked == AttentionGeneration::flash3 || asked == AttentionGeneration::flash4;
    return later && is_of_vendor(fits.fastest) ? fits.fastest : asked;
}

}  // namespace

std::optional<AttentionModel> attention_model(const AcceleratorSpec& accelerator, const KernelModels& kernels,
                                              AttentionGeneration generation, DataType type) {
    const std::optional<FlopRate> peak = sixteen_bit_rate(accelerator);
    if (!kernels.attention || !kernels.memory || !peak) {
        return std::nullopt;
    }
    const double streaming = kernels.memory->efficiency[static_cast<std::size_t>(MemoryAccess::stream)];
    AttentionModel model{
        .peak = *peak,
        .bandwidth = accelerator.memory_bandwidth * streaming,
        .units = accelerator.compute_units > 0 ? static_cast<double>(accelerator.compute_units)
                                               : kernels.default_units,
        .fit = std::nullopt,
        .masked_fit = std::nullopt,
        .math = kernels.attention->math,
    };
    if (bytes_per_element(type) > bytes_per_element(DataType::bf16)) {
        model.peak = model.peak * wide_kernel_rate;
        model.element = bytes_per_element(type).value();
    }
    if (generation == AttentionGeneration::math) {
        return model;
    }
    const auto& fits = kernels.attention->by_generation;
    const AttentionGeneration newest = kernel_asked(generation, *kernels.attention);
    for (std::size_t i = static_cast<std::size_t>(newest) + 1; i-- > 0 && !model.fit;) {
        model.fit = fits[i];
    }
    if (!model.fit) {
        model.fit = fits[static_cast<std::size_t>(kernels.attention->fastest)];
    }
    const auto& efficient = fits[static_cast<std::size_t>(AttentionGeneration::memory_efficient)];
    const bool takes_masks = model.fit && model.fit->forward.masked.front() > 0;
    model.masked_fit = !takes_masks && efficient ? efficient : model.fit;
    return model.fit ? std::optional(model) : std::nullopt;
}

}  // namespace traincost
