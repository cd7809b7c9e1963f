#include "traincost/cost/attention_time.hpp"

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

// t = t0 + F (1 + (X + [causal] X_c) / keys) / (e peak) · occupancy, no less than the operands' bytes at the
// bandwidth
Seconds kernel_time(const AttentionShape& a, const AttentionModel& model, const AttentionCurve& curve,
                    double flop_factor, double operand_factor) {
    const AttentionFit& fit = *model.fit;
    const double keys = mean_keys(a);
    const double flops = flop_factor * 2 * a.batch * a.heads * a.queries * keys * (a.qk_dim + a.v_dim);
    const double e = interpolate(a.qk_dim, curve.head_dim, curve.efficiency);
    double extra = interpolate(a.qk_dim, curve.head_dim, curve.extra_keys);
    if (a.causal) {
        extra += interpolate(a.qk_dim, curve.head_dim, curve.causal_keys);
    }
    const double blocks = a.batch * a.heads * std::ceil(a.queries / fit.query_block);
    const double compute =
        flops * (1 + extra / keys) / (e * model.peak.value()) * occupancy(blocks, model.units);
    constexpr double bytes_per_element = 2;
    const double elements = a.batch * (a.heads * a.queries + a.kv_heads * a.keys) * (a.qk_dim + a.v_dim);
    const double memory = operand_factor * bytes_per_element * elements / model.bandwidth.value();
    return fit.launch + Seconds(std::max(compute, memory));
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

std::optional<AttentionModel> attention_model(const AcceleratorSpec& accelerator, const KernelModels& kernels,
                                              AttentionGeneration generation) {
    const std::optional<FlopRate> peak = peak_rate(accelerator, DataType::bf16);
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
        .math = kernels.attention->math,
    };
    if (generation == AttentionGeneration::math) {
        return model;
    }
    const auto& fits = kernels.attention->by_generation;
    for (std::size_t i = static_cast<std::size_t>(generation) + 1; i-- > 0 && !model.fit;) {
        model.fit = fits[i];
    }
    if (!model.fit) {
        model.fit = fits[static_cast<std::size_t>(kernels.attention->fastest)];
    }
    return model.fit ? std::optional(model) : std::nullopt;
}

MathAttentionFit fused_softmax_bytes(bool dropout) {
    constexpr double score = 2;  // bytes
    constexpr double mask = 1;
    const double dropped = dropout ? 2 * score + mask : 0;  // read, written, and the mask
    // Forward: q kT writes, softmax reads and writes, p v reads.
    // Backward: do vT writes, softmax reads it and p and writes, ds q and ds k read, pT do reads.
    return {.forward_bytes = 4 * score + dropped, .backward_bytes = 7 * score + dropped};
}

}  // namespace traincost
