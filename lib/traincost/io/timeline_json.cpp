#include "traincost/io/timeline_json.hpp"

#include <array>

namespace traincost {

namespace {

std::string_view name_of(PipelineTask task) {
    static constexpr std::array<std::string_view, 4> names = {"forward", "backward", "input_gradient",
                                                              "weight_gradient"};
    return names[static_cast<std::size_t>(task)];
}

/// One complete event ("X") of the trace format.
void write_trace_event(JsonWriter& out, std::string_view name, std::int64_t stage, Seconds begin, Seconds end,
                       const PipelineEvent* task) {
    constexpr double micro = 1e6;
    out.begin_object();
    out.member("name", name);
    out.member("ph", "X");
    out.member("ts", begin.value() * micro);
    out.member("dur", (end - begin).value() * micro);
    out.member("pid", 0);
    out.member("tid", stage);
    if (task != nullptr) {
        out.key("args").begin_object();
        out.member("micro_batch", task->micro_batch);
        out.member("chunk", task->chunk);
        out.end_object();
    }
    out.end_object();
}

}  // namespace

void write_timeline_members(JsonWriter& out, const StepTimeline& line) {
    out.member("total_s", line.total);
    out.key("stages").begin_array();
    for (const Seconds busy : line.pipeline.busy) {
        out.begin_object();
        out.member("busy_s", busy);
        out.member("idle_s", line.pipeline.total - busy);
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

std::string chrome_trace(const StepTimeline& line) {
    JsonWriter out(0);
    out.begin_object().key("traceEvents").begin_array();
    for (std::int64_t s = 0; s < line.stages; ++s) {
        out.begin_object().member("name", "thread_name").member("ph", "M").member("pid", 0).member("tid", s);
        out.key("args").begin_object().member("name", "stage " + std::to_string(s)).end_object();
        out.end_object();
    }
    for (const PipelineEvent& e : line.pipeline.events) {
        const std::string name = std::string(name_of(e.task)) + " " + std::to_string(e.micro_batch);
        write_trace_event(out, name, e.stage, e.begin, e.end, &e);
    }
    for (const Stretch& stretch : line.after) {
        for (std::int64_t s = 0; s < line.stages; ++s)
            write_trace_event(out, to_string(stretch.term), s, stretch.begin, stretch.end, nullptr);
    }
    out.end_array().end_object();
    return out.text();
}

}  // namespace traincost
