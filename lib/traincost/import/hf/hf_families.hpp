// One reader for each family of Hugging Face architectures: keys of the configuration to the shape they mean.
#pragma once

#include <span>
#include <string_view>

#include "traincost/import/hf/hf_keys.hpp"
#include "traincost/spec/model.hpp"

namespace traincost {

/// What a `model_type` is read by.
struct HfReader {
    std::string_view type;
    ModelSpec (*read)(HfKeys& keys);
};

/// LLaMA and what descends from it: rotary positions, pre- or sandwich norms, dense gated MLPs.
std::span<const HfReader> hf_llama_readers();
/// Mixtures of experts.
std::span<const HfReader> hf_moe_readers();
/// The GPT line: learned positions, ALiBi or rotary, LayerNorm with biases, plain MLPs, parallel blocks.
std::span<const HfReader> hf_gpt_readers();
/// Encoders and encoder-decoders: BERT, T5.
std::span<const HfReader> hf_encoder_readers();

/// Mamba, and other decoders whose mixers keep a state.
std::span<const HfReader> hf_recurrent_readers();
/// Attention between linear attention or short convolutions.
std::span<const HfReader> hf_hybrid_readers();
/// Attention between Mamba layers.
std::span<const HfReader> hf_state_space_readers();
/// Text decoders of multimodal models that exist nowhere else.
std::span<const HfReader> hf_multimodal_readers();

/// Younger mixtures of experts, and dense decoders of their time.
std::span<const HfReader> hf_expert_readers();
/// Decoders that differ from LLaMA or GPT in a norm, a gate or a table.
std::span<const HfReader> hf_decoder_readers();
/// Descendants of BERT.
std::span<const HfReader> hf_bert_readers();

/// Models whose weights serve several depths.
std::span<const HfReader> hf_shared_readers();
/// Attention to compressed keys, experts in attention, layers of several widths.
std::span<const HfReader> hf_uneven_readers();
/// Encoder-decoders of speech, and those whose decoder reads the encoder in its own attention.
std::span<const HfReader> hf_crossing_readers();

/// The configurations of a model's two stacks.
struct HfStacks {
    HfKeys encoder;
    HfKeys decoder;
};
/// Those of `type`; `Error` at the one that is missing.
HfStacks hf_stacks(HfKeys& keys, std::string_view type);
/// The two stacks as one model with the encoder's sizes; `Error` where the decoder has another shape.
ModelSpec hf_joined_stacks(const HfKeys& keys, ModelSpec encoder, const ModelSpec& decoder);

/// Defaults of a configuration class, for keys that a file leaves out.
struct HfDefaults {
    std::int64_t ffn;
    std::int64_t heads;
    std::int64_t kv_heads;  ///< 0: as many as heads
    std::int64_t head_dim;  ///< 0: hidden / heads
    std::int64_t vocab;
    std::int64_t max_position;
    bool tied;
};

/// A decoder with rotary positions, two RMSNorms a layer, a gated MLP and no biases, from the keys LLaMA has.
ModelSpec hf_rotary_decoder(HfKeys& keys, const HfDefaults& defaults);

/// A decoder of LayerNorms and plain MLPs with biases everywhere; positions and vocabulary are the family's.
ModelSpec hf_layernorm_decoder(HfKeys& keys, std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                               std::int64_t ffn);

/// hidden / heads; `Error` at `heads_key` where it is not whole.
std::int64_t hf_head_dim(const HfKeys& keys, std::string_view heads_key, std::int64_t hidden,
                         std::int64_t heads);
/// Key and value heads: the key's value, `fallback` where it is absent, and all heads where it is null or
/// `fallback` is 0.
std::int64_t hf_kv_heads(HfKeys& keys, HfNames names, std::int64_t heads, std::int64_t fallback);
/// The activation a name means; `Error` that lists the known ones.
Activation hf_activation(HfKeys& keys, HfNames names, Activation fallback);
/// Rotary base and share of each head, wherever the file keeps them.
void hf_read_rotary(HfKeys& keys, ModelSpec& model);
/// `attention_bias`: queries, keys and values, and the output projection where `output_too`.
void hf_read_attention_bias(HfKeys& keys, ModelSpec& model, bool fallback, bool output_too);
/// A sliding window of `sliding_window` tokens in the layers that `layer_types` names, or in all but every
/// `full_every`-th (0: in all) where the file does not say; `fallback` tokens where the key is absent.
void hf_read_window(HfKeys& keys, ModelSpec& model, std::optional<std::int64_t> fallback,
                    std::int64_t full_every);

/// What `layer_shapes` calls layers of that shape, which is added where the model has none like it.
std::int64_t hf_layer_shape(ModelSpec& model, const LayerShape& shape);

/// Tables of `width`, narrower than the layers, and a projection to them, with a bias where `bias`.
void hf_narrow_embeddings(ModelSpec& model, std::int64_t width, bool bias);

}  // namespace traincost
