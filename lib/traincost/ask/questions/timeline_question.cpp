#include "traincost/ask/questions/timeline_question.hpp"

namespace traincost {

TimelineAnswer ask(const TimelineQuestion& question, const Sources& sources) {
    ResolvedJob resolved = resolve(question.job, sources);
    StepTimeline line = step_timeline(resolved.job);
    StepLanes lanes = step_lanes(line);
    Estimate e = estimate(resolved.job);
    return {std::move(resolved.job), std::move(resolved.assumptions), std::move(line), std::move(lanes),
            std::move(e)};
}

std::optional<TimelineAnswer> timeline_of(const EstimateAnswer& answer) {
    try {
        StepTimeline line = step_timeline(answer.job);
        StepLanes lanes = step_lanes(line);
        return TimelineAnswer{answer.job, answer.assumptions, std::move(line), std::move(lanes),
                              answer.estimate};
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal)
            throw;
        return std::nullopt;
    }
}

}  // namespace traincost
