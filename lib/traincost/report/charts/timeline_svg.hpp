// A step in time as one self-contained SVG document.
#pragma once

#include <string>

#include "traincost/cost/step_lanes.hpp"
#include "traincost/cost/step_timeline.hpp"

namespace traincost {

/// Title and layout, a legend, the lanes of each stage with micro-batch numbers and use, an axis with round
/// ticks, and below it the memory of the fullest stage. Where few enough, a task's <title> says which it is
/// and when it runs.
std::string timeline_svg(const StepTimeline& line, const StepLanes& lanes, const std::string& title,
                         const std::string& layout);

}  // namespace traincost
