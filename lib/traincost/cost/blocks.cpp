#include "traincost/cost/blocks.hpp"

#include <algorithm>

#include "traincost/base/error.hpp"

namespace traincost {

namespace {

BlockSignature signature_of(const Job& job, std::int64_t index) {
    const LayerKind kind = layer_kind(job.model, index);
    return {kind.side,  kind.moe, static_cast<double>(attention_span(job.model, index, job.run.sequence)),
            kind.mixer, kind.mlp, kind.shape};
}

/// Operators of one block of the kind, whose shape may be another than the model's.
OpList block_ops(const Job& job, const Shape& s, const BlockSignature& g) {
    if (g.shape == 0)
        return layer_ops(job, s, g.side, g.moe, g.span, g.mixer, g.mlp);
    Job own = job;
    own.model = shaped_model(job.model, g.shape);
    return layer_ops(own, s, g.side, g.moe, g.span, g.mixer, g.mlp);
}

/// The time of sequences of the mean length that padding leaves, where the longest take `t`. Launches stay,
/// and scores shrink with the square.
PassTime padded(PassTime t, const RunSpec& run) {
    if (!run.padded_length)
        return t;
    const double share = static_cast<double>(*run.padded_length) / static_cast<double>(run.sequence);
    const Seconds host = t.host;
    t = t * share;
    t.attention = t.attention * share;
    t.host = host;
    return t;
}

// A sharded block's host time forward, where its weights are gathered, and backward, where they are gathered
// again and gradients reduced: 0.96, 0.56 and 0.74 ms of FSDP2 (one H200, torch 2.11, 2026-11-23).
constexpr double first_gather = 0.42;
constexpr double second_gather = 0.25;
constexpr double reduction = 0.33;

PartTime part_time(const OpList& ops, const KernelContext& context, const ShardingHost& host = {}) {
    PartTime t{pass_time(ops, Pass::forward, context, Part::whole, host.forward),
               pass_time(ops, Pass::backward, context, Part::whole, host.backward),
               {},
               {}};
    const StackSpec& stack = context.job->stack;
    const Part again = stack.layer.recompute_stops_early ? Part::before_last_output : Part::whole;
    t.whole_again = pass_time(ops, Pass::forward, context, again, stack.host.per_checkpoint);
    if (context.job->run.recompute == Recompute::selective || context.job->run.mlp_tiles > 1)
        t.again = pass_time(ops, Pass::forward, context, Part::selective);
    for (PassTime* pass : {&t.forward, &t.backward, &t.again, &t.whole_again})
        *pass = padded(*pass, context.job->run);
    // The host issues what a checkpoint runs again and the backward pass that follows in one go.
    t.whole_again.host = std::max(Seconds{}, t.whole_again.host - t.backward.spare);
    return t;
}

/// Whether ranks gather the matrices of each expert by themselves.
bool shards_expert_modules(const Job& job) {
    return job.stack.states.shard == ShardEngine::deepspeed && job.model.moe &&
           job.stack.experts.launch.value() > 0.0;
}

/// Modules with weights of their own in a block over those of the dense block that `host_per_sharded_block`
/// is of, where hooks run before and after each: seven matrices and two norms. A stack that launches each
/// expert has a module for each matrix of it.
double modules_of_block(const Job& job, const BlockSignature& block) {
    if (!block.moe || !shards_expert_modules(job))
        return 1.0;
    constexpr double of_attention = 7.0;  // four matrices, two norms, the router
    constexpr double dense = 9.0;
    const double matrices = job.model.moe->gated.value_or(job.model.gated_mlp) ? 3.0 : 2.0;
    const double experts =
        static_cast<double>(job.model.moe->experts) / static_cast<double>(job.run.parallel.ep);
    return (of_attention + matrices * experts) / dense;
}

/// Index of block `index` among the `size` kinds that `signature(k)` gives.
template <class Signature>
std::size_t find_kind(const Job& job, std::size_t size, std::int64_t index, Signature signature) {
    if (size == 1)
        return 0;
    const BlockSignature wanted = signature_of(job, index);
    for (std::size_t k = 0; k < size; ++k) {
        if (signature(k) == wanted)
            return k;
    }
    throw Error(ErrorKind::internal, "block " + std::to_string(index) + " is of no kind of the table");
}

}  // namespace

ShardingHost sharding_host(const Job& job) {
    // DeepSpeed's stage 3 gathers module by module, from hooks before and after each.
    const bool by_module = job.stack.states.shard == ShardEngine::deepspeed && job.run.parallel.zero >= 3;
    if ((!fully_sharded(job) && !by_module) || pipeline_keeps_gathered(job))
        return {};
    const Seconds each = job.stack.host.per_sharded_block;
    const double again = zero_in_force(job) >= 3 ? second_gather : 0.0;
    return {each * first_gather, each * (reduction + again)};
}

double sharded_modules(const Job& job) {
    if (!shards_expert_modules(job))
        return 1.0;
    const std::int64_t blocks = block_count(job.model);
    double sum = 0.0;
    for (std::int64_t i = 0; i < blocks; ++i)
        sum += modules_of_block(job, signature_of(job, i));
    return sum / static_cast<double>(blocks);
}

Seconds host_floor_per_block(const Job& job) {
    const std::int64_t tp = job.run.parallel.tp;
    if (tp == 1 && job.run.parallel.pp == 1)
        return {};
    Seconds floor = tp > 1 ? job.stack.host.per_parallel_block : Seconds{};
    if (hosts_starved(job.cluster.network))
        floor += job.stack.host.per_starved_block_rank * static_cast<double>(tp);
    return host_time(floor, job);
}

WeightBytes weight_bytes(const Job& job, const Shape& s) {
    Bytes gradient;
    if (fully_sharded(job)) {
        gradient = Bytes{s.e};  // made unsharded in the compute format, reduced when the block is done
    } else if (!gradients_persist(job)) {
        gradient = bytes_per_element(job.run.precision.gradients);
    }
    return {s.autocast ? std::min(Bytes{s.e}, bytes_per_element(job.run.precision.gemm)) : Bytes{}, gradient};
}

void fill_ops(const Job& job, const Shape& s, BlockOps& ops) {
    ops.size = 0;
    const std::int64_t blocks = block_count(job.model);
    for (std::int64_t i = 0; i < blocks; ++i) {
        const BlockSignature g = signature_of(job, i);
        const auto end = ops.kinds.begin() + static_cast<std::ptrdiff_t>(ops.size);
        if (std::find(ops.kinds.begin(), end, g) != end)
            continue;
        if (ops.size == ops.kinds.size())
            throw Error(ErrorKind::internal,
                        "the model has more than " + std::to_string(ops.kinds.size()) + " kinds of block");
        ops.kinds[ops.size] = g;
        ops.blocks[ops.size] = block_ops(job, s, g);
        ++ops.size;
    }
    ops.embedding = embedding_ops(job, s);
    ops.head = head_ops(job, s);
}

void set_totals(const Job& job, const Shape& s, const BlockOps& ops, BlockTable& table) {
    const WeightBytes weight = weight_bytes(job, s);
    for (std::size_t k = 0; k < ops.size; ++k)
        table.kinds[k].totals = totals(ops.blocks[k], weight);
    table.embedding_totals = totals(ops.embedding, weight);
    table.head_totals = totals(ops.head, weight);
}

BlockTable block_table(const Job& job, const Shape& s, const BlockOps& ops) {
    const KernelContext context = kernel_context(job);
    const ShardingHost sharding = sharding_host(job);
    BlockTable table;
    table.size = ops.size;
    for (std::size_t k = 0; k < ops.size; ++k) {
        const BlockSignature& g = ops.kinds[k];
        table.kinds[k].signature = g;
        table.kinds[k].parameters = sharded_count(
            layer_weights(job.model, {g.side, g.moe, 1, g.mixer, g.mlp, g.shape}), s.tp, s.ep, s.etp);
        const double modules = modules_of_block(job, g);
        table.kinds[k].time =
            part_time(ops.blocks[k], context, {sharding.forward * modules, sharding.backward * modules});
        table.kinds[k].orthogonalisation = orthogonalisation(ops.blocks[k], context);
    }
    set_totals(job, s, ops, table);
    table.embedding_parameters = sharded_count(embedding_weights(job.model), s.tp, s.ep, s.etp);
    table.head_parameters = sharded_count(head_weights(job.model, true), s.tp, s.ep, s.etp);
    table.head_only_parameters = sharded_count(head_weights(job.model, false), s.tp, s.ep, s.etp);
    table.embedding_time = part_time(ops.embedding, context);
    table.head_time = part_time(ops.head, context);
    return table;
}

std::size_t kind_of(const Job& job, const BlockTable& table, std::int64_t index) {
    return find_kind(job, table.size, index, [&](std::size_t k) { return table.kinds[k].signature; });
}

std::size_t kind_of(const Job& job, const BlockOps& ops, std::int64_t index) {
    return find_kind(job, ops.size, index, [&](std::size_t k) { return ops.kinds[k]; });
}

}  // namespace traincost
