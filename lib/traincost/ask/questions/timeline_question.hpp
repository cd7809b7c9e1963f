// `timeline`: one step in time, stage by stage.
#pragma once

#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/cost/step_lanes.hpp"
#include "traincost/cost/step_timeline.hpp"

namespace traincost {

struct TimelineQuestion {
    JobDraft job;
};

struct TimelineAnswer {
    Job job;
    Assumptions assumptions;
    StepTimeline line;
    StepLanes lanes;
    Estimate estimate;
};

/// `Error` where the draft is no job.
TimelineAnswer ask(const TimelineQuestion& question, const Sources& sources);

/// The step of an estimate in time; nothing where its schedule cannot be played.
std::optional<TimelineAnswer> timeline_of(const EstimateAnswer& answer);

}  // namespace traincost
