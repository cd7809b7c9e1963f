// What the driver takes to give memory to a caching allocator and to take it back.
#pragma once

#include "traincost/base/quantity.hpp"

namespace traincost {

/// Times of one way of a byte to the driver and back: given back and asked for again. Zero where nothing was
/// measured.
struct AllocatorModel {
    Seconds per_segment{};          ///< of one block of the driver's, whatever its size
    double segment_s_per_byte = 0;  ///< and for each byte of it
    Bytes segment{1.0};             ///< a usual block of a training step
    double mapped_s_per_byte = 0;   ///< where pages are mapped into address ranges instead
    bool operator==(const AllocatorModel&) const = default;
};

}  // namespace traincost
