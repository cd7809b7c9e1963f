#include "traincost/cost/step.hpp"

#include <algorithm>
#include <span>
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

/// Sums of one stage.
struct StageSum {
    PassTime forward;
    PassTime backward;
    PassTime again;
    Seconds weight;
};

StageSum stage_sum(const BlockTable& table, const StageClass& stage) {
    StageSum sum{};
    for (std::size_t k = 0; k < table.size; ++k) {
        const KindCount& n = stage.kinds[k];
        if (n.blocks == 0.0)
            continue;
        const PartTime& time = table.kinds[k].time;
        sum.forward += time.forward * n.blocks;
        sum.backward += time.backward * n.blocks;
        sum.again += time.forward * n.again;
        sum.again += time.again * (n.blocks - n.again);
    }
    if (stage.first) {
        sum.forward += table.embedding_time.forward;
        sum.backward += table.embedding_time.backward;
    }
    if (stage.last) {
        sum.forward += table.head_time.forward;
        sum.backward += table.head_time.backward;
    }
    return sum;
}

}  // namespace

StepTime step_time(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages) {
    const RunSpec& run = job.run;
    const StackSpec& stack = job.stack;
    const Parallelism& p = run.parallel;
    const std::int64_t m = micro_batches(run);
    const auto at = [](StepTime& t, StepTerm term) -> Seconds& {
        return t.terms[static_cast<std::size_t>(term)];
    };

    const GroupPlacements groups = placements(job);
    std::array<StageTime, 64> few;  // classes of stages, hardly ever more than four
    std::vector<StageTime> many;
    std::span<StageTime> times{few.data(), std::min(few.size(), stages.classes.size())};
    if (stages.classes.size() > few.size()) {
        many.resize(stages.classes.size());
        times = many;
    }
    StageSum slowest{};
    Seconds slowest_total{-1.0};
    for (std::size_t i = 0; i < times.size(); ++i) {
        const StageSum sum = stage_sum(table, stages.classes[i]);
        const Seconds backward = sum.backward.total() + sum.again.total();
        times[i] = {sum.forward.total(), backward, sum.backward.gemm * 0.5,
                    static_cast<double>(stages.classes[i].stages)};
        if (sum.forward.total() + backward > slowest_total) {
            slowest_total = sum.forward.total() + backward;
            slowest = sum;
        }
    }

    const Schedule schedule = run.schedule.value_or(p.vp > 1 ? Schedule::interleaved : stack.pipeline);
    const Bytes boundary{s.tokens_sp * static_cast<double>(job.model.hidden) * s.e};
    const Seconds transfer =
        p.pp > 1 && !stack.overlap_p2p
            ? communication_time(Collective::send_recv, boundary, Group::pipeline, job, groups)
            : Seconds{};
    const PipelineTime pipeline = pipeline_time(schedule, times, p.vp, m, transfer);

    StepTime t{};
    const StageClass& slowest_class = stages.classes[static_cast<std::size_t>(pipeline.slowest)];
    t.slowest_stage = slowest_class.stage;
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
    const ShardedCount stage_weights = stage_parameters(table, slowest_class);
    const double trained = run.tuning == Tuning::full ? 1.0 : 0.0;
    const Bytes element = bytes_per_element(run.precision.reduce);
    if (p.dp * p.cp > 1) {
        const double reductions = stack.reduce_every_micro_batch || p.zero >= 3 ? md : 1.0;
        const Collective reduction = p.zero >= 1 ? Collective::reduce_scatter : Collective::all_reduce;
        const Bytes weights{s.e};
        const Seconds reduce_time = communication_time(reduction, element * (stage_weights.dense * trained),
                                                       Group::data, job, groups) +
                                    communication_time(reduction, element * (stage_weights.expert * trained),
                                                       Group::expert_data, job, groups);
        const Seconds gather_time = communication_time(Collective::all_gather, weights * stage_weights.dense,
                                                       Group::data, job, groups) +
                                    communication_time(Collective::all_gather, weights * stage_weights.expert,
                                                       Group::expert_data, job, groups);
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
        bytes_per_element(run.precision.gradients) * stack.gradient_passes + states * 2.0 +
        (run.precision.master ? bytes_per_element(*run.precision.master) * 2.0 : Bytes{}) +
        bytes_per_element(run.precision.weights) * 2.0;
    at(t, StepTerm::optimizer) = optimizer_walk_time(per_parameter * owned, job);
    at(t, StepTerm::fixed) = stack.host_per_step;
    for (const Seconds& term : t.terms)
        t.total += term;
    return t;
}

}  // namespace traincost
