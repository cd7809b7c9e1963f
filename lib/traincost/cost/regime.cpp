#include "traincost/cost/regime.hpp"

#include "traincost/cost/blocks.hpp"
#include "traincost/cost/memory.hpp"

namespace traincost {

bool bucket_views(const Job& job) {
    const Parallelism& p = job.run.parallel;
    return job.stack.traffic.gradient_bucket_view && p.dp * p.cp > 1 && p.zero <= 1 && p.pp == 1;
}

bool gradients_persist(const Job& job) {
    return job.stack.states.gradients == GradientStore::main_buffer || bucket_views(job) ||
           micro_batches(job.run) > 1;
}

bool model_gradients_beside(const Job& job) {
    return job.stack.states.model_gradients_kept && job.run.precision.gradients != job.run.precision.compute;
}

bool fully_sharded(const Job& job) {
    return job.run.parallel.zero >= 2 &&
           (job.stack.states.shard == ShardEngine::fsdp1 || job.stack.states.shard == ShardEngine::fsdp2);
}

bool pipeline_keeps_gathered(const Job& job) {
    return job.stack.states.pipeline_keeps_gathered && job.run.parallel.pp > 1 && fully_sharded(job);
}

std::int64_t zero_in_force(const Job& job) {
    const bool gathered =
        pipeline_keeps_gathered(job) || (fully_sharded(job) && job.run.reshard == Reshard::never);
    return gathered ? 2 : job.run.parallel.zero;
}

bool reduces_every_micro_batch(const Job& job) {
    const Parallelism& p = job.run.parallel;
    if (p.zero < 2)
        return job.stack.traffic.replicas_reduce_every_micro_batch && p.zero == 0 && p.pp == 1;
    return job.stack.traffic.reduce_every_micro_batch && !pipeline_keeps_gathered(job);
}

bool expandable_segments(const Job& job) {
    return job.run.expandable_segments.value_or(job.stack.device.expandable_segments);
}

Regime regime_of(const Job& job) {
    const RunSpec& run = job.run;
    const std::int64_t zero = run.parallel.zero;
    Regime r{};
    r.tuned = run.tuning != Tuning::full;
    r.zero = zero_in_force(job);
    r.fully_sharded = fully_sharded(job);
    r.keeps_gathered = pipeline_keeps_gathered(job);
    // Over one rank ZeRO-3 gathers nothing; FSDP still makes its compute copies block by block.
    r.weights_sharded = (zero >= 3 && state_shards(job).dense > 1.0) || r.fully_sharded;
    r.states_sharded = zero >= 1 || (job.stack.states.bf16_shards_states && run.precision.master &&
                                     run.precision.compute == DataType::bf16);
    r.reduces_every_micro_batch = reduces_every_micro_batch(job);
    // Sharded gradients that wait for the last micro-batch are whole until then.
    const bool waits =
        (r.fully_sharded || zero == 2) && !r.reduces_every_micro_batch && micro_batches(run) > 1;
    const bool kept_whole = job.stack.states.recompute_keeps_gradients && zero == 2 &&
                            run.recompute == Recompute::full && run.recompute_every == 1;
    r.gradients_sharded = zero >= 2 && !waits && !kept_whole;
    r.gradients_persist = gradients_persist(job);
    r.buckets_beside = !r.fully_sharded && run.parallel.dp * run.parallel.cp > 1 && zero <= 1 &&
                       job.stack.traffic.buckets_kept;
    r.gradients_beside = model_gradients_beside(job);
    // Fully sharded weights that live on the host take their gradients there.
    r.gradients_kept =
        !run.optimizer_in_backward && !(run.offload_parameters != Offload::none && r.fully_sharded);
    // FSDP1 flattens what it wraps into one parameter: one trained weight brings gradients for all of it.
    r.frozen_in_flat = r.tuned && r.fully_sharded && job.stack.states.shard == ShardEngine::fsdp1 &&
                       job.stack.states.frozen_in_flat_parameters;
    return r;
}

}  // namespace traincost
