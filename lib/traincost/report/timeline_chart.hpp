// A step in time, drawn for a terminal and as SVG.
#pragma once

#include <string>
#include <vector>

#include "traincost/cost/step_timeline.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// One line a stage, `columns` characters for the step, with the share of the pipelined part it works.
Table timeline_table(const StepTimeline& line, int columns);

/// Every task and every stretch, one a row: stage, task, chunk, micro-batch, begin, end.
Table timeline_events(const StepTimeline& line);

/// The same as one self-contained SVG document; a task's <title> says which it is and when it runs.
std::string timeline_svg(const StepTimeline& line, const std::string& title);

}  // namespace traincost
