#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "traincost/spec/model.hpp"

namespace traincost {

/// The stack a layer belongs to; a cross_decoder layer has cross attention besides.
enum class Side : std::uint8_t { decoder, encoder, cross_decoder };

/// `count` layers with the same weights.
struct LayerKind {
    Side side;
    bool moe;
    std::int64_t count;
    Mixer mixer = Mixer::attention;
    bool mlp = true;         ///< an MLP, or experts where `moe`, follow the mixer
    std::int64_t shape = 0;  ///< as `ModelSpec::layer_shapes`
};

/// Distinct layer kinds of a model and how many of each; an encoder's come before its decoder's, dense before
/// expert layers; of layers that are listed one by one, in the order they first come.
struct LayerKinds {
    std::array<LayerKind, most_layer_kinds> items;
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

}  // namespace traincost
