#include "traincost/cost/step.hpp"

#include <algorithm>
#include <vector>

#include "traincost/cost/kernels.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/cost/pipeline.hpp"

namespace traincost {

std::string_view to_string(StepTerm term) {
    static constexpr std::string_view names[] = {"gemm",
                                                 "attention",
                                                 "memory_bound",
                                                 "recompute",
                                                 "host",
                                                 "tensor_parallel",
                                                 "context_parallel",
                                                 "expert_parallel",
                                                 "pipeline_transfer",
                                                 "bubble",
                                                 "data_parallel",
                                                 "optimizer",
                                                 "offload",
                                                 "fixed"};
    return names[static_cast<std::size_t>(term)];
}

namespace {

/// Forward, backward and recomputed forward of one block kind or of the embedding or head.
struct PartTime {
    PassTime forward;
    PassTime backward;
    PassTime again;  ///< recomputed in backward
};

PartTime part_time(const OpList& ops, const KernelContext& context) {
    PartTime t{pass_time(ops, Pass::forward, context), pass_time(ops, Pass::backward, context), {}};
    if (context.job->run.recompute == Recompute::selective)
        t.again = pass_time(ops, Pass::forward, context, true);
    return t;
}

/// Sums of one stage.
struct StageSum {
    PassTime forward;
    PassTime backward;
    PassTime again;
    Seconds weight;
};

}  // namespace

StepTime step_time(const Job& job, const Shape& s, const BlockTable& table) {
    const RunSpec& run = job.run;
    const StackSpec& stack = job.stack;
    const Parallelism& p = run.parallel;
    const std::int64_t m = micro_batches(run);
    const auto at = [](StepTime& t, StepTerm term) -> Seconds& {
        return t.terms[static_cast<std::size_t>(term)];
    };

    const KernelContext context = kernel_context(job);
    std::array<PartTime, 6> parts;
    for (std::size_t k = 0; k < table.size; ++k)
        parts[k] = part_time(table.ops[k], context);
    const PartTime embedding = part_time(table.embedding, context);
    const PartTime head = part_time(table.head, context);

    const StageLayout layout{p.pp, p.vp, block_count(job.model)};
    std::array<StageTime, 512> stages;
    StageSum slowest{};
    Seconds slowest_total{-1.0};
    const std::size_t stage_count = std::min<std::size_t>(static_cast<std::size_t>(p.pp), stages.size());
    for (std::size_t stage = 0; stage < stage_count; ++stage) {
        StageSum sum{};
        std::int64_t position = 0;
        for (std::int64_t v = 0; v < p.vp; ++v) {
            const std::int64_t chunk = v * p.pp + static_cast<std::int64_t>(stage);
            const std::int64_t first = chunk_first(layout, chunk);
            const std::int64_t count = chunk_size(layout, chunk);
            for (std::int64_t i = first; i < first + count; ++i, ++position) {
                const PartTime& part = parts[kind_of(job, table, i)];
                sum.forward += part.forward;
                sum.backward += part.backward;
                const bool full = run.recompute == Recompute::full && position % run.recompute_every == 0 &&
                                  (!run.recompute_layers || position < *run.recompute_layers);
                sum.again += full ? part.forward : part.again;
            }
        }
        if (stage == 0) {
            sum.forward += embedding.forward;
            sum.backward += embedding.backward;
        }
        if (stage + 1 == stage_count) {
            sum.forward += head.forward;
            sum.backward += head.backward;
        }
        const Seconds backward = sum.backward.total() + sum.again.total();
        stages[stage] = {sum.forward.total(), backward, sum.backward.gemm * 0.5};
        if (sum.forward.total() + backward > slowest_total) {
            slowest_total = sum.forward.total() + backward;
            slowest = sum;
        }
    }

    const Schedule schedule = run.schedule.value_or(p.vp > 1 ? Schedule::interleaved : stack.pipeline);
    const Bytes boundary{s.tokens_sp * static_cast<double>(job.model.hidden) * s.e};
    const Seconds transfer =
        p.pp > 1 && !stack.overlap_p2p
            ? communication_time(Collective::send_recv, boundary, Group::pipeline, context)
            : Seconds{};
    const PipelineTime pipeline = pipeline_time(schedule, {stages.data(), stage_count}, p.vp, m, transfer);

    StepTime t{};
    t.slowest_stage = pipeline.slowest;
    const double md = static_cast<double>(m);
    at(t, StepTerm::gemm) = (slowest.forward.gemm + slowest.backward.gemm) * md;
    at(t, StepTerm::attention) = (slowest.forward.attention + slowest.backward.attention) * md;
    at(t, StepTerm::memory_bound) = (slowest.forward.memory + slowest.backward.memory) * md;
    at(t, StepTerm::recompute) = slowest.again.total() * md;
    at(t, StepTerm::host) = (slowest.forward.host + slowest.backward.host) * md;
    at(t, StepTerm::tensor_parallel) = (slowest.forward.tensor + slowest.backward.tensor) * md;
    at(t, StepTerm::context_parallel) = (slowest.forward.context + slowest.backward.context) * md;
    at(t, StepTerm::expert_parallel) = (slowest.forward.expert + slowest.backward.expert) * md;
    at(t, StepTerm::bubble) = pipeline.bubble;
    t.forward = slowest.forward.total() * md;
    t.backward = (slowest.backward.total() + slowest.again.total()) * md;

    // Data-parallel traffic of the largest stage's gradients and, under ZeRO, weights.
    const StateShards shards = state_shards(job);
    const ShardedCount stage_weights =
        stage_parameters(job.model, layout, pipeline.slowest, p.tp, p.ep, s.etp);
    const double trained = run.tuning == Tuning::full ? 1.0 : 0.0;
    const Bytes element = bytes_per_element(run.precision.reduce);
    if (p.dp * p.cp > 1) {
        const double reductions = stack.reduce_every_micro_batch || p.zero >= 3 ? md : 1.0;
        const Collective reduction = p.zero >= 1 ? Collective::reduce_scatter : Collective::all_reduce;
        const Bytes weights{s.e};
        const Seconds reduce_time =
            communication_time(reduction, element * (stage_weights.dense * trained), Group::data, context) +
            communication_time(reduction, element * (stage_weights.expert * trained), Group::expert_data,
                               context);
        const Seconds gather_time =
            communication_time(Collective::all_gather, weights * stage_weights.dense, Group::data, context) +
            communication_time(Collective::all_gather, weights * stage_weights.expert, Group::expert_data,
                               context);
        const Seconds one_backward = slowest.backward.total() + slowest.again.total();
        const Seconds one_forward = slowest.forward.total();
        const Seconds hidden_reduce =
            stack.overlap_grad_reduce ? std::min(reduce_time, one_backward * 0.9) : Seconds{};
        at(t, StepTerm::data_parallel) += (reduce_time - hidden_reduce) * reductions;
        if (p.zero >= 3) {
            const Seconds hidden_f =
                stack.overlap_param_gather ? std::min(gather_time, one_forward * 0.9) : Seconds{};
            const Seconds hidden_b =
                stack.overlap_param_gather
                    ? std::min(gather_time, std::max(Seconds{}, one_backward * 0.9 - hidden_reduce))
                    : Seconds{};
            at(t, StepTerm::data_parallel) += (gather_time * 2.0 - hidden_f - hidden_b) * md;
        } else if (p.zero >= 1) {
            const Seconds hidden =
                stack.overlap_param_gather ? std::min(gather_time, one_forward * 0.9) : Seconds{};
            at(t, StepTerm::data_parallel) += gather_time - hidden;
        }
    }

    // Optimizer: gradients and states read, states and weights written.
    const double owned =
        (p.zero >= 1 ? stage_weights.dense / shards.dense + stage_weights.expert / shards.expert
                     : stage_weights.dense + stage_weights.expert) *
        trained;
    const Bytes states = optimizer_state_bytes(run.optimizer, run.precision);
    const Bytes per_parameter =
        bytes_per_element(run.precision.gradients) * 3.0 + states * 2.0 +
        (run.precision.master ? bytes_per_element(*run.precision.master) * 2.0 : Bytes{}) +
        bytes_per_element(run.precision.weights) * 2.0;
    at(t, StepTerm::optimizer) = memory_time(per_parameter * owned, context);
    at(t, StepTerm::fixed) = stack.host_per_step;
    for (const Seconds& term : t.terms)
        t.total += term;
    return t;
}

}  // namespace traincost
