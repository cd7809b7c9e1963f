#include "traincost/cost/blocks.hpp"

#include <algorithm>

namespace traincost {

namespace {

/// Span of a block's queries and its kind, from its index.
struct Signature {
    Side side;
    bool moe;
    double span;
};

Signature signature_of(const Job& job, std::int64_t index) {
    const LayerKind kind = layer_kind(job.model, index);
    return {kind.side, kind.moe, static_cast<double>(attention_span(job.model, index, job.run.sequence))};
}

}  // namespace

bool gradients_persist(const Job& job) {
    const bool views =
        job.stack.gradient_bucket_view && job.run.parallel.dp > 1 && job.run.parallel.zero <= 1;
    return job.stack.gradients == GradientStore::main_buffer || views || micro_batches(job.run) > 1;
}

bool fully_sharded(const Job& job) {
    return job.run.parallel.zero >= 2 &&
           (job.stack.shard == ShardEngine::fsdp1 || job.stack.shard == ShardEngine::fsdp2);
}

WeightBytes weight_bytes(const Job& job, const Shape& s) {
    Bytes gradient;
    if (fully_sharded(job)) {
        gradient = Bytes{s.e};  // made unsharded in the compute format, reduced when the block is done
    } else if (!gradients_persist(job)) {
        gradient = bytes_per_element(job.run.precision.gradients);
    }
    return {Bytes{s.autocast ? s.e : 0.0}, gradient};
}

void fill_blocks(const Job& job, const Shape& s, BlockTable& table) {
    table.size = 0;
    const WeightBytes weight = weight_bytes(job, s);
    const std::int64_t blocks = block_count(job.model);
    for (std::int64_t i = 0; i < blocks && table.size < table.kinds.size(); ++i) {
        const Signature g = signature_of(job, i);
        const auto known = std::find_if(
            table.kinds.begin(), table.kinds.begin() + static_cast<std::ptrdiff_t>(table.size),
            [&](const BlockKind& k) { return k.side == g.side && k.moe == g.moe && k.span == g.span; });
        if (known != table.kinds.begin() + static_cast<std::ptrdiff_t>(table.size))
            continue;
        OpList& ops = table.ops[table.size];
        ops = layer_ops(job, s, g.side, g.moe, g.span);
        const WeightList weights = layer_weights(job.model, g.side, g.moe);
        table.kinds[table.size] = {g.side, g.moe, g.span, totals(ops, weight),
                                   sharded_count(weights, s.tp, s.ep, s.etp)};
        ++table.size;
    }
    table.embedding = embedding_ops(job, s);
    table.head = head_ops(job, s);
    table.embedding_totals = totals(table.embedding, weight);
    table.head_totals = totals(table.head, weight);
    table.embedding_parameters = sharded_count(embedding_weights(job.model), s.tp, s.ep, s.etp);
    table.head_parameters = sharded_count(head_weights(job.model, true), s.tp, s.ep, s.etp);
    table.head_only_parameters = sharded_count(head_weights(job.model, false), s.tp, s.ep, s.etp);
}

std::size_t kind_of(const Job& job, const BlockTable& table, std::int64_t index) {
    if (table.size == 1)
        return 0;
    const Signature g = signature_of(job, index);
    for (std::size_t k = 0; k < table.size; ++k) {
        if (table.kinds[k].side == g.side && table.kinds[k].moe == g.moe && table.kinds[k].span == g.span)
            return k;
    }
    return 0;
}

}  // namespace traincost
