// What the driver takes to give memory to a caching allocator and to take it back.
#pragma once

#include "traincost/base/quantity.hpp"

namespace traincost {

/// Times of one way of a byte to the driver and back, given back and asked for again (zero where nothing was
/// measured), and what of a pool can go that way.
struct AllocatorModel {
    Seconds per_segment{};          ///< of one block of the driver's, whatever its size
    double segment_s_per_byte = 0;  ///< and for each byte of it
    Bytes segment{1.0};             ///< a usual block of a training step
    double mapped_s_per_byte = 0;   ///< where pages are mapped into address ranges instead
    double stuck_segments = 1.0;    ///< of the gaps between tensors, the share that cannot be given back
    double stuck_pages = 1.0;       ///< the same where pages are mapped
    double page_gaps = 1e3;         ///< most gaps over what comes and goes in a step where pages are mapped
    double page_gaps_recompute = 1e3;  ///< the same where blocks are recomputed
    bool operator==(const AllocatorModel&) const = default;
};

}  // namespace traincost
