#pragma once

#include <array>
#include <cstdint>

#include "traincost/cost/kernels.hpp"
#include "traincost/cost/kernels/orthogonalisation.hpp"
#include "traincost/cost/ops.hpp"
#include "traincost/cost/params.hpp"

namespace traincost {

/// Kinds of block a model can have: two sides, with experts or without, windowed or not; or a few mixers with
/// a few MLPs.
inline constexpr std::size_t block_kind_limit = most_layer_kinds;

/// What tells kinds of block apart; `span` is the number of keys a query sees.
struct BlockSignature {
    Side side;
    bool moe;
    double span;
    Mixer mixer = Mixer::attention;
    bool mlp = true;
    std::int64_t shape = 0;
    bool operator==(const BlockSignature&) const = default;
};

/// Operators of the distinct kinds of a model's blocks on one rank, of its embedding and its head.
struct BlockOps {
    std::array<BlockSignature, block_kind_limit> kinds;
    std::array<OpList, block_kind_limit> blocks;
    std::size_t size = 0;
    OpList embedding;
    OpList head;
};

/// Fills `ops` for the job's shards; `Error` of kind internal where there are more kinds than it holds.
void fill_ops(const Job& job, const Shape& shape, BlockOps& ops);

/// Forward, backward and recomputed forward of one block, of the embedding or of the head.
struct PartTime {
    PassTime forward;
    PassTime backward;
    PassTime again;        ///< run again in backward under selective recompute
    PassTime whole_again;  ///< where the whole block is recomputed
};

/// Memory, weights and times of one kind of block, shared by all blocks of that kind.
struct BlockKind {
    BlockSignature signature;
    OpTotals totals;
    ShardedCount parameters;  ///< of one block on one rank
    PartTime time;
    Orthogonalisation orthogonalisation;  ///< of an update of one block
};

/// What a stage's memory and time are sums of. Depends on the shape, the kernels and selective recompute;
/// `totals` also on how weights and gradients come and go (`weight_bytes`).
struct BlockTable {
    std::array<BlockKind, block_kind_limit> kinds;
    std::size_t size = 0;
    OpTotals embedding_totals;
    OpTotals head_totals;
    ShardedCount embedding_parameters;
    ShardedCount head_parameters;  ///< as stored on a last stage that is not the first (a tied table again)
    ShardedCount head_only_parameters;  ///< on a single stage (a tied table once)
    PartTime embedding_time;
    PartTime head_time;
};

/// What sharding a block by FSDP or DeepSpeed's stage 3 takes of the host, a micro-batch; nothing elsewhere.
struct ShardingHost {
    Seconds forward;
    Seconds backward;
    bool operator==(const ShardingHost&) const = default;
};

ShardingHost sharding_host(const Job& job);

/// Modules whose weights a block's ranks gather by themselves, over those of a dense block: more than 1 where
/// experts are modules of their own and a stack gathers module by module. Mean over the blocks.
double sharded_modules(const Job& job);

/// The table of a job's operators.
BlockTable block_table(const Job& job, const Shape& shape, const BlockOps& ops);

/// Sets the table's totals for the job's `weight_bytes`, and nothing else.
void set_totals(const Job& job, const Shape& shape, const BlockOps& ops, BlockTable& table);

/// Bytes that come and go with a micro-batch's matrices: autocast's copies, and gradients that do not
/// persist.
WeightBytes weight_bytes(const Job& job, const Shape& shape);

/// Whether gradients live in reduction buckets that outlive the step (DDP without a pipeline).
bool bucket_views(const Job& job);

/// Whether gradients keep their memory from step to step or over several micro-batches.
bool gradients_persist(const Job& job);

/// Whether gradients in the compute format stay beside a wider main buffer.
bool model_gradients_beside(const Job& job);

/// Whether weights themselves live sharded and are gathered block by block (FSDP at ZeRO stage 2 and 3).
bool fully_sharded(const Job& job);

/// Whether a pipeline keeps fully sharded weights gathered from its first micro-batch to its last.
bool pipeline_keeps_gathered(const Job& job);

/// The run's ZeRO stage, 2 where a pipeline keeps fully sharded weights gathered.
std::int64_t zero_in_force(const Job& job);

/// Whether gradients are reduced after each micro-batch, not only the last.
bool reduces_every_micro_batch(const Job& job);

/// Least host time of a block's launches, both passes, under tensor parallelism: a distributed stack's Python
/// beside the launches of its kernels.
Seconds host_floor_per_block(const Job& job);

/// Index in the table's kinds of block `index`.
std::size_t kind_of(const Job& job, const BlockTable& table, std::int64_t index);
std::size_t kind_of(const Job& job, const BlockOps& ops, std::int64_t index);

}  // namespace traincost
