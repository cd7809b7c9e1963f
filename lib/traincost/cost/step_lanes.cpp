#include "traincost/cost/step_lanes.hpp"

#include <algorithm>
#include <span>

namespace traincost {

namespace {

/// What a task's time is made of, as shares of its work.
struct Shares {
    double compute;
    double traffic;
    double host;
};

Shares shares_of(const PassTime& pass, Seconds elsewhere) {
    const Seconds all = pass.total() - elsewhere;
    if (!(all.value() > 0.0))
        return {1.0, 0.0, 0.0};
    const double traffic = (pass.tensor + pass.context + pass.expert) / all;
    const double host = pass.host / all;
    return {std::max(0.0, 1.0 - traffic - host), traffic, host};
}

Lane lane_of(StepTerm term) {
    switch (term) {
        case StepTerm::data_parallel:
            return Lane::data_parallel;
        case StepTerm::optimizer:
            return Lane::compute;
        default:
            return Lane::host;
    }
}

/// Spans of one stage.
class StageLanes {
public:
    StageLanes(const StepTimeline& line, std::int64_t stage, StepLanes& out)
        : line_(line), stage_(stage), passes_(line.passes[static_cast<std::size_t>(stage)]), out_(out) {
    }

    void fill(std::span<const PipelineEvent> events) {
        const std::size_t first = out_.spans.size();
        for (std::size_t i = 0; i < events.size(); ++i) {
            // Two passes that run as one task (DualPipe) are drawn one behind the other.
            const bool joined = i + 1 < events.size() && events[i + 1].begin == events[i].begin &&
                                events[i + 1].end == events[i].end;
            if (joined) {
                const Seconds middle = events[i].begin + (events[i].end - events[i].begin) / 3.0;
                task(events[i], events[i].begin, middle);
                task(events[i + 1], middle, events[i].end);
                ++i;
            } else {
                task(events[i], events[i].begin, events[i].end);
            }
        }
        hidden(events);
        for (const Stretch& s : line_.after)
            out_.spans.push_back(
                {narrow(stage_), lane_of(s.term), PipelineTask::forward, -1, 0, s.term, s.begin, s.end});
        std::stable_sort(out_.spans.begin() + static_cast<std::ptrdiff_t>(first), out_.spans.end(),
                         [](const LaneSpan& a, const LaneSpan& b) { return a.begin < b.begin; });
        usage(first);
    }

private:
    static std::int32_t narrow(std::int64_t x) {
        return static_cast<std::int32_t>(x);
    }

    void add(Lane lane, const PipelineEvent& e, Seconds begin, Seconds end) {
        if (end > begin)
            out_.spans.push_back({narrow(stage_), lane, e.task, narrow(e.micro_batch), narrow(e.chunk),
                                  StepTerm::gemm, begin, end});
    }

    bool sends(const PipelineEvent& e) const {
        return e.task == PipelineTask::forward ? e.chunk + 1 < line_.chunks
                                               : e.task != PipelineTask::weight_gradient && e.chunk > 0;
    }

    bool receives(const PipelineEvent& e) const {
        return e.task == PipelineTask::forward
                   ? e.chunk > 0
                   : e.task != PipelineTask::weight_gradient && e.chunk + 1 < line_.chunks;
    }

    Shares shares(PipelineTask task) const {
        const Seconds weight = passes_.backward.gemm * 0.5;
        switch (task) {
            case PipelineTask::forward:
                return shares_of(passes_.forward, Seconds{});
            case PipelineTask::backward:
                return shares_of(passes_.backward, Seconds{});
            case PipelineTask::input_gradient:
                return shares_of(passes_.backward, weight);
            case PipelineTask::weight_gradient:
                break;
        }
        return {1.0, 0.0, 0.0};
    }

    void task(const PipelineEvent& e, Seconds begin, Seconds end) {
        const Seconds transfer = line_.transfer.time;
        Seconds at = begin;
        if (line_.transfer.overlapped) {
            if (sends(e) && transfer.value() > 0.0)
                add(Lane::pipeline, e, end, std::min(end + transfer, line_.total));
        } else if (receives(e)) {
            at = std::min(begin + transfer, end);
            add(Lane::pipeline, e, begin, at);
        }
        const Shares share = shares(e.task);
        const Seconds work = end - at;
        const Seconds computed = at + work * share.compute;
        const Seconds sent = share.host > 0.0 ? computed + work * share.traffic : end;
        add(Lane::compute, e, at, share.compute < 1.0 ? computed : end);
        if (share.traffic > 0.0)
            add(Lane::tensor_parallel, e, computed, sent);
        if (share.host > 0.0)
            add(Lane::host, e, share.traffic > 0.0 ? sent : computed, end);
    }

    /// Data-parallel traffic under compute: before the pipeline's end where gradients are reduced once, else
    /// the same share of every task.
    void hidden(std::span<const PipelineEvent> events) {
        const DataParallelTime& d = line_.data_parallel;
        if (!(d.hidden.value() > 0.0) || events.empty())
            return;
        if (d.reductions <= 1.0 && d.gathers <= 1.0) {
            const Seconds begin = std::max(Seconds{}, line_.pipeline.total - d.hidden);
            out_.spans.push_back({narrow(stage_), Lane::data_parallel, PipelineTask::forward, -1, 0,
                                  StepTerm::data_parallel, begin, line_.pipeline.total});
            return;
        }
        const Seconds busy = line_.pipeline.busy[static_cast<std::size_t>(stage_)];
        const double share = std::min(1.0, d.hidden / busy);
        for (const PipelineEvent& e : events)
            add(Lane::data_parallel, e, e.begin, e.begin + (e.end - e.begin) * share);
    }

    /// Time of the union of a lane's spans, which are in order.
    void usage(std::size_t first) {
        std::array<Seconds, lane_count> busy{};
        std::array<Seconds, lane_count> last{};
        for (std::size_t i = first; i < out_.spans.size(); ++i) {
            const LaneSpan& s = out_.spans[i];
            const auto lane = static_cast<std::size_t>(s.lane);
            const Seconds begin = std::max(s.begin, last[lane]);
            if (s.end > begin) {
                busy[lane] += s.end - begin;
                last[lane] = s.end;
            }
        }
        std::array<double, lane_count>& share = out_.usage.emplace_back();
        for (std::size_t lane = 0; lane < lane_count; ++lane) {
            share[lane] = line_.total.value() > 0.0 ? busy[lane] / line_.total : 0.0;
            out_.used[lane] = out_.used[lane] || share[lane] > 0.0;
        }
    }

    const StepTimeline& line_;
    std::int64_t stage_;
    const StagePasses& passes_;
    StepLanes& out_;
};

}  // namespace

std::string_view to_string(Lane lane) {
    static constexpr std::array<std::string_view, lane_count> names = {"compute", "tensor parallel",
                                                                       "data parallel", "pipeline", "host"};
    return names[static_cast<std::size_t>(lane)];
}

StepLanes step_lanes(const StepTimeline& line) {
    StepLanes lanes{};
    lanes.spans.reserve(line.pipeline.events.size() * 3);
    const std::span<const PipelineEvent> events = line.pipeline.events;
    std::size_t begin = 0;
    for (std::int64_t s = 0; s < line.stages; ++s) {
        std::size_t end = begin;
        while (end < events.size() && events[end].stage == s)
            ++end;
        StageLanes(line, s, lanes).fill(events.subspan(begin, end - begin));
        begin = end;
    }
    return lanes;
}

}  // namespace traincost
