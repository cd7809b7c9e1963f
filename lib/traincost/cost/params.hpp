#pragma once

#include <array>
#include <cstdint>

#include "traincost/cost/layer_kinds.hpp"
#include "traincost/cost/weights.hpp"
#include "traincost/spec/model.hpp"

namespace traincost {

/// Parameter counts of a model, tied embeddings once, without buffers, MTP and the towers of other inputs.
struct ParameterCount {
    std::int64_t total;
    std::int64_t active;                          ///< one token's: top_k experts instead of all
    std::int64_t active_without_input_embedding;  ///< as FLOP conventions use it: without a token table that
                                                  ///< only looks up
    std::int64_t embedding;                       ///< token table, and the untied head's matrix
    std::int64_t non_embedding;                   ///< total - embedding
    std::int64_t matrix_active;  ///< active elements of matrices that multiply activations, the head included
    std::int64_t mtp;
    std::int64_t towers;
    std::array<std::int64_t, module_count> by_module;  ///< of total; mtp is 0
};
ParameterCount parameter_count(const ModelSpec& model);

/// How blocks are dealt to pp·vp chunks; chunk c runs on stage c mod pp (interleaved schedule).
struct StageLayout {
    std::int64_t pp;
    std::int64_t vp;
    std::int64_t blocks;
    double head_blocks = 0.0;  ///< the head's cost in blocks, where the stack balances stages by cost; 0:
                               ///< blocks are dealt evenly
    bool ends_count = false;   ///< embedding and head count as a block each, dealt evenly with the others
};
/// First block and number of blocks of chunk `chunk` (0 … pp·vp - 1): remainders go to the earliest chunks.
std::int64_t chunk_first(const StageLayout& layout, std::int64_t chunk);
std::int64_t chunk_size(const StageLayout& layout, std::int64_t chunk);

/// Elements one rank holds: the largest rank's where a degree does not divide the parts.
struct ShardedCount {
    double dense;       ///< shared by all data-parallel ranks
    double expert;      ///< shared by the ranks with the same experts only
    double replicated;  ///< of `dense`, the part every tensor-parallel rank repeats
};
ShardedCount sharded_count(const WeightTensor& tensor, std::int64_t tp, std::int64_t ep, std::int64_t etp);
ShardedCount sharded_count(const WeightList& weights, std::int64_t tp, std::int64_t ep, std::int64_t etp);

/// Elements on pipeline stage `stage` (0 … pp - 1) with its chunks, embedding and head.
ShardedCount stage_parameters(const ModelSpec& model, const StageLayout& layout, std::int64_t stage,
                              std::int64_t tp, std::int64_t ep, std::int64_t etp);

}  // namespace traincost
