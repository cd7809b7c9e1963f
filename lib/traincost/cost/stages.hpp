// Which blocks each pipeline stage runs, as runs of equal blocks, and which stages are alike. Independent of
// sizes and degrees other than pp and vp, so that a search prepares it once for all shapes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "traincost/cost/blocks.hpp"

namespace traincost {

/// Consecutive blocks of a stage that cost the same.
struct BlockRun {
    std::int64_t position;  ///< of the first, among the stage's blocks
    std::int64_t count;
    std::size_t kind;  ///< in the block table
    bool again;        ///< recomputed whole in the backward pass
    bool trains;       ///< not frozen
    bool operator==(const BlockRun&) const = default;
};

/// A stage's blocks of one kind.
struct KindCount {
    double blocks = 0.0;
    double again = 0.0;  ///< of them recomputed whole
    double kept = 0.0;   ///< of them neither recomputed nor frozen: their saved tensors stay
};

/// Stages that run the same blocks in the same order. The first and the last stage, with the embedding and
/// the head, are classes of their own.
struct StageClass {
    std::int64_t stage;   ///< the first of them
    std::int64_t stages;  ///< how many
    bool first;           ///< holds the embedding
    bool last;            ///< holds the head
    std::int64_t blocks;
    std::int64_t trained;  ///< blocks not frozen
    std::array<KindCount, block_kind_limit> kinds;
    std::size_t runs_begin;  ///< in `StageClasses::runs`
    std::size_t runs_end;
};

/// All stages of a pipeline.
struct StageClasses {
    std::vector<StageClass> classes;  ///< by first stage
    std::vector<BlockRun> runs;
    std::vector<std::int32_t> class_of;  ///< by stage
    const StageClass& of(std::int64_t stage) const {
        return classes[static_cast<std::size_t>(class_of[static_cast<std::size_t>(stage)])];
    }
};

/// How the stack deals the model's blocks to pipeline stages.
StageLayout stage_layout(const Job& job);

/// The stages of the job's pipeline under its recompute and frozen layers.
StageClasses stage_classes(const Job& job, const BlockTable& table);

/// Elements a rank of the stage holds, with embedding and head.
ShardedCount stage_parameters(const BlockTable& table, const StageClass& stage);

/// Model block at `position` among the blocks of `stage`, in the order they run.
std::int64_t block_at(const StageLayout& layout, std::int64_t stage, std::int64_t position);

}  // namespace traincost
