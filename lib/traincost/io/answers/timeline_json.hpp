// A step in time as JSON: our own, and the trace that Chrome and Perfetto open.
#pragma once

#include <string>

#include "traincost/cost/step_lanes.hpp"
#include "traincost/cost/step_timeline.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

/// Writes the members total_s, stages (with the use of lanes and the memory over the step) and events into
/// the object that is open.
void write_timeline_members(JsonWriter& out, const StepTimeline& line, const StepLanes& lanes);

/// Writes the members total_s and spans, what each lane of each stage does, into the object that is open.
void write_lane_members(JsonWriter& out, const StepTimeline& line, const StepLanes& lanes);

/// The trace: a process a stage, a thread a lane, device memory in GiB as a counter of the process; times in
/// microseconds. Slices of a thread do not overlap.
std::string chrome_trace(const StepTimeline& line, const StepLanes& lanes, const std::string& title);

}  // namespace traincost
