#include "traincost/cost/memory/memory_timeline.hpp"

#include <algorithm>
#include <span>

namespace traincost {

namespace {

/// Moments of a pass that a drawing can tell apart: the first, the highest, the last.
std::vector<WalkMoment> outline(const std::vector<WalkMoment>& all) {
    if (all.size() <= 3)
        return all;
    const auto top = std::max_element(all.begin(), all.end(), [](const WalkMoment& a, const WalkMoment& b) {
        return a.alive + a.gradients < b.alive + b.gradients;
    });
    std::vector<WalkMoment> few{all.front()};
    if (top != all.begin() && top + 1 != all.end())
        few.push_back(*top);
    few.push_back(all.back());
    return few;
}

/// One stage, task after task.
class StageCurve {
public:
    StageCurve(const StepTimeline& line, std::span<const PipelineEvent> events, const MemoryWalk& walk)
        : line_(line), walk_(walk), events_(events), pass_(outline(walk.backward)) {
        double open = 0.0;
        double most = 0.0;
        for (const PipelineEvent& e : events) {
            open += change(e);
            most = std::max(most, open);
        }
        // Chunks of interleaved and two-way pipelines in units of the stage's whole micro-batch.
        unit_ = most > 0.0 ? walk.in_flight / most : 1.0;
        made_ = walk.gradients_appear ? 0.0 : 1.0;
    }

    std::vector<MemoryPoint> points() {
        put(Seconds{}, rest());
        for (std::size_t i = 0; i < events_.size(); ++i) {
            const PipelineEvent& e = events_[i];
            const bool joined =
                i + 1 < events_.size() && events_[i + 1].begin == e.begin && events_[i + 1].end == e.end;
            if (!joined) {
                task(e);
                continue;
            }
            // Two passes that run as one task (DualPipe): one behind the other, as in the lanes.
            PipelineEvent first = e;
            PipelineEvent second = events_[++i];
            first.end = second.begin = e.begin + (e.end - e.begin) / 3.0;
            task(first);
            task(second);
        }
        after();
        return std::move(out_);
    }

private:
    static double change(const PipelineEvent& e) {
        switch (e.task) {
            case PipelineTask::forward:
                return 1.0;
            case PipelineTask::weight_gradient:
                return 0.0;
            default:
                return -1.0;
        }
    }

    void put(Seconds at, Bytes device) {
        if (out_.empty() || out_.back().at < at || out_.back().device != device)
            out_.push_back({at, device});
    }

    void task(const PipelineEvent& e) {
        put(e.begin, rest());
        if (change(e) < 0.0)
            backward(e);
        open_ += change(e);
        put(e.end, rest());
    }

    /// Between tasks: states, gradients, and what micro-batches in flight keep.
    Bytes rest() const {
        return walk_.states + walk_.gradients * made_ + walk_.kept * (open_ * unit_);
    }

    void backward(const PipelineEvent& e) {
        const double others = std::max(0.0, open_ * unit_ - 1.0);
        const double walked = walk_.in_flight - 1.0;
        const bool first = made_ < 1.0;
        for (const WalkMoment& m : pass_) {
            const Bytes gradients = first ? std::min(m.gradients, walk_.gradients * m.done) : walk_.gradients;
            const Bytes alive = m.alive + walk_.kept * (others - walked);
            // In the walk gradients grow where the first backward pass finds all micro-batches in flight.
            const bool grown = first && m.gradients < walk_.gradients;
            put(e.begin + (e.end - e.begin) * m.done,
                walk_.states + std::max(Bytes{}, alive) + (grown ? m.gradients : gradients));
        }
        made_ = 1.0;
    }

    /// Moments behind the pipeline: outputs joined at its end, then the optimizer's.
    void after() {
        Seconds begin = line_.pipeline.total;
        Seconds end = line_.total;
        for (const Stretch& s : line_.after) {
            if (s.term == StepTerm::optimizer) {
                begin = s.begin;
                end = s.end;
            }
        }
        for (const WalkMoment& m : walk_.after) {
            const Bytes device = walk_.states + m.alive + m.gradients;
            if (m.moment == Moment::optimizer) {
                put(begin, rest());
                put(begin, device);
                put(end, device);
            } else {
                put(line_.pipeline.total, device);
            }
        }
        made_ = walk_.gradients_appear ? 0.0 : 1.0;
        put(end, rest());
        put(line_.total, rest());
    }

    const StepTimeline& line_;
    const MemoryWalk& walk_;
    std::span<const PipelineEvent> events_;
    std::vector<WalkMoment> pass_;
    double unit_ = 1.0;
    double open_ = 0.0;  ///< tasks whose backward pass is to come
    double made_;        ///< share of the gradients that is there
    std::vector<MemoryPoint> out_;
};

Bytes top_of(const MemoryWalk& walk) {
    Bytes top;
    for (const std::vector<WalkMoment>* part : {&walk.backward, &walk.after}) {
        for (const WalkMoment& m : *part)
            top = std::max(top, m.alive + m.gradients);
    }
    return walk.states + top;
}

}  // namespace

std::vector<MemoryPoint> memory_over_step(const StepTimeline& line, std::int64_t stage) {
    const auto& all = line.pipeline.events;
    const auto begin =
        std::partition_point(all.begin(), all.end(), [&](const PipelineEvent& e) { return e.stage < stage; });
    const auto end =
        std::partition_point(begin, all.end(), [&](const PipelineEvent& e) { return e.stage == stage; });
    const auto events = std::span(all).subspan(static_cast<std::size_t>(begin - all.begin()),
                                               static_cast<std::size_t>(end - begin));
    return StageCurve(line, events, line.memory[static_cast<std::size_t>(stage)]).points();
}

std::int64_t fullest_stage(const StepTimeline& line) {
    const auto& walks = line.memory;
    return std::max_element(walks.begin(), walks.end(),
                            [](const MemoryWalk& a, const MemoryWalk& b) { return top_of(a) < top_of(b); }) -
           walks.begin();
}

}  // namespace traincost
