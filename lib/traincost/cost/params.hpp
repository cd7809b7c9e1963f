#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "traincost/spec/model.hpp"

namespace traincost {

/// The part of the network a tensor or operator belongs to.
enum class Module : std::uint8_t { embedding, position, norm, attention, mlp, router, experts, shared_experts, head, mtp, extra };
inline constexpr int module_count = 11;
std::string_view to_string(Module module);

/// Which degree divides a weight tensor: nothing, one axis by tp, or the experts by ep with one axis by etp.
enum class Split : std::uint8_t { replicated, tensor, vocabulary, expert };

/// One kind of weight tensor of a layer, the embedding or the head: `copies` tensors of rows × columns elements.
/// A vector has rows = 1. `rows` is the input, `columns` the output width of a projection.
struct WeightTensor {
    std::string_view name;
    Module module;
    Split split;
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t copies = 1;          ///< experts of an expert tensor, else 1
    std::int64_t active_copies = 1;   ///< of which one token uses
    bool matrix = true;               ///< multiplies activations (counts in 6ND); false for norms, biases and lookup tables
};

inline std::int64_t elements(const WeightTensor& tensor) { return tensor.rows * tensor.columns * tensor.copies; }

/// A short list of weight tensors; no layer has more.
struct WeightList {
    std::array<WeightTensor, 48> items{};
    std::size_t size = 0;
    void push(const WeightTensor& tensor);
    const WeightTensor* begin() const { return items.data(); }
    const WeightTensor* end() const { return items.data() + size; }
};

/// Kinds of layers a model is made of, in the order they run.
enum class Side : std::uint8_t { decoder, encoder, cross_decoder };

/// A run of layers with the same weights: `count` layers of one kind.
struct LayerKind {
    Side side;
    bool moe;
    std::int64_t count;
};

/// Distinct layer kinds and how many of each (at most four).
struct LayerKinds {
    std::array<LayerKind, 4> items{};
    std::size_t size = 0;
    const LayerKind* begin() const { return items.data(); }
    const LayerKind* end() const { return items.data() + size; }
};
LayerKinds layer_kinds(const ModelSpec& model);

/// Layers of the whole model, encoder and decoder.
std::int64_t block_count(const ModelSpec& model);

/// The kind of block `index` (0-based; an encoder-decoder's encoder comes first).
LayerKind layer_kind(const ModelSpec& model, std::int64_t index);

/// Weights of one layer of the kind.
WeightList layer_weights(const ModelSpec& model, Side side, bool moe);

/// Token, position and token-type tables, embedding projection and norm: what the first pipeline stage holds besides its layers.
WeightList embedding_weights(const ModelSpec& model);

/// Final norm and output head: what the last stage holds besides its layers. A tied head is listed with copies = 0 elements unless
/// `stored_again` (pipeline stages other than the first keep their own copy).
WeightList head_weights(const ModelSpec& model, bool stored_again);

/// Multi-token-prediction module, outside every total.
WeightList mtp_weights(const ModelSpec& model);

/// Parameter counts of a model, tied embeddings once, without buffers, MTP and vision towers.
struct ParameterCount {
    std::int64_t total;
    std::int64_t active;                          ///< one token's: top_k experts instead of all
    std::int64_t active_without_input_embedding;  ///< as the FLOP conventions use it
    std::int64_t embedding;                       ///< token table, and the head when untied is in non_embedding's complement too
    std::int64_t non_embedding;
    std::int64_t matrix_active;                   ///< active elements of matrices that multiply activations, the head included
    std::int64_t mtp;
    std::array<std::int64_t, module_count> by_module;
};
ParameterCount parameter_count(const ModelSpec& model);

/// How blocks are dealt to pipeline chunks: chunk c of pp·vp holds `first(c)` … ; as even as the stack makes it.
struct StageLayout {
    std::int64_t pp;
    std::int64_t vp;
    std::int64_t blocks;
};
/// First block and number of blocks of chunk `chunk` (0 … pp·vp - 1): remainders go to the earliest chunks.
std::int64_t chunk_first(const StageLayout& layout, std::int64_t chunk);
std::int64_t chunk_size(const StageLayout& layout, std::int64_t chunk);

/// Elements one rank holds of a list: tensor and vocabulary splits divided by tp (rounded up to whole columns), experts by ep and etp.
struct ShardedCount {
    double dense;     ///< shared by all data-parallel ranks
    double expert;    ///< shared by the ranks with the same experts only
    double replicated;///< of `dense`, the part every tensor-parallel rank repeats
};
ShardedCount sharded_count(const WeightList& weights, std::int64_t tp, std::int64_t ep, std::int64_t etp);

/// Elements on pipeline stage `stage` (0 … pp - 1) with its chunks, embedding and head.
ShardedCount stage_parameters(const ModelSpec& model, const StageLayout& layout, std::int64_t stage, std::int64_t tp, std::int64_t ep,
                              std::int64_t etp);

}  // namespace traincost
