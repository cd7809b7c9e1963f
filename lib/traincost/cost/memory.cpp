#include "traincost/cost/memory.hpp"

#include <algorithm>
#include <optional>

#include "traincost/cost/memory/stage_reserve.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

std::string_view to_string(MemoryTerm term) {
    static constexpr std::string_view names[] = {"weights",
                                                 "master_weights",
                                                 "gradients",
                                                 "optimizer_states",
                                                 "adapters",
                                                 "saved_activations",
                                                 "block_inputs",
                                                 "cast_weights",
                                                 "gathered_weights",
                                                 "gradient_staging",
                                                 "working_set",
                                                 "pipeline_buffers",
                                                 "optimizer_temporaries",
                                                 "workspace",
                                                 "fragmentation",
                                                 "context",
                                                 "communicators"};
    return names[static_cast<std::size_t>(term)];
}

std::string_view to_string(Moment moment) {
    static constexpr std::string_view names[] = {"forward", "loss", "backward", "optimizer"};
    return names[static_cast<std::size_t>(moment)];
}

double micro_batches_in_flight(Schedule schedule, std::int64_t pp, std::int64_t vp, std::int64_t stage,
                               std::int64_t micro_batches) {
    const double m = static_cast<double>(micro_batches);
    const double p = static_cast<double>(pp);
    const double s = static_cast<double>(stage);
    const double v = static_cast<double>(vp);
    if (pp == 1)
        return 1.0;
    switch (schedule) {
        case Schedule::gpipe:
            return m;
        case Schedule::one_f_one_b:
        case Schedule::zero_bubble:
            return std::min(m, p - s);
        case Schedule::interleaved:
            return std::min(m, (2.0 * (p - s - 1.0) + (v - 1.0) * p + 1.0) / v);
        case Schedule::dualpipe:
            return std::min(m, (p + 1.0) / 2.0);
    }
    return m;
}

double micro_batches_in_flight(const Job& job, std::int64_t stage) {
    const Parallelism& p = job.run.parallel;
    const Schedule schedule = schedule_of(job);
    const double in_flight = micro_batches_in_flight(schedule, p.pp, p.vp, stage, micro_batches(job.run));
    const std::int64_t chunks = p.pp * p.vp;
    if (schedule != Schedule::interleaved || block_count(job.model) % chunks == 0)
        return in_flight;
    const StageLayout layout = stage_layout(job);
    double blocks = 0.0;
    for (std::int64_t chunk = stage; chunk < chunks; chunk += p.pp)
        blocks += static_cast<double>(chunk_size(layout, chunk));
    if (blocks == 0.0)
        return in_flight;
    const double first = static_cast<double>(chunk_size(layout, stage));
    const double each = std::min(static_cast<double>(p.pp), in_flight);
    const double more = std::max(0.0, in_flight - each) * static_cast<double>(p.vp);
    return (blocks * each + first * more) / blocks;
}

Bytes optimizer_state_bytes(Optimizer optimizer, const Precision& precision) {
    const Bytes moment = bytes_per_element(precision.moments);
    constexpr double quantised =
        1.0 + 4.0 / 256.0;  // 8-bit code and an fp32 scale a block of 256 [Dettmers22, §2.1]
    switch (optimizer) {
        case Optimizer::adamw:
        case Optimizer::paged_adamw:
            return moment * 2.0;
        case Optimizer::adam8bit:
        case Optimizer::paged_adam8bit:
            return Bytes{2.0 * quantised};
        case Optimizer::sgd:
            return Bytes{};
        case Optimizer::sgd_momentum:
        case Optimizer::lion:
        case Optimizer::muon:
            return moment;
        case Optimizer::adafactor:
            return Bytes{};  // row and column statistics only [Shazeer18]: below a thousandth of the weights
    }
    return Bytes{};
}

StateShards state_shards(const Job& job) {
    const Parallelism& p = job.run.parallel;
    const double replicas = static_cast<double>(p.dp * p.cp);
    const double group = p.hybrid_shard ? static_cast<double>(*p.hybrid_shard) : replicas;
    const double expert =
        replicas * static_cast<double>(p.tp) / static_cast<double>(p.ep * expert_tensor_parallel(p));
    return {group, std::max(1.0, expert)};
}

namespace {

/// The walk counts the stage's blocks; people count the model's.
void name_block(const Job& job, std::int64_t stage, StageMemory& memory) {
    if (memory.block >= 0) {
        const Parallelism& p = job.run.parallel;
        memory.block = block_at({p.pp, p.vp, block_count(job.model)}, stage, memory.block);
    }
}

}  // namespace

namespace {

/// A stage's memory, its peak's block counted on the stage.
StageMemory counted_memory(const Job& job, const Shape& s, const BlockTable& table,
                           const StageClasses& stages, std::int64_t stage) {
    StageInventory held(job, s, table, stages, stage);
    held.activations();
    return reserve_stage(held, walk_stage(held)).memory;
}

/// The symbols of every term.
ExplainedMemory with_symbols(const StageInventory& held, const StagePeak& peak, const StageReserve& reserve) {
    ExplainedMemory x{reserve.memory, {}, held.host.symbols()};
    const auto set = [&](MemoryTerm t, TermSymbols symbols) {
        x.symbols[static_cast<std::size_t>(t)] = std::move(symbols);
    };
    set(MemoryTerm::weights, held.weights.symbols());
    set(MemoryTerm::master_weights, held.master.symbols());
    set(MemoryTerm::optimizer_states, held.moments.symbols());
    set(MemoryTerm::adapters, held.pairs.symbols());
    set(MemoryTerm::gradients, peak.alive.gradients.symbols());
    set(MemoryTerm::saved_activations, peak.alive.saved.symbols());
    set(MemoryTerm::block_inputs, peak.alive.inputs.symbols());
    set(MemoryTerm::cast_weights, peak.alive.casts.symbols());
    set(MemoryTerm::gathered_weights, peak.alive.gathered.symbols());
    set(MemoryTerm::gradient_staging, peak.alive.staging.symbols());
    set(MemoryTerm::working_set, peak.alive.working.symbols());
    set(MemoryTerm::optimizer_temporaries, peak.alive.temporaries.symbols());
    set(MemoryTerm::pipeline_buffers, reserve.buffers.symbols());
    set(MemoryTerm::workspace, workspace_of(held).symbols());
    set(MemoryTerm::fragmentation, reserve.fragmentation.symbols());
    set(MemoryTerm::context, {{"C", held.stack.device.context.value()}});
    set(MemoryTerm::communicators, communicators_of(held).symbols());
    return x;
}

}  // namespace

StageMemory stage_memory(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages,
                         std::int64_t stage) {
    StageMemory memory = counted_memory(job, s, table, stages, stage);
    name_block(job, stage, memory);
    return memory;
}

ExplainedMemory explained_memory(const Job& job, const Shape& s, const BlockTable& table,
                                 const StageClasses& stages, std::int64_t stage) {
    StageInventory held(job, s, table, stages, stage);
    held.activations();
    const StagePeak peak = walk_stage(held);
    ExplainedMemory explained = with_symbols(held, peak, reserve_stage(held, peak));
    name_block(job, stage, explained.memory);
    return explained;
}

MemoryWalk memory_walk(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages,
                       std::int64_t stage) {
    StageInventory held(job, s, table, stages, stage);
    held.activations();
    MemoryWalk x{};
    const StagePeak peak = walk_stage(held, &x);
    x.states = reserve_stage(held, peak).memory.device - peak.alive.bytes();
    x.kept = (held.saved + held.boundary * held.inputs) * (1.0 - job.run.offload_activations) +
             held.embedding_saved;
    x.in_flight = held.in_flight;
    x.gradients = held.all_gradients().bytes();
    x.gradients_appear = gradients_appear(held);
    return x;
}

namespace {

/// The first stage of the class that holds fewer micro-batches than a step has, after those that hold all of
/// them; nothing where there is none.
std::optional<std::int64_t> first_not_holding_all(const Job& job, const StageClasses& stages,
                                                  const StageClass& c) {
    const double all = static_cast<double>(micro_batches(job.run));
    if (c.stages == 1 || micro_batches_in_flight(job, c.stage) < all)
        return std::nullopt;
    const StageClass* own = &c;
    for (std::int64_t stage = c.stage + 1; stage < job.run.parallel.pp; ++stage) {
        if (&stages.of(stage) == own && micro_batches_in_flight(job, stage) < all)
            return stage;
    }
    return std::nullopt;
}

}  // namespace

PeakMemory peak_memory(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages,
                       Bytes enough) {
    PeakMemory peak{};
    const auto walk = [&](std::int64_t number) {
        const StageMemory stage = counted_memory(job, s, table, stages, number);
        if (stage.device > peak.device)
            peak = {stage.allocated, stage.reserved, stage.device, stage.returnable};
    };
    for (const StageClass& c : stages.classes) {
        walk(c.stage);
        if (peak.device > enough)
            break;
        if (const std::optional<std::int64_t> other = first_not_holding_all(job, stages, c))
            walk(*other);
    }
    return peak;
}

Bytes peak_device_memory(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages,
                         Bytes enough) {
    return peak_memory(job, s, table, stages, enough).device;
}

Bytes device_memory_floor(const Job& job, const Shape& s, const BlockTable& table,
                          const StageClasses& stages) {
    // Beside the states all gradients, what is gathered for the first block backwards, or what the head holds
    // at the loss: moments that every walk looks at, to which the reserve only adds.
    Bytes floor;
    for (const StageClass& c : stages.classes) {
        const StageInventory held(job, s, table, stages, c.stage);
        const Bytes states = held.weights.bytes() + held.master.bytes() + held.moments.bytes() +
                             held.pairs.bytes() + outside_pool(held);
        const Bytes loss = held.counts.last ? table.head_totals.forward_peak : Bytes{};
        const Bytes moment = std::max({held.all_gradients().bytes(), gathered_at_last_block(held), loss});
        floor = std::max(floor, states + moment);
    }
    return floor;
}

}  // namespace traincost
