// A step in time, drawn for a terminal.
#pragma once

#include <string>
#include <vector>

#include "traincost/cost/step_lanes.hpp"
#include "traincost/cost/step_timeline.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// Round times of a step's axis, all in one unit.
struct TimeAxis {
    std::vector<Seconds> marks;
    std::vector<std::string> labels;  ///< the last with its unit: "0", "50", "100 ms"
};
/// About `wanted` marks from 0 to `total`.
TimeAxis time_axis(Seconds total);

/// What a task is called: "forward", "backward", "input gradients", "weight gradients".
std::string_view task_name(PipelineTask task);

/// The lanes of each stage, `columns` characters for the step, with the share of the step that each is at
/// work; of more than eight stages the compute lanes alone. The last two rows are the axis.
Table timeline_table(const StepTimeline& line, const StepLanes& lanes, int columns);

/// The share of the step that each lane of each stage is at work.
Table lane_usage_table(const StepLanes& lanes);

/// Device memory of the fullest stage over the step, drawn below it.
Table memory_drawing(const StepTimeline& line, int columns);

/// Every task and every stretch, one a row: stage, task, chunk, micro-batch, begin, end.
Table timeline_events(const StepTimeline& line);

}  // namespace traincost
