#include "traincost/cost/memory/stage_reserve.hpp"

#include <algorithm>

namespace traincost {

namespace {

/// Workspaces of the matrix library: `hopper` on Hopper and later, where PyTorch asks for 32 MiB a handle
/// and stream, 8.125 MiB before (CUDAContextLight of PyTorch 2.x, cuBLAS recommendation).
memory_terms::Workspace matrix_workspace(const AcceleratorSpec& accelerator, Bytes hopper) {
    constexpr double before = 8.125 / 32.0;
    for (const std::string_view older : {"Volta", "Turing", "Ampere", "Ada"}) {
        if (accelerator.architecture.compare(0, older.size(), older) == 0)
            return {hopper.value(), before};
    }
    return {hopper.value(), 1.0};
}

// Gaps of one accelerator alone, where no other stream holds blocks back, of what comes and goes: median of
// 16 own steps of one H200 under Transformers (torch 2.11, 2026-11-20). 21 of a script of PyTorch's own have
// 0.06 (2026-11-22), where several H200 have 0.22; recomputed blocks leave what the stack's do.
constexpr double gaps_alone = 0.09;

class Reserve {
public:
    Reserve(const StageInventory& held, const StagePeak& peak) : held_(held), peak_(peak) {
    }

    /// Buffers outside the walk, and the three totals.
    StageReserve finish() {
        keep_states();
        keep_alive();
        reserve_.memory.moment = peak_.moment;
        reserve_.memory.block = peak_.block;
        reserve_.memory.micro_batches_in_flight = held_.in_flight;
        reserve_.buffers = pipeline_buffers();
        term(MemoryTerm::pipeline_buffers) = reserve_.buffers.bytes();
        term(MemoryTerm::workspace) = workspace_of(held_).bytes();
        for (int t = 0; t <= static_cast<int>(MemoryTerm::workspace); ++t) {
            reserve_.memory.allocated += reserve_.memory.terms[static_cast<std::size_t>(t)];
        }
        // Model states are allocated once and stay, a root that waits for the loss comes before all else;
        // what comes and goes leaves gaps.
        const memory_terms::Gathered& gathered = peak_.alive.gathered;
        const Bytes root{root_waits_for_loss(held_) ? gathered.n_x * gathered.e : 0.0};
        const Bytes states = term(MemoryTerm::weights) + term(MemoryTerm::master_weights) +
                             term(MemoryTerm::optimizer_states) + term(MemoryTerm::adapters) +
                             term(MemoryTerm::workspace) + root;
        memory_terms::Fragmentation& f = reserve_.fragmentation;
        const double share = gap_share(reserve_.memory.allocated - states);
        f.f = share * stuck_share();
        f.A = reserve_.memory.allocated.value();
        f.R = states.value();
        term(MemoryTerm::context) = held_.stack.device.context;
        term(MemoryTerm::communicators) = communicators_of(held_).bytes();
        // The allocator waits for held memory rather than fail: it grows into what is free on the device, of
        // whose headroom it knows nothing, no further than what does not come back.
        const Bytes free = usable_memory(held_.job.cluster.accelerator) - reserve_.memory.allocated -
                           f.gaps() - term(MemoryTerm::context) - term(MemoryTerm::communicators);
        f.h = held_gathers().value();
        const Bytes given_back = (reserve_.memory.allocated - states) * (share - f.f);
        const Bytes pinned = pinned_by_states();
        const Bytes cached = given_back + gather_pool() + other_lengths() + pinned;
        f.z = (flat_reserve() + cached).value();
        f.s = f.h * held_.stack.device.held_gathers_stuck;
        f.y = std::max(Bytes{}, free).value();
        term(MemoryTerm::fragmentation) = f.bytes();
        // What states pin is asked for anew once, not in every step.
        const double wanted = f.h + f.z - pinned.value();
        reserve_.memory.returnable = std::min(cached, term(MemoryTerm::fragmentation) - f.gaps());
        reserve_.memory.refused = Bytes{wanted - std::clamp(wanted, f.s, std::max(f.s, f.y))};
        reserve_.memory.reserved = reserve_.memory.allocated + term(MemoryTerm::fragmentation);
        reserve_.memory.device =
            reserve_.memory.reserved + term(MemoryTerm::context) + term(MemoryTerm::communicators);
        return reserve_;
    }

private:
    Bytes& term(MemoryTerm t) {
        return reserve_.memory.terms[static_cast<std::size_t>(t)];
    }

    /// What is there all the time, on the device and elsewhere.
    void keep_states() {
        term(MemoryTerm::weights) = held_.weights.bytes();
        term(MemoryTerm::master_weights) = held_.master.bytes();
        term(MemoryTerm::optimizer_states) = held_.moments.bytes();
        term(MemoryTerm::adapters) = held_.pairs.bytes();
        reserve_.memory.host = held_.host.bytes();
        reserve_.memory.storage = held_.storage;
    }

    /// The terms of the highest moment.
    void keep_alive() {
        term(MemoryTerm::saved_activations) = peak_.alive.saved.bytes();
        term(MemoryTerm::block_inputs) = peak_.alive.inputs.bytes();
        term(MemoryTerm::cast_weights) = peak_.alive.casts.bytes();
        term(MemoryTerm::gathered_weights) = peak_.alive.gathered.bytes();
        term(MemoryTerm::working_set) = peak_.alive.working.bytes();
        term(MemoryTerm::gradient_staging) = peak_.alive.staging.bytes();
        term(MemoryTerm::gradients) = peak_.alive.gradients.bytes();
        term(MemoryTerm::optimizer_temporaries) = peak_.alive.temporaries.bytes();
    }

    /// A bucket of gradients wider than the compute format, flattened and the same again reduced: buckets
    /// are counted in elements, their bytes stated for 16-bit ones.
    Bytes reduction_staging() const {
        const Parallelism& p = held_.run.parallel;
        const Bytes gradient = bytes_per_element(held_.run.precision.gradients);
        if (p.dp * p.cp == 1 || gradient.value() <= held_.shape.e)
            return Bytes{};
        const Bytes bucket = held_.stack.traffic.gradient_bucket * (gradient.value() / held_.shape.e);
        return std::min(bucket, gradient * held_.all.total()) * 2.0;
    }

    /// What the flat tensors of the reduction and of the optimizer step reserve beyond the peak: blocks that
    /// activations leave behind are too small for them.
    Bytes flat_reserve() const {
        if (!held_.stack.states.flat_optimizer)
            return Bytes{};
        const Bytes flat = std::max(peak_.updating, reduction_staging());
        return std::max(
            Bytes{}, peak_.before_update + flat - std::max(peak_.before_update, flat + peak_.idle_gradients));
    }

    /// Activations received from the stage before and gradients from the stage after, and the last stage's
    /// outputs.
    memory_terms::Buffers pipeline_buffers() const {
        const bool pipes = held_.run.parallel.pp > 1;
        const double sides = pipes ? (held_.stage > 0) + (!held_.counts.last) : 0.0;
        const double buffers = held_.stack.pipeline.receive_buffers_per_micro_batch
                                   ? static_cast<double>(micro_batches(held_.run))
                                   : 2.0;
        return {sides, buffers, held_.boundary.value(), pipeline_outputs(held_).value()};
    }

    /// Whether the host is slower than the device: then it runs ahead of nothing. On healthy nodes small
    /// blocks wait for each other's collectives, not for the host.
    bool host_bound() const {
        if (!hosts_starved(held_.job.cluster.network))
            return false;
        Seconds device;
        for (std::size_t k = 0; k < held_.table.size; ++k) {
            const PartTime& time = held_.table.kinds[k].time;
            device += (time.forward.device() + time.backward.device()) * held_.counts.kinds[k].blocks;
        }
        return device < host_floor_per_block(held_.job) * static_cast<double>(held_.counts.blocks);
    }

    /// Blocks whose forward gathers the host has issued before the device is through.
    double blocks_ahead() const {
        constexpr double one_pass = 0.7;  // of a micro-batch after which the host waits: 0.4 to 1, 30 runs
        const double blocks = static_cast<double>(held_.counts.blocks);
        const double queue = held_.stack.device.gathered_blocks_ahead;
        // In the warm-up of a pipeline the device waits for the next stage, the last two micro-batches apart.
        const double warm_up = blocks * std::max(0.0, held_.in_flight - 2.0);
        if (host_bound())
            return std::min(queue, warm_up);
        const bool steady = static_cast<double>(micro_batches(held_.run)) > held_.in_flight;
        return steady ? queue : std::min(queue, std::max(blocks * one_pass, warm_up));
    }

    /// Gathered inputs that are freed but not yet reusable, because a side stream used them.
    Bytes held_gathers() const {
        if (held_.stack.device.gathered_blocks_ahead == 0.0 || held_.run.parallel.tp == 1 ||
            held_.counts.blocks == 0)
            return Bytes{};
        Bytes all;
        for (std::size_t k = 0; k < held_.table.size; ++k)
            all += held_.table.kinds[k].totals.gathered * held_.counts.kinds[k].blocks;
        const double tp = static_cast<double>(held_.run.parallel.tp);
        const Bytes block = all * ((tp - 1.0) / tp / static_cast<double>(held_.counts.blocks));
        return std::min(block * blocks_ahead(),
                        usable_memory(held_.job.cluster.accelerator) * held_.stack.device.held_gathers_limit);
    }

    /// Share of `moving` bytes, which come and go, that the allocator holds in gaps. Recomputed blocks, whose
    /// tensors churn, leave more of them: in their share of the blocks, and no more than what they spare.
    double gap_share(Bytes moving) const {
        // A stack's own shares are measured the way it allocates; pages instead of blocks leave fewer gaps.
        const AllocatorModel& allocator = held_.job.cluster.kernels.allocator;
        const bool pages = expandable_segments(held_.job) && !held_.stack.device.expandable_segments;
        const RunSpec& run = held_.run;
        const bool copies = run.offload_optimizer != Offload::none ||
                            run.offload_parameters != Offload::none ||
                            run.offload_activations > 0.0;  // on a stream of their own
        const bool alone = held_.job.cluster.accelerators == 1 && !held_.regime.fully_sharded && !copies &&
                           held_.job.cluster.accelerator.vendor == "NVIDIA";  // CUDA's caching allocator
        const double no_more = pages ? allocator.page_gaps : alone ? gaps_alone : 1.0;
        const double least = std::min(held_.stack.device.fragmentation, no_more);
        const double most =
            pages ? std::min(held_.stack.device.fragmentation_recompute, allocator.page_gaps_recompute)
                  : held_.stack.device.fragmentation_recompute;
        // Blocks of which single operators are kept run again whole, too.
        const bool by_block = held_.shape.again.by_block() && held_.counts.blocks > 0;
        if ((held_.again == 0.0 && !by_block) || !(moving.value() > 0.0))
            return least;
        const double share = by_block ? 1.0 : held_.again / static_cast<double>(held_.counts.blocks);
        const Bytes churn = moving * ((most - least) * share);
        // Gradients that come with the way back lie by then where activations would have been.
        const Bytes made = peak_.moment == Moment::backward && !held_.regime.gradients_persist
                               ? peak_.alive.gradients.bytes()
                               : Bytes{};
        const Bytes spared =
            std::max(Bytes{}, (by_block ? held_.saved : held_.dropped) *
                                      ((1.0 - held_.run.offload_activations) * held_.in_flight) -
                                  made);
        return std::max(0.0, least + std::min(churn, spared) / moving);
    }

    /// FSDP2 receives a group on a side stream and copies it out: what the largest took stays in that
    /// stream's pool, where nothing else can use it, with the block that was fetched ahead.
    Bytes gather_pool() const {
        if (held_.stack.states.shard != ShardEngine::fsdp2 || !held_.regime.fully_sharded ||
            held_.run.precision.base)
            return Bytes{};
        const double group = held_.stack.states.root_sharded_apart
                                 ? std::max(held_.head.total(), held_.root.total() - held_.head.total())
                                 : held_.root.total();
        const double ahead =
            held_.largest.total() * static_cast<double>(held_.stack.states.prefetched_blocks);
        // A root that waits for the loss is gathered once, before the blocks, which take what it leaves.
        const double pool = root_waits_for_loss(held_) ? std::max(group, ahead)
                                                       : std::max(group, held_.largest.total()) + ahead;
        return Bytes{pool * held_.shape.e};
    }

    /// What micro-batches of other lengths leave: blocks of the logits and of what a loss makes of them fit
    /// none that are longer, so the largest of before stay beside those of the longest (one H100, torch 2.11,
    /// 2026-11-25: 12.9 and 3.1 GB beyond the gaps of equal lengths, 12.6 and 3.7 by this). Pages are mapped
    /// anew instead.
    Bytes other_lengths() const {
        if (!held_.run.padded_length || *held_.run.padded_length == held_.run.sequence ||
            !held_.counts.last || expandable_segments(held_.job))
            return Bytes{};
        return loss_blocks();
    }

    /// What the loss's blocks find taken from the second step on. Optimizer states are made at the end of the
    /// first, in what its loss left free beside the gradients; the loss asks for blocks anew, and what held
    /// gradients between states fits none of them. Steps with states made at first and before the first step
    /// differ by this much, with 16-bit gradients (0.54 to 0.81 of them) and fp32 ones (0.20 and 0.25; six
    /// pairs on one H200, torch 2.11, transformers 5.17, 2026-11-26).
    Bytes pinned_by_states() const {
        if (held_.stack.states.shard == ShardEngine::megatron)
            return pinned_by_moments();
        const bool late = !held_.stack.states.flat_optimizer && !held_.regime.tuned && held_.counts.last &&
                          !expandable_segments(held_.job) && held_.moments.bytes().value() > 0.0;
        const Bytes gradients = held_.all_gradients().bytes();
        const bool wide_gradients = bytes_per_element(held_.run.precision.gradients).value() > 2.0;
        if (late && held_.regime.fully_sharded) {
            // Measured with fp32 gradients and logits that are whole.
            const bool whole = wide_gradients && !goes_by_chunks(held_.shape.loss);
            return whole ? std::min(gradients * held_.stack.device.sharded_states_pin, loss_blocks())
                         : Bytes{};
        }
        const bool lazily =
            late && !held_.regime.gradients_persist && held_.regime.gradients_kept && held_.again > 0.0;
        if (!lazily)
            return Bytes{};
        constexpr double narrow = 0.66, wide = 0.23;
        const double share = wide_gradients ? wide : narrow;
        return std::min(gradients, loss_blocks()) * share;
    }

    /// The same of moments that a kernel for lists of tensors makes in its first step, where activations
    /// were: in sizes of one moment, and no more than what comes and goes.
    Bytes pinned_by_moments() const {
        if (expandable_segments(held_.job))
            return Bytes{};
        const Bytes moving =
            peak_.alive.saved.bytes() + peak_.alive.inputs.bytes() + peak_.alive.working.bytes();
        return std::min(held_.moments.bytes() * 0.5 * held_.stack.device.sharded_states_pin, moving);
    }

    /// Tensors of the loss that come and go.
    Bytes loss_blocks() const {
        const OpTotals& head = held_.table.head_totals;
        return std::max(Bytes{}, head.backward_peak - head.gradient - head.cast);
    }

    /// Of the gaps, what the allocator cannot give back to the driver when memory runs out: blocks that hold
    /// a live tensor, or pages that do.
    double stuck_share() const {
        const AllocatorModel& allocator = held_.job.cluster.kernels.allocator;
        return expandable_segments(held_.job) ? allocator.stuck_pages : allocator.stuck_segments;
    }

    const StageInventory& held_;
    const StagePeak& peak_;
    StageReserve reserve_;
};

/// What a pipeline has beside its communicator, in communicators' worth of buffers: those to and from the
/// neighbours of a stage in its domain, 403 MB for one beside the 570 MB of a communicator (two H100 over
/// NVLink, 24 channels, NCCL 2.28, 2026-11-25, n = 3), and the group of the two ends that add up the gradient
/// of a table that both hold. Over a network, and without a switch, there are few channels: not counted.
double pipeline_communicators(const StageInventory& held) {
    constexpr double of_neighbour = 403.0 / 570.0;
    const Parallelism& p = held.run.parallel;
    const Network& network = held.job.cluster.network;
    if (p.pp == 1 || network.topology != Topology::switched)
        return 0.0;
    const bool end = held.counts.first || held.counts.last;
    const bool shared_table = end && held.job.model.tied_embeddings && held.job.model.lm_head;
    const bool near = p.tp * p.cp * p.dp < network.domain_size;
    const bool one_neighbour = p.pp == 2 || (end && p.vp == 1);
    return (shared_table ? 1.0 : 0.0) + (near ? of_neighbour * (one_neighbour ? 1.0 : 2.0) : 0.0);
}

}  // namespace

memory_terms::Communicators communicators_of(const StageInventory& held) {
    const Parallelism& p = held.run.parallel;
    const int groups = (p.tp > 1) + (p.pp > 1) + (p.dp > 1) + (p.cp > 1) + (p.ep > 1);
    return {static_cast<double>(groups) + pipeline_communicators(held),
            held.stack.device.per_communicator.value()};
}

memory_terms::Workspace workspace_of(const StageInventory& held) {
    return matrix_workspace(held.job.cluster.accelerator, held.stack.device.workspace);
}

Bytes outside_pool(const StageInventory& held) {
    return workspace_of(held).bytes() + held.stack.device.context + communicators_of(held).bytes();
}

StageReserve reserve_stage(const StageInventory& held, const StagePeak& peak) {
    return Reserve(held, peak).finish();
}

}  // namespace traincost
