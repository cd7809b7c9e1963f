// What a step loses where the caching allocator asks for more than the device has: the driver refuses, the
// allocator gives back what it caches and asks again. docs/model.md, section Allocator pressure.
#pragma once

#include "traincost/base/quantity.hpp"
#include "traincost/cost/blocks.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/cost/stages.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// One stage's way to the driver and back.
struct AllocatorPressure {
    double refusals = 0.0;        ///< a step
    Bytes returned{};             ///< given back and asked for again at each: all that is cached
    double seconds_per_byte = 0;  ///< of both ways
    Seconds time{};               ///< of the step: the product of the three
    bool operator==(const AllocatorPressure&) const = default;
};

/// Of a stage with this memory. Nothing where the device has room for all that the allocator would keep.
/// Gathers that wait for their stream fill the pool anew in every micro-batch; flat optimizers ask once a
/// step.
AllocatorPressure allocator_pressure(const Job& job, const StageMemory& stage);

/// Of the stage that loses most, where the fullest stage takes `peak` of the device. Only the first stage of
/// each class is looked at, and none where `peak` leaves room.
AllocatorPressure allocator_pressure(const Job& job, const Shape& shape, const BlockTable& table,
                                     const StageClasses& stages, Bytes peak);

}  // namespace traincost
