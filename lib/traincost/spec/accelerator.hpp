#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/quantity.hpp"
#include "traincost/spec/data_type.hpp"
#include "traincost/spec/provenance.hpp"

namespace traincost {

/// A link of the accelerator as the data sheet gives it: one way, per accelerator.
struct AcceleratorLink {
    std::string type;  ///< "NVLink 4", "PCIe 5 x16", "ICI" …
    ByteRate per_direction;
    std::int64_t links = 0;  ///< 0: not stated
    bool operator==(const AcceleratorLink&) const = default;
};

/// One accelerator package. Rates are dense (no 2:4 sparsity), with fp32 accumulation.
struct AcceleratorSpec {
    std::string id;
    std::vector<std::string> aliases;
    std::string vendor;
    std::string architecture;            ///< "Hopper GH100"; selects kernel data by family
    Bytes memory;                        ///< as marketed (10^9 based)
    std::optional<Bytes> memory_usable;  ///< as the driver reports it
    ByteRate memory_bandwidth;
    std::array<std::optional<FlopRate>, data_type_count>
        peak{};                           ///< by DataType; absent: unsupported or unpublished
    std::optional<FlopRate> vector_fp32;  ///< non-matrix fp32 rate
    std::int64_t compute_units = 0;       ///< SMs, CUs, TensorCores; 0: not stated
    std::optional<double> clock_hz;
    std::optional<Bytes> l2;
    std::optional<AcceleratorLink> scale_up;
    std::optional<AcceleratorLink> pcie;
    std::optional<double> tdp_w;
    std::optional<Dollars> price;  ///< list or release price of one package
    Provenance provenance;
    bool operator==(const AcceleratorSpec&) const = default;
};

/// Dense peak for matrix inputs of `type`, falling back where the hardware runs one format at another's rate
/// (fp16 as bf16, tf32 as fp32, mxfp8 as fp8); nothing when it cannot run it. Matrix units that take fp16 and
/// not bf16 leave bf16 to the fp32 units (`emulates`).
std::optional<FlopRate> peak_rate(const AcceleratorSpec& accelerator, DataType type);

/// Whether products of `type` inputs run on fp32 units, because the matrix units take fp16 alone (bf16 on
/// Pascal, Volta and Turing).
bool emulates(const AcceleratorSpec& accelerator, DataType type);

/// Dense peak of the matrix units' own 16-bit format, bf16 or fp16: what fitted kernels are scaled by.
std::optional<FlopRate> sixteen_bit_rate(const AcceleratorSpec& accelerator);

/// Memory a process can use: what the driver reports, else the marketed capacity.
Bytes usable_memory(const AcceleratorSpec& accelerator);

void validate(const AcceleratorSpec& accelerator, std::vector<Problem>& problems);

}  // namespace traincost
