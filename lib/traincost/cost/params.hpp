#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "traincost/spec/model.hpp"

namespace traincost {

/// The part of the network a tensor or operator belongs to. `position` holds the position and token-type
/// tables, `attention` also the norms inside attention (queries, keys, latents) and the sinks, `recurrent`
/// all of a mixer that keeps a state.
enum class Module : std::uint8_t {
    embedding,
    position,
    norm,
    attention,
    mlp,
    router,
    experts,
    shared_experts,
    head,
    mtp,
    extra,
    recurrent
};
inline constexpr int module_count = 12;
std::string_view to_string(Module module);

/// Which degree divides a weight tensor: none, tp (by head, channel or vocabulary row), or ep by expert and
/// etp by channel.
enum class Split : std::uint8_t { replicated, tensor, vocabulary, expert };

/// One kind of weight tensor of a layer, the embedding or the head: `copies` tensors of rows × columns
/// elements. `rows` is the input, `columns` the output width of a projection; a vector has rows = 1.
struct WeightTensor {
    std::string_view name;  ///< of a string literal
    Module module;
    Split split;
    bool matrix;  ///< multiplies activations (counts in 6ND); false for norms, biases and lookup tables
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t
        parts;  ///< pieces no split cuts through: heads, channels, vocabulary rows; 1: whole everywhere
    std::int64_t
        copies;  ///< stored: experts of an expert tensor; 0 for a tied head, which only multiplies; else 1
    std::int64_t active_copies;  ///< one token uses
};

/// Elements stored.
inline std::int64_t elements(const WeightTensor& tensor) {
    return tensor.rows * tensor.columns * tensor.copies;
}

/// A short list of weight tensors; no layer has more.
struct WeightList {
    std::array<WeightTensor, 40> items;
    std::size_t size = 0;
    const WeightTensor* begin() const {
        return items.data();
    }
    const WeightTensor* end() const {
        return items.data() + size;
    }
};

/// The stack a layer belongs to; a cross_decoder layer has cross attention besides.
enum class Side : std::uint8_t { decoder, encoder, cross_decoder };

/// `count` layers with the same weights.
struct LayerKind {
    Side side;
    bool moe;
    std::int64_t count;
    Mixer mixer = Mixer::attention;
    bool mlp = true;  ///< an MLP, or experts where `moe`, follow the mixer
};

/// Distinct layer kinds of a model and how many of each; an encoder's come before its decoder's, dense before
/// expert layers; of layers that are listed one by one, in the order they first come.
struct LayerKinds {
    std::array<LayerKind, 15> items;
    std::size_t size = 0;
    const LayerKind* begin() const {
        return items.data();
    }
    const LayerKind* end() const {
        return items.data() + size;
    }
};
LayerKinds layer_kinds(const ModelSpec& model);

/// Layer kinds among the blocks first … first + count - 1.
LayerKinds layer_kinds(const ModelSpec& model, std::int64_t first, std::int64_t count);

/// Layers of the whole model, encoder and decoder.
std::int64_t block_count(const ModelSpec& model);

/// The kind of block `index` (0-based; an encoder-decoder's encoder comes first), with count = 1.
LayerKind layer_kind(const ModelSpec& model, std::int64_t index);

/// Weights of one layer of the kind.
WeightList layer_weights(const ModelSpec& model, Side side, bool moe, Mixer mixer = Mixer::attention,
                         bool mlp = true);
WeightList layer_weights(const ModelSpec& model, const LayerKind& kind);

/// Token, position and token-type tables, embedding projection and norm: what the first pipeline stage holds
/// besides its layers.
WeightList embedding_weights(const ModelSpec& model);

/// Final norm, output head and the model's `extra` (summed): what the last stage holds besides its layers. A
/// tied head has copies = 0 unless `stored_again` (a last stage other than the first keeps its own copy).
WeightList head_weights(const ModelSpec& model, bool stored_again);

/// What one multi-token-prediction module holds besides a layer of the model's last kind: the projection of
/// 2·hidden, three norms, and its stored copies of embedding and head. Outside every total. [DeepSeekV3,
/// §2.2]
WeightList mtp_weights(const ModelSpec& model);

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
