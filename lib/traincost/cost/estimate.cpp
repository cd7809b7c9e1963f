#include "traincost/cost/estimate.hpp"

#include <algorithm>

#include "traincost/cost/flops.hpp"
#include "traincost/cost/memory/host_memory.hpp"
#include "traincost/spec/step_tokens.hpp"

namespace traincost {

Estimate estimate(const Job& job) {
    const Shape shape = shape_of(job);
    BlockOps ops;
    fill_ops(job, shape, ops);
    const BlockTable table = block_table(job, shape, ops);
    const StageClasses stages = stage_classes(job, table);
    Estimate e{};
    e.parameters = parameter_count(job.model);
    const std::int64_t pp = job.run.parallel.pp;
    e.stages.reserve(static_cast<std::size_t>(pp));
    for (std::int64_t stage = 0; stage < pp; ++stage) {
        e.stages.push_back(stage_memory(job, shape, table, stages, stage));
        if (e.stages.back().device > e.stages[static_cast<std::size_t>(e.peak_stage)].device)
            e.peak_stage = stage;
    }
    e.capacity = allowed_memory(job);
    const Bytes peak = e.stages[static_cast<std::size_t>(e.peak_stage)].device;
    e.shortfall = std::max(Bytes{}, peak - e.capacity);
    for (const StageMemory& stage : e.stages) {
        e.node_host = std::max(e.node_host, of_node(job, stage.host));
        e.node_storage = std::max(e.node_storage, of_node(job, stage.storage));
    }
    e.node_memory = job.cluster.host.memory;
    e.fits = e.shortfall <= Bytes{} && e.host_shortfall() <= Bytes{};
    e.step = step_time(job, shape, table, stages, allocator_pressure(job, shape, table, stages, peak));

    const double gpus = static_cast<double>(job.cluster.accelerators);
    Throughput& t = e.throughput;
    t.tokens_per_step = tokens_per_step(job.run);
    t.tokens_per_s = t.tokens_per_step / e.step.total.value();
    t.tokens_per_s_per_gpu = t.tokens_per_s / gpus;
    const FlopRate peak_flops = *peak_rate(job.cluster.accelerator, job.run.precision.gemm);
    const StepFlops flops = step_flops(job);
    t.model_flops_per_gpu = flops.model / e.step.total / gpus;
    t.hardware_flops_per_gpu = (flops.model + flops.recomputed) / e.step.total / gpus;
    t.mfu = t.model_flops_per_gpu / peak_flops;
    t.hfu = t.hardware_flops_per_gpu / peak_flops;

    if (job.run.tokens) {
        TrainingTotals total{};
        total.tokens = *job.run.tokens;
        total.steps = total.tokens / t.tokens_per_step;
        total.time = e.step.total * total.steps;
        const double hours = total.time.value() / 3600.0;
        total.gpu_hours = hours * gpus;
        if (const std::optional<Dollars> cost = hourly_cost(job.cluster))
            total.cost = *cost * hours;
        if (const std::optional<double> watts = power_watts(job.cluster))
            total.energy_kwh = *watts / 1000.0 * hours;
        e.training = total;
    }
    return e;
}

}  // namespace traincost
