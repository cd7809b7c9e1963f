#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// Number formats a tensor is stored or multiplied in; scaled formats include their block scales in
/// `bytes_per_element`.
enum class DataType : std::uint8_t { fp32, tf32, bf16, fp16, fp8, mxfp8, fp4, int8, nf4 };
inline constexpr int data_type_count = 9;

/// Storage width: nf4 counts 4 bits and its double-quantised scales (0.127 bit), mxfp8 one scale byte per 32,
/// fp4 one per 16.
Bytes bytes_per_element(DataType type);

std::string_view to_string(DataType type);
std::optional<DataType> data_type_from(std::string_view name);

/// How 16-bit compute copies of wider weights come about.
enum class CastMode : std::uint8_t {
    none,      ///< weights are stored in the compute format
    autocast,  ///< fp32 weights, cast per use and cached for the step (torch.autocast)
    sharded,   ///< fp32 shards, cast when gathered (FSDP mixed precision)
};

/// Formats of every model state and of the arithmetic. A named recipe (`precision_from`) with overridable
/// parts.
struct Precision {
    DataType weights;                ///< the copy the forward pass reads
    DataType gradients;              ///< accumulated gradients
    std::optional<DataType> master;  ///< separate full-precision weights kept by the optimizer, if any
    DataType moments;                ///< optimizer states
    DataType compute;                ///< activations and attention
    DataType gemm;    ///< matrix-multiply inputs (fp8, mxfp8 and fp4 recipes differ from `compute`)
    DataType reduce;  ///< gradient reduction over data-parallel ranks
    bool autocast;    ///< weights of another format, copied into the compute format at use ("amp")
    std::optional<DataType> base;  ///< frozen base weights of quantised fine-tuning (nf4), else nothing
    bool operator==(const Precision&) const = default;
};
/// Whether products are in fp8 or narrower.
bool multiplies_narrow(const Precision& precision);

/// The recipes of run records: bf16-mixed, fp16-mixed, bf16-amp, fp16-amp, bf16-pure, fp16-pure, fp8-mixed,
/// mxfp8-mixed, fp4-mixed, tf32, fp32, nf4-base, nf4-base-fp16, nf4-base-amp (what is not quantised in fp32,
/// under autocast), nf4-base-fp32 (the same without autocast), fp16-base-bf16, bf16-base-fp16 (weights loaded
/// in one 16-bit format, autocast to the other).
/// Nothing when the name is unknown.
std::optional<Precision> precision_from(std::string_view name);

/// Names `precision_from` accepts, for messages.
std::span<const std::string_view> precision_names();

}  // namespace traincost
