// Walks that the multiprocessors and not the memory hold up: loops with much to do for each element.
#pragma once

#include "traincost/spec/accelerator.hpp"

namespace traincost {

inline constexpr double fp32_bytes = 4.0;  ///< of statistics and upcast copies, an element

/// Whether PyTorch's own pointwise kernels run on it, whose index arithmetic is what binds them.
bool has_pointwise_kernels(const AcceleratorSpec& accelerator);

/// Elements that one multiprocessor takes in a clock. Kernels of compiled blocks and losses in profiles of
/// one H200 and one H100 of 700 W, which take as long, or nearly, on both (torch 2.11, 2026-11-27).
struct UnitRate {
    /// What a norm's gradients take beside their bytes: n = 5 shapes, rows of 768 to 4096.
    static constexpr double norm_gradients = 2.9;
    static constexpr double norm_weight = 3.5;            ///< and the sums over rows for its weight
    static constexpr double log_softmax = 2.7;            ///< of logits, forward: n = 7, 2.4 to 3.2
    static constexpr double log_softmax_gradients = 3.0;  ///< backward: n = 7, 2.7 to 3.5
    static constexpr double softcap = 10.0;               ///< their tanh beside either: n = 2
};

/// Bytes that a stream from memory walks while the multiprocessors take an element at `rate`; 0 where their
/// number or clock is not known.
double bytes_meanwhile(double rate, const AcceleratorSpec& accelerator);

/// Bytes that an eager kernel without a broadcast would walk in the time of one with it, an element of `size`
/// bytes. Where units outrun memory nothing is lost.
double broadcast_bytes(double size, const AcceleratorSpec& accelerator);

/// The same of a cast to fp32, from `size` bytes.
double widening_bytes(double size, const AcceleratorSpec& accelerator);

}  // namespace traincost
