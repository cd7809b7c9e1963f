// Kernel-time data of one accelerator, its own or its family's.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "traincost/spec/kernels/allocator_model.hpp"
#include "traincost/spec/kernels/attention_model.hpp"
#include "traincost/spec/kernels/bandwidth_model.hpp"
#include "traincost/spec/kernels/gemm_model.hpp"

namespace traincost {

/// Kernel-time data of one accelerator. Empty where the catalogue has none: what needs it then says so.
struct KernelModels {
    std::array<std::optional<GemmFit>, gemm_format_count> gemm{};  ///< by GemmFormat
    std::optional<AttentionFits> attention{};
    std::optional<BandwidthFit> memory{};
    AllocatorModel allocator{};
    double gemm_sustained = 1.0;           ///< short-benchmark clock over the clock of a long run
    Seconds gemm_sustained_horizon{6e-3};  ///< kernels longer than this (at peak) were measured at the latter
    double power_knee =
        0.0;  ///< share of the peak that the power limit sustains at the highest clock; 0: unknown
    /// mxfp8 takes the kernels of fp8: those of block scales apply their scales in software.
    bool mxfp8_as_fp8 = false;
    Bytes default_l2{50.0 * (1 << 20)};  ///< where the accelerator's record states none
    double default_units = 1.0;
    bool measured = false;  ///< fitted to this very accelerator, not to its family
    std::string source{};   ///< data files it was built from
    bool operator==(const KernelModels&) const = default;
};

}  // namespace traincost
