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

double matrix_elements(const WeightList& weights, const Shape& s) {
    double n = 0.0;
    for (const WeightTensor& t : weights) {
        if (!t.matrix)
            continue;
        const ShardedCount count = sharded_count(t, s.tp, s.ep, s.etp);
        n += count.dense + count.expert;
    }
    return n;
}

}  // namespace

void fill_blocks(const Job& job, const Shape& s, BlockTable& table) {
    table.size = 0;
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
        table.kinds[table.size] = {g.side,
                                   g.moe,
                                   g.span,
                                   totals(ops),
                                   sharded_count(weights, s.tp, s.ep, s.etp),
                                   matrix_elements(weights, s)};
        ++table.size;
    }
    table.embedding = embedding_ops(job, s);
    table.head = head_ops(job, s);
    table.embedding_totals = totals(table.embedding);
    table.head_totals = totals(table.head);
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
