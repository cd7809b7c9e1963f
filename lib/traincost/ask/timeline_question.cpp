#include "traincost/ask/timeline_question.hpp"

namespace traincost {

TimelineAnswer ask(const TimelineQuestion& question, const Sources& sources) {
    ResolvedJob resolved = resolve(question.job, sources);
    StepTimeline line = step_timeline(resolved.job);
    StepLanes lanes = step_lanes(line);
    Estimate e = estimate(resolved.job);
    return {std::move(resolved.job), std::move(resolved.assumptions), std::move(line), std::move(lanes),
            std::move(e)};
}

}  // namespace traincost
