// Walks that the multiprocessors and not the memory hold up: loops with much to do for each element.
#pragma once

#include "traincost/spec/accelerator.hpp"

namespace traincost {

inline constexpr double fp32_bytes = 4.0;  ///< of statistics and upcast copies, an element

/// Whether PyTorch's own pointwise kernels run on it, whose index arithmetic is what binds them.
bool has_pointwise_kernels(const AcceleratorSpec& accelerator);

/// Bytes that an eager kernel without a broadcast would walk in the time of one with it, an element of `size`
/// bytes. Where units outrun memory nothing is lost.
double broadcast_bytes(double size, const AcceleratorSpec& accelerator);

/// The same of a cast to fp32, from `size` bytes.
double widening_bytes(double size, const AcceleratorSpec& accelerator);

}  // namespace traincost
