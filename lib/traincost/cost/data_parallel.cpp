#include "traincost/cost/data_parallel.hpp"

#include <algorithm>

#include "traincost/cost/blocks.hpp"
#include "traincost/cost/kernels.hpp"
#include "traincost/cost/regime.hpp"

namespace traincost {

namespace {

/// The ranks that shard one part of the weights, and those that hold the same shard.
struct ShardGroups {
    GroupPlacement shard;
    GroupPlacement replicas;
};

/// Dense weights shard over the whole data-parallel group or, under hybrid sharding, over neighbours in it.
ShardGroups dense_groups(const DataParallel& d) {
    const Parallelism& p = d.job.run.parallel;
    const std::int64_t ranks = p.dp * p.cp;
    const std::int64_t size = p.hybrid_shard ? std::min(*p.hybrid_shard, ranks) : ranks;
    if (size == ranks)
        return {d.groups.dp_cp, {1, 1, 1}};
    const Network& network = d.job.cluster.network;
    return {place_group(size, p.tp, network), place_group(ranks / size, p.tp * size, network)};
}

ShardGroups expert_groups(const DataParallel& d) {
    return {d.groups.expert_dp, {1, 1, 1}};
}

/// The time of messages, and as much of it as the links inside a node would take for them: what is left, they
/// wait for a network.
struct Traffic {
    Seconds time{};
    Seconds moving{};
    Traffic operator+(const Traffic& other) const {
        return {time + other.time, moving + other.moving};
    }
    Traffic operator*(double n) const {
        return {time * n, moving * n};
    }
};

Traffic traffic_of(Collective collective, Bytes message, const GroupPlacement& group,
                   const Network& network) {
    const Seconds time = collective_time(collective, message, group, network);
    const std::int64_t domain = network.domain_size;
    if (group.per_domain >= group.size || domain <= 1)
        return {time, time};
    return {time, std::min(time, collective_time(collective, message, {domain, domain, 1}, network))};
}

/// Gradients of `elements` weights, `each` bytes an element, reduced over all ranks: summed by whoever holds
/// the shard, then among replicas of it.
Traffic reduction_of(const DataParallel& d, double elements, Bytes each, const ShardGroups& groups) {
    if (elements <= 0.0)
        return {};
    const Network& network = d.job.cluster.network;
    const Collective collective = reduction_collective(d.job);
    const double n = reduction_messages(d, elements);
    const Bytes message = each * elements / n;
    const double shards = collective == Collective::all_reduce ? 1.0 : static_cast<double>(groups.shard.size);
    return (traffic_of(collective, message, groups.shard, network) +
            traffic_of(Collective::all_reduce, message / shards, groups.replicas, network)) *
           n;
}

/// Weights gathered in `n` messages.
Traffic gather_of(const DataParallel& d, double elements, Bytes each, const ShardGroups& groups, double n) {
    return traffic_of(Collective::all_gather, each * elements / n, groups.shard, d.job.cluster.network) * n;
}

/// Updated weights, broadcast by the ranks that own them one after the other. Whole tensors are dealt out, so
/// that no more ranks own any than there are tensors: a block's five matrices, two norms and two biases.
Traffic broadcasts_of(const DataParallel& d, double elements, Bytes each, const ShardGroups& groups) {
    constexpr double tensors = 9.0;
    const double owners = std::min(static_cast<double>(groups.shard.size), std::max(1.0, tensors * d.blocks));
    return traffic_of(Collective::broadcast, each * elements / owners, groups.shard, d.job.cluster.network) *
           owners;
}

/// Share of hidden traffic by which compute beside it slows down.
double slowdown_beside(const Traffic& traffic, const StackTraffic& stack) {
    if (traffic.time.value() <= 0.0)
        return 0.0;
    const double moving = traffic.moving / traffic.time;
    return moving * stack.overlap_slowdown +
           (1.0 - moving) * std::min(stack.waiting_slowdown, stack.overlap_slowdown);
}

/// Weight matrices of a dense block: attention's projections, then the MLP's.
double matrices_of_block(const Job& job) {
    const StackLayer& layer = job.stack.layer;
    const double attention = layer.fused_qkv ? 2.0 : 4.0;
    return attention + (job.model.gated_mlp && !layer.fused_gate_up ? 3.0 : 2.0);
}

Seconds hidden(Seconds traffic, Seconds compute, bool overlaps) {
    return overlaps ? std::min(traffic, compute) : Seconds{};
}

/// Traffic of an interleaved stage that hides under a pass. A chunk's gradients are whole after its last
/// micro-batch, and p micro-batches of each later chunk are still to run then; going forward, the weights of
/// a chunk have as long after those of the chunk before. So only the part of the chunk at the step's end has
/// no more than its own pass of one micro-batch [Narayanan21, §2.2].
Seconds hidden_by_chunks(Seconds traffic, Seconds compute, bool overlaps, const DataParallel& d) {
    const Parallelism& p = d.job.run.parallel;
    const double chunks = static_cast<double>(p.vp);
    const double passes = std::min(d.micro_batches, static_cast<double>(p.pp)) * (chunks - 1.0) + 1.0;
    const Seconds bare = std::max(Seconds{}, (traffic - compute) / chunks);
    return overlaps ? std::min(traffic - bare, compute * (passes / chunks)) : Seconds{};
}

}  // namespace

Collective reduction_collective(const Job& job) {
    const std::int64_t zero = job.run.parallel.zero;
    if (zero == 2 && job.stack.traffic.reduces_to_owner)
        return Collective::reduce;
    // DeepSpeed's first stage all-reduces buckets of whole gradients: "contiguous gradients", which it
    // scatters, are switched off there.
    const bool whole = job.stack.states.shard == ShardEngine::deepspeed && zero == 1;
    return zero >= 1 && !whole ? Collective::reduce_scatter : Collective::all_reduce;
}

double reduction_messages(const DataParallel& d, double elements) {
    const StackSpec& stack = d.job.stack;
    if (reduction_collective(d.job) == Collective::reduce)
        return std::max(1.0, d.blocks * matrices_of_block(d.job));
    if (regime_of(d.job).weights_sharded)
        return std::max(1.0, d.blocks * stack.traffic.sharded_messages * sharded_modules(d.job));
    const bool buckets = d.job.run.parallel.zero <= 1 && stack.states.shard != ShardEngine::megatron &&
                         stack.traffic.gradient_bucket.value() > 0.0;
    if (!buckets)
        return 1.0;
    const Precision& precision = d.job.run.precision;
    const double n = elements * d.trained;
    // Tensors of a bucket are all-reduced one by one, in messages of about a bucket's size as they are
    // reduced.
    if (d.job.run.parallel.zero == 0)
        return std::max(1.0, bytes_per_element(precision.reduce) * n / stack.traffic.gradient_bucket);
    // They are joined to be scattered. A bucket takes whole tensors, gradients as backward makes them, until
    // it holds its size: on average it overshoots by about one of a block's four matrices.
    constexpr double matrices = 4.0;
    const Bytes made = bytes_per_element(precision.weights) * n;
    return std::max(1.0,
                    made / (stack.traffic.gradient_bucket + made / (std::max(1.0, d.blocks) * matrices)));
}

DataParallelTime data_parallel_time(const DataParallel& d) {
    const StackSpec& stack = d.job.stack;
    const RunSpec& run = d.job.run;
    const std::int64_t zero = run.parallel.zero;
    const Regime regime = regime_of(d.job);
    const bool sharded = regime.weights_sharded;
    // Under a sharded optimizer only trained weights change and are gathered again; fully sharded ones are
    // gathered whatever trains them.
    const Bytes gather{d.compute_bytes * (sharded ? 1.0 : d.trained)};
    const Bytes reduce = bytes_per_element(run.precision.reduce) * d.trained;
    const ShardGroups dense = dense_groups(d);
    const ShardGroups expert = expert_groups(d);
    DataParallelTime t{};
    const Traffic reduction =
        reduction_of(d, d.weights.dense, reduce, dense) + reduction_of(d, d.weights.expert, reduce, expert);
    t.reduction = reduction.time;
    // Fully sharded weights come block by block, updated ones all at once.
    const double n = sharded ? reduction_messages(d, d.weights.dense) : 1.0;
    const auto updates = [&](double elements, const ShardGroups& groups) {
        return stack.traffic.broadcasts_updates && !sharded ? broadcasts_of(d, elements, gather, groups)
                                                            : gather_of(d, elements, gather, groups, n);
    };
    const Traffic gathering = updates(d.weights.dense, dense) + updates(d.weights.expert, expert);
    t.gathering = gathering.time;
    t.reductions = regime.reduces_every_micro_batch ? d.micro_batches : 1.0;
    if (sharded) {
        // Weights come in the forward pass and, unless they are kept, again in the backward pass, beside the
        // reduction where there is one.
        const double again = regime.zero >= 3 ? 1.0 : 0.0;
        const double passes = regime.keeps_gathered ? 1.0 : d.micro_batches;
        const auto in_backward = [&](Seconds traffic) {
            return hidden(traffic, d.backward, stack.traffic.overlap_grad_reduce);
        };
        t.gathers = (1.0 + again) * passes;
        t.hidden = hidden(t.gathering, d.forward, stack.traffic.overlap_param_gather) * passes +
                   in_backward(t.gathering * again + t.reduction) * t.reductions +
                   in_backward(t.gathering * again) * std::max(0.0, passes - t.reductions);
        // Flat buffers are copied to and from the tensors they hold, except where tensors are views of them
        // (Megatron's FSDP) or gathered in place (XLA).
        const double elements = d.weights.dense + d.weights.expert;
        const Bytes copies = gather * (2.0 * t.gathers) + (gather * d.trained + reduce) * t.reductions;
        if (stack.states.shard != ShardEngine::xla && stack.states.shard != ShardEngine::megatron)
            t.copies = optimizer_walk_time(copies * elements, d.job);
    } else {
        t.hidden =
            hidden_by_chunks(t.reduction, d.backward, stack.traffic.overlap_grad_reduce, d) * t.reductions;
        // DistributedDataParallel copies each gradient into its bucket, and the bucket's mean back.
        const bool fills_buckets = zero == 0 && run.parallel.dp * run.parallel.cp > 1 &&
                                   stack.traffic.gradient_bucket.value() > 0.0 &&
                                   !stack.traffic.gradient_bucket_view;
        if (fills_buckets)
            t.copies = optimizer_walk_time(reduce * (4.0 * (d.weights.dense + d.weights.expert)), d.job) *
                       t.reductions;
        if (zero >= 1) {
            t.gathers = 1.0;
            // PyTorch's sharded optimizer of whole replicas sends what it updated before its step ends.
            const bool later =
                stack.states.shard != ShardEngine::fsdp1 && stack.states.shard != ShardEngine::fsdp2;
            t.hidden +=
                hidden_by_chunks(t.gathering, d.forward, stack.traffic.overlap_param_gather && later, d);
            t.host = host_time(
                stack.host.per_block_slice * (d.blocks * static_cast<double>(dense.shard.size) * d.trained),
                d.job);
        }
    }
    const Traffic all = reduction * t.reductions + gathering * t.gathers;
    t.slowdown = slowdown_beside(all, stack.traffic);
    // What is all hidden leaves nothing, not the rounding of a difference.
    t.exposed = std::max(Seconds{}, all.time - t.hidden * (1.0 - t.slowdown)) + t.copies + t.host;
    return t;
}

}  // namespace traincost
