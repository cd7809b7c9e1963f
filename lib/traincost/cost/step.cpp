#include "traincost/cost/step.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "traincost/cost/data_parallel.hpp"
#include "traincost/cost/kernels.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/cost/offload.hpp"
#include "traincost/cost/pipeline.hpp"
#include "traincost/cost/step_timeline.hpp"
#include "traincost/cost/stored_width.hpp"

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
                                                 "fixed",
                                                 "allocator"};
    return names[static_cast<std::size_t>(term)];
}

namespace {

Seconds& term(StepTime& t, StepTerm which) {
    return t.terms[static_cast<std::size_t>(which)];
}

/// Sums of one stage.
struct StageSum {
    PassTime forward;
    PassTime backward;
    PassTime again;
};

/// Time in which a micro-batch's gradients are added to older ones.
Seconds added_gradients(const Job& job, const BlockTable& table, const StageClass& stage) {
    if (job.run.tuning != Tuning::full)
        return {};
    const ShardedCount held = stage_parameters(table, stage);
    return accumulation_time(job, held.dense + held.expert);
}

StageSum stage_sum(const Job& job, const BlockTable& table, const StageClass& stage, Seconds added) {
    StageSum sum{};
    sum.backward.memory = added;
    for (std::size_t k = 0; k < table.size; ++k) {
        const KindCount& n = stage.kinds[k];
        if (n.blocks == 0.0)
            continue;
        const PartTime& time = table.kinds[k].time;
        sum.forward += time.forward * n.blocks;
        sum.backward += time.backward * n.blocks;
        sum.again += time.whole_again * n.again;
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
    // DualPipe runs one micro-batch's exchange between experts beside another's compute in the other
    // direction; what is longer than the compute of both stays [DeepSeekV3, section 3.2.1].
    if (schedule_of(job) == Schedule::dualpipe) {
        const auto compute = [](const PassTime& t) { return t.gemm + t.attention + t.memory; };
        const Seconds exchange = sum.forward.expert + sum.backward.expert;
        const Seconds beside = compute(sum.forward) + compute(sum.backward);
        if (exchange.value() > 0.0) {
            const double left = std::max(0.0, 1.0 - beside / exchange);
            sum.forward.expert *= left;
            sum.backward.expert *= left;
        }
    }
    // The host must issue all of it: what the blocks' own launches leave out of a distributed stack's Python
    // is a floor a block.
    const Seconds each = host_floor_per_block(job);
    const Seconds device = sum.forward.total() + sum.backward.total() + sum.again.total();
    const Seconds wait = std::max(Seconds{}, each * static_cast<double>(stage.blocks) - device);
    sum.forward.host += wait / 3.0;
    sum.backward.host += wait * (2.0 / 3.0);
    return sum;
}

/// With the gradients added to older ones.
StageSum step_sum(const Job& job, const BlockTable& table, const StageClass& stage) {
    return stage_sum(job, table, stage, added_gradients(job, table, stage));
}

/// What a pipeline needs to know of a stage.
StageTime stage_time(const StageSum& sum, const BlockTable& table, const StageClass& stage) {
    StageTime time{
        sum.forward.total(), sum.backward.total() + sum.again.total(), sum.backward.gemm * 0.5, {}, {}};
    if (stage.first) {
        time.end_forward += table.embedding_time.forward.total();
        time.end_backward += table.embedding_time.backward.total();
    }
    if (stage.last) {
        time.end_forward += table.head_time.forward.total();
        time.end_backward += table.head_time.backward.total();
    }
    return time;
}

/// The work of two stages that share their ranks, half of the micro-batches each (DualPipe).
StageSum half_of_each(const StageSum& a, const StageSum& b) {
    StageSum both = a;
    both.forward += b.forward;
    both.backward += b.backward;
    both.again += b.again;
    return {both.forward * 0.5, both.backward * 0.5, both.again * 0.5};
}

/// Time of one micro-batch's tensor from a stage to the next.
Seconds boundary_time(const Job& job, const Shape& s, const GroupPlacements& groups) {
    const Bytes held{s.tokens_sp * static_cast<double>(job.model.hidden) * s.e};
    const bool scatter = job.stack.pipeline.sharded_sends && s.tp > 1 && !s.sequence_parallel;
    const Bytes sent = scatter ? held / static_cast<double>(s.tp) : held;
    Seconds time = communication_time(Collective::send_recv, sent, Group::pipeline, job, groups);
    if (scatter)
        time += communication_time(Collective::all_gather, held, Group::tensor, job, groups);
    return time;
}

/// The norms of a stage, two a block and one before the head, that every tensor-parallel rank holds.
void count_norms(const Shape& s, const GroupPlacements& groups, const StageClass& stage, StepParts& parts) {
    const bool summed = s.sequence_parallel && s.tp > 1;
    parts.norms = summed ? 2.0 * static_cast<double>(stage.blocks) + (stage.last ? 1.0 : 0.0) : 0.0;
    const std::int64_t domains = groups.tp.size / groups.tp.per_domain;
    parts.domain_bounds = static_cast<double>(domains - 1);
}

/// The terms of the slowest stage's own work and of its waits for other stages.
void set_pipeline_terms(const StageSum& slowest, const PipelineTime& pipeline, double micro_batches,
                        StepTime& t) {
    const auto both = [&](Seconds PassTime::*part) {
        return (slowest.forward.*part + slowest.backward.*part) * micro_batches;
    };
    term(t, StepTerm::gemm) = both(&PassTime::gemm);
    term(t, StepTerm::attention) = both(&PassTime::attention);
    term(t, StepTerm::memory_bound) = both(&PassTime::memory);
    term(t, StepTerm::recompute) = slowest.again.total() * micro_batches;
    term(t, StepTerm::host) = both(&PassTime::host);
    term(t, StepTerm::tensor_parallel) = both(&PassTime::tensor);
    term(t, StepTerm::context_parallel) = both(&PassTime::context);
    term(t, StepTerm::expert_parallel) = both(&PassTime::expert);
    term(t, StepTerm::pipeline_transfer) = pipeline.transfer;
    term(t, StepTerm::bubble) = pipeline.bubble;
    t.slowest_stage = pipeline.slowest;
    t.parts.forward = slowest.forward;
    t.parts.backward = slowest.backward;
    t.parts.again = slowest.again;
    t.parts.micro_batches = micro_batches;
    t.forward = slowest.forward.total() * micro_batches;
    t.backward = (slowest.backward.total() + slowest.again.total()) * micro_batches;
}

/// Bytes that the update moves on the device for a parameter: gradients and states read, states and weights
/// written; where states are on the host, gradients alone.
Bytes updated_bytes(const RunSpec& run, const StackSpec& stack) {
    const Bytes gradients = bytes_per_element(run.precision.gradients) * stack.states.gradient_passes;
    if (run.offload_optimizer != Offload::none)
        return gradients;
    const Bytes master = run.precision.master ? bytes_per_element(*run.precision.master) : Bytes{};
    return gradients + (optimizer_state_bytes(run.optimizer, run.precision) + master +
                        bytes_per_element(run.precision.weights)) *
                           2.0;
}

/// Parameters of a stage that one rank updates.
double owned_parameters(const Job& job, const ShardedCount& stage) {
    if (job.run.tuning != Tuning::full)
        return 0.0;
    if (job.run.parallel.zero < 1)
        return stage.dense + stage.expert;
    const StateShards shards = state_shards(job);
    return stage.dense / shards.dense + stage.expert / shards.expert;
}

/// Muon's products for the matrices of a stage that one rank updates.
Seconds stage_orthogonalisation(const Job& job, const BlockTable& table, const StageClass& stage) {
    Orthogonalisation sum{};
    for (std::size_t k = 0; k < table.size; ++k) {
        sum.dense += table.kinds[k].orthogonalisation.dense * stage.kinds[k].blocks;
        sum.expert += table.kinds[k].orthogonalisation.expert * stage.kinds[k].blocks;
    }
    if (job.run.parallel.zero < 1)
        return sum.dense + sum.expert;
    const StateShards shards = state_shards(job);
    return sum.dense / shards.dense + sum.expert / shards.expert;
}

/// The classes of a pipeline's stages as it sees them, and the work of the slowest.
struct StageWork {
    std::array<StageTime, 64> few;  // hardly ever more than four
    std::vector<StageTime> many;    // where they are more than that
    std::size_t classes;
    StageSum slowest{};

    std::span<StageTime> times() {
        return many.empty() ? std::span(few.data(), classes) : std::span(many);
    }
};

void fill_work(const Job& job, const BlockTable& table, const StageClasses& stages, StageWork& work) {
    work.classes = stages.classes.size();
    if (work.classes > work.few.size())
        work.many.resize(work.classes);
    const std::span<StageTime> times = work.times();
    Seconds most{-1.0};
    for (std::size_t i = 0; i < times.size(); ++i) {
        const StageSum sum = step_sum(job, table, stages.classes[i]);
        times[i] = stage_time(sum, table, stages.classes[i]);
        if (times[i].forward + times[i].backward > most) {
            most = times[i].forward + times[i].backward;
            work.slowest = sum;
        }
    }
}

}  // namespace

StepTime step_time(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages,
                   const AllocatorPressure& pressure) {
    const RunSpec& run = job.run;
    const StackSpec& stack = job.stack;
    const Parallelism& p = run.parallel;
    const std::int64_t m = micro_batches(run);
    const GroupPlacements groups = placements(job);
    StageWork work;
    fill_work(job, table, stages, work);
    const StageTransfer transfer{p.pp > 1 ? boundary_time(job, s, groups) : Seconds{},
                                 stack.pipeline.overlap_p2p};
    const PipelineTime pipeline =
        pipeline_time(schedule_of(job), {work.times(), stages.class_of}, p.vp, m, transfer);
    if (schedule_of(job) == Schedule::dualpipe && p.pp > 1) {
        work.slowest = half_of_each(step_sum(job, table, stages.of(pipeline.slowest)),
                                    step_sum(job, table, stages.of(p.pp - 1 - pipeline.slowest)));
    }

    StepTime t{};
    set_pipeline_terms(work.slowest, pipeline, static_cast<double>(m), t);
    t.parts.transfer = transfer.time;
    const StageClass& stage = stages.of(pipeline.slowest);
    const ShardedCount weights = stage_parameters(table, stage);
    const Seconds forward = work.slowest.forward.total();
    const Seconds backward = work.slowest.backward.total() + work.slowest.again.total();
    if (p.dp * p.cp > 1) {
        t.parts.data_parallel = data_parallel_time(
            {job, groups, weights, run.tuning == Tuning::full ? 1.0 : 0.0, static_cast<double>(m),
             static_cast<double>(stage.blocks), forward, backward, stored_width(job, table, stage, s.e)});
        term(t, StepTerm::data_parallel) = t.parts.data_parallel.exposed;
    }
    const double owned = owned_parameters(job, weights);
    t.parts.optimizer_bytes = updated_bytes(run, stack) * owned;
    t.parts.orthogonalisation = stage_orthogonalisation(job, table, stage);
    term(t, StepTerm::optimizer) = optimizer_time(t.parts.optimizer_bytes, job) + t.parts.orthogonalisation;
    t.parts.offload = offload_time({job, s, table, stage, forward, backward, owned});
    term(t, StepTerm::offload) = t.parts.offload.exposed;
    count_norms(s, groups, stage, t.parts);
    term(t, StepTerm::fixed) = host_time(stack.host.per_step, job) +
                               stack.host.norm_sync_per_domain * (t.parts.norms * t.parts.domain_bounds);
    t.parts.allocator = pressure;
    term(t, StepTerm::allocator) = pressure.time;
    for (const Seconds& each : t.terms)
        t.total += each;
    return t;
}

std::vector<StageTime> stage_times(const Job& job, const BlockTable& table, const StageClasses& stages) {
    std::vector<StageTime> times;
    for (const StageClass& c : stages.classes)
        times.push_back(stage_time(step_sum(job, table, c), table, c));
    return times;
}

std::vector<StagePasses> stage_passes(const Job& job, const BlockTable& table, const StageClasses& stages) {
    std::vector<StagePasses> passes;
    for (const StageClass& c : stages.classes) {
        const StageSum sum = step_sum(job, table, c);
        passes.push_back({sum.forward, sum.backward});
        passes.back().backward += sum.again;
    }
    return passes;
}

StageTransfer stage_transfer(const Job& job, const Shape& shape) {
    const bool pipes = job.run.parallel.pp > 1;
    return {pipes ? boundary_time(job, shape, placements(job)) : Seconds{}, job.stack.pipeline.overlap_p2p};
}

namespace {

/// What an interleaved pipeline takes at least: before a stage's first pass and after its last one the first
/// chunks of all stages before it run once each way. The closed form takes chunks for equal that differ by a
/// thousandth.
Seconds interleaved_floor(const Job& job, const BlockTable& table, const StageClasses& stages) {
    constexpr double equal = 1.001;
    const Parallelism& p = job.run.parallel;
    const double chunks = static_cast<double>(p.vp);
    const double m = static_cast<double>(micro_batches(job.run));
    const std::vector<StageTime> times = stage_times(job, table, stages);
    Seconds before;
    Seconds most;
    for (std::int64_t s = 0; s < p.pp; ++s) {
        const auto i = static_cast<std::size_t>(s);
        const StageTime& x = times[static_cast<std::size_t>(stages.class_of[i])];
        const Seconds work = (x.forward + x.backward) * m;
        most = std::max({most, work, (before + work) / equal});
        const Seconds ends = x.end_forward + x.end_backward;
        before += (x.forward + x.backward - ends) / chunks + (s == 0 ? ends : Seconds{});
    }
    return most;
}

}  // namespace

Seconds step_time_floor(const Job& job, const BlockTable& table, const StageClasses& stages) {
    if (job.run.parallel.vp > 1)
        return interleaved_floor(job, table, stages) + host_time(job.stack.host.per_step, job);
    const auto work = [&](std::int64_t stage) {
        // Model states, which a bound leaves open, decide about sums other than of a buffer beside.
        const StageClass& c = stages.of(stage);
        const Seconds added = model_gradients_beside(job) ? added_gradients(job, table, c) : Seconds{};
        const StageSum sum = stage_sum(job, table, c, added);
        return sum.forward.total() + sum.backward.total() + sum.again.total();
    };
    const std::int64_t pp = job.run.parallel.pp;
    Seconds slowest;
    for (const StageClass& c : stages.classes) {
        // Two stages that share their ranks (DualPipe) do half of each other's work.
        const bool shared = pp % 2 == 0 && job.run.parallel.vp == 1;
        slowest = std::max(slowest, shared ? (work(c.stage) + work(pp - 1 - c.stage)) / 2.0 : work(c.stage));
    }
    return slowest * static_cast<double>(micro_batches(job.run)) + host_time(job.stack.host.per_step, job);
}

}  // namespace traincost
