// What towers of pictures and sound are made of, as counts. Internal to import/hf.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "traincost/import/hf/hf_keys.hpp"

namespace traincost {

/// A product with a bias.
inline std::int64_t hf_linear(std::int64_t in, std::int64_t out) {
    return in * out + out;
}

/// A LayerNorm's weight and bias.
inline std::int64_t hf_layernorm(std::int64_t width) {
    return 2 * width;
}

/// Four projections with biases, a plain MLP, two LayerNorms.
inline std::int64_t hf_plain_layer(std::int64_t width, std::int64_t ffn) {
    return 4 * hf_linear(width, width) + hf_linear(width, ffn) + hf_linear(ffn, width) +
           2 * hf_layernorm(width);
}

/// Sizes of a vision transformer.
struct HfVit {
    std::int64_t width, ffn, layers, image, patch, channels;
    std::int64_t patches() const {
        return (image / patch) * (image / patch);
    }
    std::int64_t pixels() const {
        return channels * patch * patch;
    }
};

/// Towers that several models have; sizes that `keys` leaves out are those of the first model's class.
std::int64_t hf_siglip(HfKeys& keys, const HfVit& defaults, bool with_head);
std::int64_t hf_whisper_encoder(HfKeys& keys);
std::int64_t hf_qwen25_vit(HfKeys& keys);
std::int64_t hf_qwen3_vit(HfKeys& keys, std::int64_t deep_by_default);

/// Towers of models that hear, or hear and see, and of those whose projector is a network of its own; nothing
/// where the type is none of them.
std::optional<std::vector<ExtraParameters>> hf_joined_towers(HfKeys& outer, std::string_view type,
                                                             std::int64_t hidden);

}  // namespace traincost
