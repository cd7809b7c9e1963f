#include "traincost/io/answers/estimate_json.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/base/scale.hpp"
#include "traincost/io/specs/job_json.hpp"
#include "traincost/plan/price.hpp"

namespace traincost {

namespace {

void write_params(JsonWriter& out, const ParameterCount& count) {
    out.key("params").begin_object();
    out.member("total", count.total);
    out.member("active", count.active);
    out.member("embedding", count.embedding);
    out.member("non_embedding", count.non_embedding);
    out.key("breakdown").begin_array();
    for (int i = 0; i < module_count; ++i) {
        const std::int64_t part = count.by_module[static_cast<std::size_t>(i)];
        if (part != 0) {
            out.begin_object();
            out.member("name", to_string(static_cast<Module>(i)));
            out.member("count", part);
            out.end_object();
        }
    }
    out.end_array().end_object();
}

void write_memory_breakdown(JsonWriter& out, const StageMemory& stage) {
    out.key("breakdown").begin_array();
    for (int i = 0; i < memory_term_count; ++i) {
        const auto term = static_cast<MemoryTerm>(i);
        out.begin_object();
        out.member("name", to_string(term));
        out.member("bytes", stage[term]);
        out.end_object();
    }
    out.end_array();
}

/// The interval, and the measured runs that it comes from.
void write_interval(JsonWriter& out, const std::optional<Interval>& interval, const std::string& comparable) {
    out.key("interval_80");
    if (interval) {
        out.begin_array().value(interval->low).value(interval->high).end_array();
    } else {
        out.null();
    }
    out.member("comparable", comparable.empty() ? std::nullopt : std::optional(comparable));
}

void write_memory(JsonWriter& out, const Estimate& e, const Uncertainty& sure) {
    const StageMemory& peak = e.stages[static_cast<std::size_t>(e.peak_stage)];
    out.key("memory").begin_object();
    out.member("allocated_bytes", peak.allocated);
    out.member("reserved_bytes", peak.reserved);
    out.member("device_bytes", peak.device);
    out.member("capacity_bytes", e.capacity);
    out.member("shortfall_bytes", e.shortfall);
    write_interval(out, sure.device_bytes, sure.memory_comparable);
    out.member("probability_of_fitting", sure.probability_of_fitting);
    out.member("host_bytes", peak.host);
    out.member("storage_bytes", peak.storage);
    out.member("node_host_bytes", e.node_host);
    out.member("node_storage_bytes", e.node_storage);
    out.member("peak_stage", e.peak_stage);
    out.member("peak_moment", to_string(peak.moment));
    out.key("by_stage").begin_array();
    for (std::size_t s = 0; s < e.stages.size(); ++s) {
        const StageMemory& stage = e.stages[s];
        out.begin_object();
        out.member("stage", s);
        out.member("allocated_bytes", stage.allocated);
        out.member("reserved_bytes", stage.reserved);
        out.member("device_bytes", stage.device);
        out.member("host_bytes", stage.host);
        out.member("peak_moment", to_string(stage.moment));
        out.member("micro_batches_in_flight", stage.micro_batches_in_flight);
        write_memory_breakdown(out, stage);
        out.end_object();
    }
    out.end_array();
    write_memory_breakdown(out, peak);
    out.end_object();
}

void write_step(JsonWriter& out, const StepTime& step, const Uncertainty& sure) {
    out.key("step").begin_object();
    out.member("time_s", step.total);
    write_interval(out, sure.step_time_s, sure.step_comparable);
    out.member("slowest_stage", step.slowest_stage);
    out.key("breakdown").begin_array();
    for (int i = 0; i < step_term_count; ++i) {
        const auto term = static_cast<StepTerm>(i);
        out.begin_object();
        out.member("name", to_string(term));
        out.member("seconds", step[term]);
        out.end_object();
    }
    out.end_array().end_object();
}

void write_throughput(JsonWriter& out, const Throughput& t) {
    out.key("throughput").begin_object();
    out.member("tokens_per_step", t.tokens_per_step);
    out.member("tokens_per_s", t.tokens_per_s);
    out.member("tokens_per_s_per_gpu", t.tokens_per_s_per_gpu);
    out.member("model_tflops_per_gpu", t.model_flops_per_gpu.value() / tera);
    out.member("hardware_tflops_per_gpu", t.hardware_flops_per_gpu.value() / tera);
    out.member("mfu", t.mfu);
    out.member("hfu", t.hfu);
    out.end_object();
}

void write_reliability(JsonWriter& out, const std::optional<Reliability>& reliability) {
    out.key("reliability");
    if (!reliability) {
        out.null();
        return;
    }
    out.begin_object();
    out.member("goodput", reliability->goodput);
    out.member("mean_time_between_failures_s", reliability->mean_time);
    out.member("checkpoint_bytes", reliability->checkpoint);
    out.member("checkpoint_write_s", reliability->write);
    out.member("checkpoint_interval_s", reliability->interval);
    out.member("restart_s", reliability->restart);
    out.end_object();
}

void write_price(JsonWriter& out, const ClusterSpec& cluster) {
    const std::optional<GpuHourPrice> price = gpu_hour_price(cluster);
    out.key("price");
    if (!price) {
        out.null();
        return;
    }
    out.begin_object();
    out.member("usd_per_gpu_hour", price->amount);
    out.member("kind", price->kind);
    out.member("provider", price->provider);
    out.key("known_usd_per_gpu_hour").begin_array();
    out.value(price->lowest.value()).value(price->highest.value()).end_array();
    out.member("whole_nodes", cluster.whole_nodes);
    out.end_object();
}

void write_training(JsonWriter& out, const Job& job, const Bill& bill, const Operation& operation) {
    constexpr double seconds_a_day = 86400.0;
    const std::optional<TrainingTotals>& training = bill.totals;
    const auto member = [&](const char* key, auto value_of) {
        out.key(key);
        if (training) {
            out.value(value_of(*training));
        } else {
            out.null();
        }
    };
    out.key("training").begin_object();
    member("tokens", [](const TrainingTotals& t) { return t.tokens; });
    member("steps", [](const TrainingTotals& t) { return t.steps; });
    member("seconds", [](const TrainingTotals& t) { return t.time.value(); });
    member("days", [](const TrainingTotals& t) { return t.time.value() / seconds_a_day; });
    member("gpu_hours", [](const TrainingTotals& t) { return t.gpu_hours; });
    out.end_object();
    out.key("cost").begin_object();
    out.member("usd", training ? training->cost : std::nullopt);
    out.member("usd_per_million_tokens", bill.per_million_tokens);
    write_price(out, job.cluster);
    out.end_object();
    out.key("energy").begin_object();
    out.member("kwh", training ? training->energy_kwh : std::nullopt);
    out.member("pue", operation.pue);
    out.member("site_kwh", bill.site_kwh);
    out.member("co2_kg", bill.co2_kg);
    out.end_object();
    write_reliability(out, bill.reliability);
}

}  // namespace

void write_estimate_members(JsonWriter& out, const Job& job, const Estimate& estimate,
                            const Uncertainty& sure, std::span<const std::string> assumptions,
                            const Operation& operation) {
    out.member("schema_version", estimate_schema_version);
    out.key("input");
    write_json(out, job, operation);
    write_params(out, estimate.parameters);
    out.member("fits", estimate.fits);
    write_memory(out, estimate, sure);
    write_step(out, estimate.step, sure);
    write_throughput(out, estimate.throughput);
    write_training(out, job, bill(job, estimate, operation), operation);
    out.array("assumptions", assumptions);
}

}  // namespace traincost
