#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "traincost/cost/layer_kinds.hpp"
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

}  // namespace traincost
