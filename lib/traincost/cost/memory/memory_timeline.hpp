// Device memory of a stage over a played step.
#pragma once

#include <cstdint>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/step_timeline.hpp"

namespace traincost {

/// Device memory from this time on, in a straight line to the next point.
struct MemoryPoint {
    Seconds at;
    Bytes device;
};

/// The stage's memory over the step, by its liveness walk: a forward pass adds what its micro-batch keeps, a
/// backward pass goes through the walk's moments with the micro-batches that are in flight then, the
/// optimizer through those behind it. Its highest point is the stage's peak.
std::vector<MemoryPoint> memory_over_step(const StepTimeline& line, std::int64_t stage);

/// The stage whose walk goes highest.
std::int64_t fullest_stage(const StepTimeline& line);

}  // namespace traincost
