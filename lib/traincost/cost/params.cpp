#include "traincost/cost/params.hpp"

#include <algorithm>
#include <cmath>

namespace traincost {

namespace {

/// The sums a parameter count is made of, gathered list by list.
struct Tally {
    ParameterCount count{};

    void add(const WeightList& weights, std::int64_t times) {
        for (const WeightTensor& tensor : weights) {
            const std::int64_t one = tensor.rows * tensor.columns * times;
            const std::int64_t stored = one * tensor.copies;
            count.total += stored;
            count.active += one * std::min(tensor.copies, tensor.active_copies);
            count.by_module[static_cast<std::size_t>(tensor.module)] += stored;
            if (tensor.matrix) {
                count.matrix_active += one * tensor.active_copies;
                if (tensor.split == Split::vocabulary) {
                    count.embedding += stored;
                }
            }
        }
    }
};

std::int64_t stored_elements(const WeightList& weights) {
    std::int64_t sum = 0;
    for (const WeightTensor& tensor : weights) {
        sum += elements(tensor);
    }
    return sum;
}

std::int64_t token_table_elements(const ModelSpec& m) {
    return m.vocab * m.embedding_dim.value_or(m.hidden);
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

/// Elements of one copy on the rank with most of the `parts` when `degree` ranks share them.
std::int64_t shard(const WeightTensor& tensor, std::int64_t degree) {
    return tensor.rows * tensor.columns / tensor.parts * ceil_divide(tensor.parts, degree);
}

void add(ShardedCount& sum, const ShardedCount& term, std::int64_t times = 1) {
    const auto n = static_cast<double>(times);
    sum.dense += n * term.dense;
    sum.expert += n * term.expert;
    sum.replicated += n * term.replicated;
}
}  // namespace

ParameterCount parameter_count(const ModelSpec& model) {
    Tally tally;
    tally.add(embedding_weights(model), 1);
    for (const LayerKind& kind : layer_kinds(model)) {
        tally.add(layer_weights(model, kind), kind.count);
    }
    tally.add(head_weights(model, false), 1);

    ParameterCount count = tally.count;
    const std::int64_t table = token_table_elements(model);
    count.embedding += table;
    count.non_embedding = count.total - count.embedding;
    count.active_without_input_embedding = model.tied_embeddings ? count.active : count.active - table;
    if (model.mtp) {
        const LayerKind last = layer_kind(model, block_count(model) - 1);
        count.mtp = model.mtp->layers *
                    (stored_elements(mtp_weights(model)) + stored_elements(layer_weights(model, last)));
    }
    for (const ExtraParameters& tower : model.towers) {
        count.towers += tower.count;
    }
    return count;
}

std::int64_t chunk_size(const StageLayout& layout, std::int64_t chunk) {
    return chunk_first(layout, chunk + 1) - chunk_first(layout, chunk);
}
std::int64_t chunk_first(const StageLayout& layout, std::int64_t chunk) {
    const std::int64_t chunks = layout.pp * layout.vp;
    if (chunk >= chunks)
        return layout.blocks;
    if (layout.head_blocks > 0.0) {
        // A chunk ends with the block that brings the running cost to its share; the head counts as blocks.
        const double share =
            (static_cast<double>(layout.blocks) + layout.head_blocks) / static_cast<double>(chunks);
        const double first = std::ceil(share * static_cast<double>(chunk) - 1e-9);
        return std::min(layout.blocks, static_cast<std::int64_t>(first));
    }
    if (layout.ends_count && chunk > 0)
        return chunk * ((layout.blocks + 2) / chunks) - 1;
    return chunk * (layout.blocks / chunks) + std::min(chunk, layout.blocks % chunks);
}

ShardedCount sharded_count(const WeightTensor& tensor, std::int64_t tp, std::int64_t ep, std::int64_t etp) {
    switch (tensor.split) {
        case Split::expert:
            return {0.0, static_cast<double>(shard(tensor, etp) * ceil_divide(tensor.copies, ep)), 0.0};
        case Split::tensor:
        case Split::vocabulary:
            return {static_cast<double>(shard(tensor, tp) * tensor.copies), 0.0, 0.0};
        case Split::replicated:
            break;
    }
    const auto whole = static_cast<double>(elements(tensor));
    return {whole, 0.0, whole};
}

ShardedCount sharded_count(const WeightList& weights, std::int64_t tp, std::int64_t ep, std::int64_t etp) {
    ShardedCount sum{0.0, 0.0, 0.0};
    for (const WeightTensor& tensor : weights) {
        add(sum, sharded_count(tensor, tp, ep, etp));
    }
    return sum;
}

ShardedCount stage_parameters(const ModelSpec& model, const StageLayout& layout, std::int64_t stage,
                              std::int64_t tp, std::int64_t ep, std::int64_t etp) {
    ShardedCount sum{0.0, 0.0, 0.0};
    for (std::int64_t chunk = stage; chunk < layout.pp * layout.vp; chunk += layout.pp) {
        for (const LayerKind& kind :
             layer_kinds(model, chunk_first(layout, chunk), chunk_size(layout, chunk))) {
            add(sum, sharded_count(layer_weights(model, kind), tp, ep, etp), kind.count);
        }
    }
    if (stage == 0) {
        add(sum, sharded_count(embedding_weights(model), tp, ep, etp));
    }
    if (stage == layout.pp - 1) {
        add(sum, sharded_count(head_weights(model, layout.pp > 1), tp, ep, etp));
    }
    return sum;
}

}  // namespace traincost
