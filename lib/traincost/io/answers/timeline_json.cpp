#include "traincost/io/answers/timeline_json.hpp"
#include "traincost/io/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "traincost/cost/memory/memory_timeline.hpp"

namespace traincost {

namespace {

std::string_view name_of(PipelineTask task) {
    static constexpr std::array<std::string_view, 4> names = {"forward", "backward", "input_gradient",
                                                              "weight_gradient"};
    return names[static_cast<std::size_t>(task)];
}

constexpr std::array<std::string_view, lane_count> lane_keys = {"compute", "tensor_parallel", "data_parallel",
                                                                "pipeline", "host"};

constexpr double micro = 1e6;

/// Stage to stage in both directions, each a thread of its own: both can be under way at once.
constexpr int backward_transfers = static_cast<int>(lane_count);

int thread_of(const LaneSpan& span) {
    const bool back = span.lane == Lane::pipeline && span.task != PipelineTask::forward;
    return back ? backward_transfers : static_cast<int>(span.lane);
}

std::string_view name_of_thread(int thread) {
    if (thread == backward_transfers)
        return "pipeline, backward";
    const Lane lane = static_cast<Lane>(thread);
    return lane == Lane::pipeline ? "pipeline, forward" : to_string(lane);
}

/// Trace events, appended to one buffer.
class Trace {
public:
    explicit Trace(std::size_t events) {
        constexpr std::size_t of_one = 150;  // bytes, a little more than a slice takes
        out_.reserve(events * of_one);
    }
    template <class... Args>
    void event(fmt::format_string<Args...> text, Args&&... args) {
        put(first_ ? "\n" : ",\n");
        first_ = false;
        fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
    }
    void put(std::string_view text) {
        out_ += text;
    }
    std::string take() && {
        return std::move(out_);
    }

private:
    std::string out_;
    bool first_ = true;
};

void name_threads(Trace& trace, const StepTimeline& line, const StepLanes& lanes) {
    for (std::int64_t s = 0; s < line.stages; ++s) {
        trace.event(R"({{"name": "process_name", "ph": "M", "pid": {0}, "args": {{"name": "stage {0}"}}}})",
                    s);
        trace.event(
            R"({{"name": "process_sort_index", "ph": "M", "pid": {0}, "args": {{"sort_index": {0}}}}})", s);
        for (int thread = 0; thread <= backward_transfers; ++thread) {
            const Lane lane = thread == backward_transfers ? Lane::pipeline : static_cast<Lane>(thread);
            if (lanes.used[static_cast<std::size_t>(lane)])
                trace.event(
                    R"({{"name": "thread_name", "ph": "M", "pid": {}, "tid": {}, "args": {{"name": "{}"}}}})",
                    s, thread, name_of_thread(thread));
        }
    }
}

/// Slices of a lane; where transfers of one direction overlap, the later begins when the earlier ends.
void write_slices(Trace& trace, const StepLanes& lanes) {
    std::int32_t stage = -1;
    std::array<Seconds, lane_count + 1> last{};
    for (const LaneSpan& span : lanes.spans) {
        if (span.stage != stage) {
            stage = span.stage;
            last = {};
        }
        Seconds& until = last[static_cast<std::size_t>(thread_of(span))];
        const Seconds begin = std::max(span.begin, until);
        if (span.end <= begin)
            continue;
        until = span.end;
        if (span.micro_batch < 0) {
            trace.event(R"({{"name": "{}", "ph": "X", "ts": {:.3f}, "dur": {:.3f}, "pid": {}, "tid": {}}})",
                        to_string(span.term), begin.value() * micro, (span.end - begin).value() * micro,
                        stage, thread_of(span));
        } else {
            trace.event(
                R"({{"name": "{} {}", "ph": "X", "ts": {:.3f}, "dur": {:.3f}, "pid": {}, "tid": {}, "args": {{"micro_batch": {}, "chunk": {}}}}})",
                name_of(span.task), span.micro_batch, begin.value() * micro,
                (span.end - begin).value() * micro, stage, thread_of(span), span.micro_batch, span.chunk);
        }
    }
}

void write_memory(Trace& trace, const StepTimeline& line) {
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    for (std::int64_t s = 0; s < line.stages; ++s) {
        for (const MemoryPoint& p : memory_over_step(line, s))
            trace.event(
                R"({{"name": "memory", "ph": "C", "ts": {:.3f}, "pid": {}, "args": {{"GiB": {:.3f}}}}})",
                p.at.value() * micro, s, p.device.value() / gib);
    }
}

}  // namespace

void write_lane_members(JsonWriter& out, const StepTimeline& line, const StepLanes& lanes) {
    out.member("total_s", line.total);
    out.key("spans").begin_array();
    for (const LaneSpan& span : lanes.spans) {
        out.begin_object().member("stage", span.stage);
        out.member("lane", lane_keys[static_cast<std::size_t>(span.lane)]);
        out.member("name", span.micro_batch < 0 ? to_string(span.term) : name_of(span.task));
        if (span.micro_batch >= 0)
            out.member("micro_batch", span.micro_batch);
        out.member("begin_s", span.begin).member("end_s", span.end).end_object();
    }
    out.end_array();
}

void write_timeline_members(JsonWriter& out, const StepTimeline& line, const StepLanes& lanes) {
    out.member("total_s", line.total);
    out.key("stages").begin_array();
    for (std::size_t s = 0; s < line.pipeline.busy.size(); ++s) {
        const Seconds busy = line.pipeline.busy[s];
        out.begin_object();
        out.member("busy_s", busy);
        out.member("idle_s", line.pipeline.total - busy);
        out.key("use").begin_object();
        for (std::size_t l = 0; l < lane_count; ++l)
            out.member(lane_keys[l], lanes.usage[s][l]);
        out.end_object();
        out.key("memory").begin_array();
        for (const MemoryPoint& p : memory_over_step(line, static_cast<std::int64_t>(s))) {
            out.begin_object();
            out.member("at_s", p.at).member("device_bytes", p.device);
            out.end_object();
        }
        out.end_array();
        out.end_object();
    }
    out.end_array();
    out.key("events").begin_array();
    for (const PipelineEvent& e : line.pipeline.events) {
        out.begin_object();
        out.member("stage", e.stage);
        out.member("task", name_of(e.task));
        out.member("chunk", e.chunk);
        out.member("micro_batch", e.micro_batch);
        out.member("begin_s", e.begin);
        out.member("end_s", e.end);
        out.end_object();
    }
    for (const Stretch& s : line.after) {
        out.begin_object();
        out.member("task", to_string(s.term));
        out.member("begin_s", s.begin);
        out.member("end_s", s.end);
        out.end_object();
    }
    out.end_array();
}

std::string chrome_trace(const StepTimeline& line, const StepLanes& lanes, const std::string& title) {
    Trace trace(lanes.spans.size() * 3 / 2 + 64);  // the memory's points are fewer and shorter
    JsonWriter quoted(0);
    quoted.begin_object().member("title", title).end_object();
    trace.put("{\"displayTimeUnit\": \"ms\", \"otherData\": " + quoted.text() + ", \"traceEvents\": [");
    name_threads(trace, line, lanes);
    write_slices(trace, lanes);
    write_memory(trace, line);
    trace.put("\n]}\n");
    return std::move(trace).take();
}

}  // namespace traincost
