#include "traincost/cost/ops/unit_bound.hpp"

#include <algorithm>

namespace traincost {

namespace {

constexpr double stream_share = 0.88;  // of nominal bandwidth, in kernels that memory binds

// Eager kernels that broadcast one operand are bound by their elements, not by their bytes: products of a
// composite RMS norm take 2.5 TB/s in fp32 and 1.5 in bf16 on an H200, those that broadcast nothing 4.2
// (torch 2.11, 2026-11-20 and 2026-11-25; bf16: 700 products of four models).
constexpr double wide_rate = 2.5e12 / 8.0 / (132 * 1.83e9);  // elements of an SM's clock, in and out in fp32
constexpr double narrow_rate = 1.5e12 / 4.0 / (132 * 1.83e9);  // in 16 bits

constexpr double measured_wide = 1.7, measured_narrow = 2.8;  // times as slow as the others, on an H200

}  // namespace

bool has_pointwise_kernels(const AcceleratorSpec& accelerator) {
    return accelerator.vendor == "NVIDIA" || accelerator.vendor == "AMD";
}

double broadcast_bytes(double size, const AcceleratorSpec& accelerator) {
    const double bytes = 2.0 * size;
    const bool narrow = size < fp32_bytes && has_pointwise_kernels(accelerator);
    const double most = narrow ? measured_narrow : measured_wide;
    if (accelerator.compute_units == 0 || !accelerator.clock_hz)
        return bytes * most;
    const double units = static_cast<double>(accelerator.compute_units) * *accelerator.clock_hz;
    const double stream = stream_share * accelerator.memory_bandwidth.value();
    const double elements = (narrow ? narrow_rate : wide_rate) * units;
    return bytes * std::clamp(stream / (bytes * elements), 1.0, most);
}

double widening_bytes(double size, const AcceleratorSpec& accelerator) {
    return has_pointwise_kernels(accelerator)
               ? std::max(size + fp32_bytes, broadcast_bytes(fp32_bytes, accelerator))
               : size + fp32_bytes;
}

double bytes_meanwhile(double rate, const AcceleratorSpec& accelerator) {
    if (accelerator.compute_units == 0 || !accelerator.clock_hz)
        return 0.0;
    const double clocks = static_cast<double>(accelerator.compute_units) * *accelerator.clock_hz;
    return stream_share * accelerator.memory_bandwidth.value() / (rate * clocks);
}

}  // namespace traincost
