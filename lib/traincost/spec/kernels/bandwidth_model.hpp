// What the bandwidth model knows of an accelerator: plain data (docs/model.md, "Bandwidth-bound operators").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// How an operator walks through memory; each has its own share of the bandwidth.
enum class MemoryAccess : std::uint8_t {
    stream,         ///< copy, add, scale, SiLU and its gradient, casts to a narrower type
    gelu,           ///< element-wise with a heavy function: GELU and its gradient
    widen,          ///< casts to a wider type
    dropout,        ///< element-wise with random numbers
    norm,           ///< layer and RMS norm, forward
    norm_backward,  ///< their gradients, weight gradient included
    softmax,        ///< row softmax that reads its row more than once
    softmax_backward,
    loss,  ///< log-softmax over a vocabulary
    loss_backward,
    reduction,         ///< norms and column sums: reads only
    transpose,         ///< permutes and strided copies
    gather,            ///< rows by index: embedding, token dispatch
    scatter_add,       ///< gradients added by index: embedding backward
    optimizer,         ///< fused multi-tensor optimizer step
    narrow_optimizer,  ///< the same with weights and states of 16 bits
};
inline constexpr std::size_t memory_access_count = 16;

/// Fractions of the nominal bandwidth, and the floor of one kernel.
struct BandwidthFit {
    std::array<double, memory_access_count>
        efficiency;  ///< by MemoryAccess; large tensors, bytes read and written
    std::array<Seconds, memory_access_count> latency;  ///< of a kernel on a tiny tensor
    double cached_speedup;                             ///< rate of a tensor that L2 holds over that of memory
    double cache_share;                                ///< bytes in use over L2 where half of that is lost
    bool operator==(const BandwidthFit&) const = default;
};

/// A fit on an accelerator.
struct BandwidthModel {
    ByteRate bandwidth;  ///< nominal
    Bytes l2;
    BandwidthFit fit;
    bool operator==(const BandwidthModel&) const = default;
};

}  // namespace traincost
