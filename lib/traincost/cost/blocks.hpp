#pragma once

#include <array>
#include <cstdint>

#include "traincost/cost/ops.hpp"
#include "traincost/cost/params.hpp"

namespace traincost {

/// Operators and weights of one kind of block (side, experts, attention span), shared by all blocks of that
/// kind.
struct BlockKind {
    Side side;
    bool moe;
    double span;  ///< keys a query sees
    OpTotals totals;
    ShardedCount parameters;  ///< of one block on one rank
};

/// The distinct kinds of a model's blocks on one rank, and which block is of which kind.
struct BlockTable {
    std::array<BlockKind, 6> kinds;
    std::array<OpList, 6> ops;
    std::size_t size = 0;
    OpList embedding;
    OpList head;
    OpTotals embedding_totals;
    OpTotals head_totals;
    ShardedCount embedding_parameters;
    ShardedCount head_parameters;  ///< as stored on a last stage that is not the first (a tied table again)
    ShardedCount head_only_parameters;  ///< on a single stage (a tied table once)
};

/// Bytes that come and go with a micro-batch's matrices: autocast's copies, and gradients that do not
/// persist.
WeightBytes weight_bytes(const Job& job, const Shape& shape);

/// Whether gradients keep their memory from step to step or over several micro-batches.
bool gradients_persist(const Job& job);

/// Whether weights themselves live sharded and are gathered block by block (FSDP at ZeRO stage 2 and 3).
bool fully_sharded(const Job& job);

/// Fills `table` for the job's shards.
void fill_blocks(const Job& job, const Shape& shape, BlockTable& table);

/// Index in `table.kinds` of block `index`.
std::size_t kind_of(const Job& job, const BlockTable& table, std::int64_t index);

}  // namespace traincost
