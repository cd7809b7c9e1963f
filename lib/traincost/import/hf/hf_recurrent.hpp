// What Hugging Face configurations of mixers that keep a state have in common. Internal to io/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/hf/hf_families.hpp"

namespace traincost {

/// How a family names Mamba's keys.
struct HfMambaKeys {
    std::string_view heads, head_dim, groups, state, kernel, expand, convolution_bias, projection_bias, chunk;
};

/// Defaults of a family's Mamba-2 layers.
struct HfMambaDefaults {
    std::int64_t heads, head_dim, groups, state, chunk;
};

/// A Mamba-2 mixer from the keys of a family; `inner` is its width where the family states one, else
/// expand · hidden.
RecurrentSpec hf_mamba2(HfKeys& keys, const HfMambaKeys& names, const HfMambaDefaults& defaults,
                        std::int64_t hidden, std::optional<std::int64_t> inner);

/// The rank of Mamba's time step: a number, or "auto", a sixteenth of the hidden size.
std::int64_t hf_step_rank(HfKeys& keys, std::string_view name, std::int64_t hidden);

/// Mixers of the layers that a list of names means: names beginning with "full_attention", "attention" or
/// "sliding_attention" are attention, all of `recurrent` the mixer that keeps a state; `Error` for others.
std::vector<Mixer> hf_mixers(const HfKeys& keys, std::string_view key, const std::vector<std::string>& names,
                             std::initializer_list<std::string_view> recurrent);

/// Takes the mixers as the model's, and its `recurrent` only where one of them is recurrent.
void hf_set_mixers(ModelSpec& model, std::vector<Mixer> mixers, const RecurrentSpec& recurrent);

/// The layers of a list of 0-based indices.
std::vector<bool> hf_layer_set(HfKeys& keys, std::string_view key, std::int64_t layers,
                               std::int64_t first = 0);

}  // namespace traincost
