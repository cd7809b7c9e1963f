// A step in time as JSON: our own, and the trace that Chrome and Perfetto open.
#pragma once

#include <string>

#include "traincost/cost/step_timeline.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

/// Writes the members total_s, stages and events into the object that is open.
void write_timeline_members(JsonWriter& out, const StepTimeline& line);

/// The trace: one thread a stage, times in microseconds.
std::string chrome_trace(const StepTimeline& line);

}  // namespace traincost
