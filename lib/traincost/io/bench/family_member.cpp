#include "traincost/io/bench/family_member.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace traincost {

namespace {

/// Power limit of a member of a family for each unit of its peak, over that of the member the family was
/// fitted to; 1 where either is not known. Dynamic power is C V^2 f; between a voltage that follows the clock
/// (power ~ f^3) and one at its floor (power ~ f) a limited clock goes as the square root. Held against six
/// torchtitan runs on a 500 W H100 and the A100 PCIe's 93 % of the SXM part's rate.
double relative_power(const AcceleratorSpec& accelerator, const GemmData& family) {
    const std::optional<FlopRate> peak = sixteen_bit_rate(accelerator);
    if (!accelerator.tdp_w || !peak || !family.watts_per_tflops)
        return 1.0;
    return *accelerator.tdp_w / (peak->value() / 1e12) / *family.watts_per_tflops;
}

/// Share of a chip's power that leakage, memory and links draw whatever the clock. Ten sources on parts of
/// less power than their chip is rated elsewhere (H100 of 500 W and PCIe, GH200, B100, MI325X, MI350X,
/// A100 PCIe) ask for 0.1 to 0.3 and more: nine come out nearer with 0.2, MI350X less near, 2026-11-28. An
/// estimate.
constexpr double standing_power = 0.2;

/// 16-bit FLOPs of a compute unit in a clock over those of the member the family was fitted to, where they
/// are fewer: GeForce parts add in fp32 at half the rate, GA102 has half of GA100's matrix units, H20 a
/// quarter of H100's. 1 where it is not known, or as many.
double relative_unit_rate(const AcceleratorSpec& accelerator, const GemmData& family) {
    const std::optional<FlopRate> peak = sixteen_bit_rate(accelerator);
    if (!family.flops_per_clock || !peak || !accelerator.clock_hz || accelerator.compute_units <= 0)
        return 1.0;
    const double flops =
        peak->value() / (static_cast<double>(accelerator.compute_units) * *accelerator.clock_hz);
    const double ratio = flops / *family.flops_per_clock;
    constexpr double rounding = 0.9;  // of quoted peaks and clocks
    return ratio < rounding ? ratio : 1.0;
}

/// Whether a member is the fitted member's chip, some of its units perhaps off: a smaller chip of a family
/// (T4, L4, A10) has a standing power of its own, which its power for each unit of peak may have in it.
bool same_chip(const AcceleratorSpec& accelerator, const GemmData& family) {
    constexpr double most_off = 0.8;
    return static_cast<double>(accelerator.compute_units) >= most_off * family.default_units &&
           relative_unit_rate(accelerator, family) == 1.0;
}

/// What is not multiplying takes the clocks it takes: beside units of `rate` it is that share of what it was.
double efficiency_at(double efficiency, double rate) {
    return efficiency < 1.0 ? 1.0 / (1.0 + rate * (1.0 / efficiency - 1.0)) : efficiency;
}

/// Prologues are counted in elements of k, and feeding a tile in shares of multiplying it.
void slow_product_units(KernelModels& models, double rate) {
    if (rate >= 1.0)
        return;
    for (std::optional<GemmFit>& fit : models.gemm) {
        if (!fit)
            continue;
        const double efficiency = efficiency_at(fit->efficiency, rate);
        const double elements = rate * efficiency / fit->efficiency;
        fit->k_prologue *= elements;
        fit->grouped_prologue *= elements;
        fit->tile_penalty *= rate;
        fit->efficiency = efficiency;
    }
}

/// Softmax, and the start and end of a block of queries, likewise: FlashAttention-2 reaches 0.74 of the peak
/// forward and 0.70 backward on an RTX A5000 (heads of 64, 8,192 keys), 0.60 and 0.55 on an A100 with twice
/// the rate; 0.75 and 0.69 by this.
void slow_attention_units(KernelModels& models, double rate) {
    if (!models.attention || rate >= 1.0)
        return;
    for (auto& fit : models.attention->by_generation) {
        if (!fit)
            continue;
        for (AttentionCurve* curve : {&fit->forward, &fit->backward}) {
            for (std::size_t i = 0; i < AttentionCurve::knots; ++i) {
                const double efficiency = efficiency_at(curve->efficiency[i], rate);
                curve->extra_keys[i] *= rate * efficiency / curve->efficiency[i];
                curve->efficiency[i] = efficiency;
            }
        }
    }
}

/// Products of a family's member under its own power limit. Where the family's knee is known it moves with
/// the limit; else all of them slow down. A member with more power has less of the slowing of long kernels
/// that the fitted one showed: by so many times the clock rises under long kernels in 16 bits, attention too.
double limit_products(KernelModels& models, double power) {
    const double clock = std::sqrt(power);
    models.power_knee *= power;
    double rise = 1.0;
    for (std::size_t i = 0; i < models.gemm.size(); ++i) {
        std::optional<GemmFit>& fit = models.gemm[i];
        if (!fit)
            continue;
        if (power > 1.0) {
            const double droop = std::max(0.0, (1.0 + fit->droop) / clock - 1.0);
            if (i == static_cast<std::size_t>(GemmFormat::bf16))
                rise = (1.0 + fit->droop) / (1.0 + droop);
            fit->droop = droop;
        } else if (models.power_knee <= 0.0) {
            fit->efficiency *= clock;
        }
    }
    return rise;
}

void change_attention_clock(KernelModels& models, double clock) {
    if (!models.attention)
        return;
    for (auto& fit : models.attention->by_generation) {
        if (!fit)
            continue;
        for (AttentionCurve* curve : {&fit->forward, &fit->backward}) {
            for (double& efficiency : curve->efficiency)
                efficiency = std::min(1.0, efficiency * clock);
        }
    }
}

}  // namespace

FamilyMember family_member(const AcceleratorSpec& accelerator, const GemmData& family) {
    const double power = relative_power(accelerator, family);
    return {same_chip(accelerator, family) ? power_for_products(power) : power,
            relative_unit_rate(accelerator, family)};
}

double power_for_products(double power) {
    constexpr double least = 0.25;  // of the limit itself: a part that is fed so little hardly runs
    return std::max(least * power, (power - standing_power) / (1.0 - standing_power));
}

double adapt_products(KernelModels& models, const FamilyMember& member) {
    const double rise = limit_products(models, member.power);
    slow_product_units(models, member.unit_rate);
    return std::sqrt(std::min(1.0, member.power)) * rise;
}

void adapt_attention(KernelModels& models, double clock, double unit_rate) {
    change_attention_clock(models, clock);
    slow_attention_units(models, unit_rate);
}

}  // namespace traincost
