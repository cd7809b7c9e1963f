// Kernel-time data in JSON: matrix products ("gemm/1"), attention ("attention/1") and bandwidth-bound
// operators
// ("memory/1") of an accelerator or of its family, in data/bench (docs/data.md, Kernel data).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/io/embedded.hpp"
#include "traincost/io/json.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/kernels/kernel_models.hpp"
#include "traincost/spec/provenance.hpp"

namespace traincost {

/// Where the kernel data of a file come from, and how far to trust them.
struct KernelOrigin {
    std::string id;    ///< "gemm-h100-sxm5-80gb"
    std::string name;  ///< in words
    bool measured;     ///< on this accelerator; false: carried over from others, `provenance.notes` say how
    std::string date;
    std::string hardware;
    std::string software;
    Provenance provenance;
    bool operator==(const KernelOrigin&) const = default;
};

/// The fit of one format with its error on points it was not fitted to.
struct GemmRecord {
    GemmFormat format;
    std::int64_t points;         ///< measured
    std::int64_t fitted_points;  ///< of those, fitted to
    std::optional<double>
        held_out_median_percent;  ///< |error| of the time; of a left-out accelerator for a family
    std::optional<double> held_out_p90_percent;
    GemmFit fit;
    bool operator==(const GemmRecord&) const = default;
};

/// A "gemm/1" file.
struct GemmData {
    KernelOrigin origin;
    double sustained_factor;
    Seconds sustained_horizon;
    std::optional<double>
        power_knee;  ///< share of the peak that the power limit sustains at the highest clock
    double default_units;
    Bytes default_l2;
    std::optional<double>
        watts_per_tflops{};                   ///< power limit over 16-bit peak of the member it was fitted to
    std::optional<double> flops_per_clock{};  ///< 16-bit FLOPs a compute unit of that member does in a clock
    bool mxfp8_as_fp8{};  ///< mxfp8 takes the fit of fp8: that of block scales is of software ones
    std::vector<GemmRecord> formats;
    bool operator==(const GemmData&) const = default;
};

/// An "attention/1" file.
struct AttentionData {
    KernelOrigin origin;
    AttentionFits fits;
    bool operator==(const AttentionData&) const = default;
};

/// A "memory/1" file.
struct BandwidthData {
    KernelOrigin origin;
    BandwidthFit fit;
    /// By MemoryAccess: bytes a compute unit moves in a clock, where units and not memory set the rate; else
    /// 0.
    std::array<double, memory_access_count> unit_bytes{};
    bool operator==(const BandwidthData&) const = default;
};

/// Readers; `Error` of kind input where a key is unknown, missing, of the wrong type or out of range.
GemmData gemm_data_from_json(const JsonNode& node);
AttentionData attention_data_from_json(const JsonNode& node);
BandwidthData bandwidth_data_from_json(const JsonNode& node);

/// The name of a format in files: "bf16", "fp8", "fp8_block", "fp4".
std::string_view gemm_format_name(GemmFormat format);

/// Names of MemoryAccess in the data, in its order.
std::span<const std::string_view> memory_access_names();

}  // namespace traincost
