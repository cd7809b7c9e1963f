#include "traincost/import/logs/training_log_json.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

namespace {

void write_spread(JsonWriter& out, const std::optional<StepSpread>& spread) {
    out.key("step_spread");
    if (!spread) {
        out.null();
        return;
    }
    out.begin_object();
    out.member("steps", spread->steps);
    out.member("fastest_s", spread->fastest);
    out.member("p90_s", spread->p90);
    out.member("slowest_s", spread->slowest);
    out.member("slowest_iteration", spread->slowest_iteration);
    out.member("slow_steps", spread->slow);
    out.member("slow_share", spread->slow_share);
    out.end_object();
}

}  // namespace

void write_json(JsonWriter& out, const TrainingLog& log) {
    out.begin_object();
    out.member("kind", "log");
    out.key("framework");
    if (log.framework) {
        out.value(to_string(*log.framework));
    } else {
        out.null();
    }
    out.member("iterations", log.iterations);
    out.member("first_iteration", log.first_iteration);
    out.member("last_iteration", log.last_iteration);
    out.member("planned_iterations", log.planned_iterations);
    out.member("step_time_s", log.step_time);
    write_spread(out, log.spread);
    out.member("tokens_per_s", log.tokens_per_s);
    out.member("tokens_per_s_per_gpu", log.tokens_per_s_per_gpu);
    out.member("samples_per_s", log.samples_per_s);
    out.member("steps_per_s", log.steps_per_s);
    out.member("tflops_per_gpu", log.tflops_per_gpu);
    out.member("loss_last", log.loss_last);
    out.member("peak_memory_bytes", log.peak_memory);
    out.member("allocated_bytes", log.allocated);
    out.member("reserved_bytes", log.reserved);
    out.member("device_bytes", log.device);
    out.member("global_batch", log.global_batch);
    out.member("sequence", log.sequence);
    out.member("micro_steps", log.micro_steps);
    out.member("accelerators", accelerators_of(log));
    out.member("skipped_steps", log.skipped_steps);
    out.member("nan_steps", log.nan_steps);
    out.member("restarts", log.restarts);
    out.member("repeated_lines", log.repeated_lines);
    out.member("lines", log.lines);
    out.key("oddities").begin_array();
    for (const LogOddity& oddity : log.oddities) {
        out.value(to_string(oddity));
    }
    out.end_array();
    out.end_object();
}

}  // namespace traincost
