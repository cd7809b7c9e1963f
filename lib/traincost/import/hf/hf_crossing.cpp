// Encoder-decoders of speech, and those whose decoder reads the encoder's output in its own attention.
#include <algorithm>
#include <array>

#include "traincost/import/hf/hf_families.hpp"
#include "traincost/import/hf/hf_towers.hpp"

namespace traincost {

namespace {

// Defaults: those of each configuration class in transformers 5.17.

/// One of two stacks must be as wide as the other.
void require_same(HfKeys& k, std::string_view key, std::int64_t fallback, std::int64_t encoder) {
    if (const std::int64_t x = k.integer({key}, fallback); x != encoder) {
        k.fail(key, std::to_string(x) + " but the encoder has " + std::to_string(encoder) +
                        "; only stacks of the same shape are modelled");
    }
}

/// Whisper: two convolutions over the spectrum, positions of both stacks, keys without biases.
ModelSpec read_whisper(HfKeys& k) {
    const std::int64_t heads = k.integer({"encoder_attention_heads", "num_attention_heads"}, 6);
    ModelSpec m = hf_layernorm_decoder(k, k.integer({"encoder_layers", "num_hidden_layers"}, 4),
                                       k.integer({"d_model", "hidden_size"}, 384), heads,
                                       k.integer({"encoder_ffn_dim"}, 1536));
    require_same(k, "decoder_attention_heads", 6, heads);
    require_same(k, "decoder_ffn_dim", 1536, m.ffn);
    m.architecture = Architecture::encoder_decoder;
    m.decoder_layers = k.integer({"decoder_layers"}, 4);
    m.head_dim = hf_head_dim(k, "encoder_attention_heads", m.hidden, heads);
    m.activation = hf_activation(k, {"activation_function"}, Activation::gelu);
    m.vocab = k.integer({"vocab_size"}, 51865);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.max_position = k.integer({"max_target_positions"}, 448);
    m.position.table_rows = *m.max_position + k.integer({"max_source_positions"}, 1500);
    m.bias.qkv = false;
    constexpr std::int64_t of_queries_and_values = 2;
    const std::int64_t attentions = m.layers + 2 * m.decoder_layers;
    m.extra.push_back({"biases of queries and values", of_queries_and_values * attentions * m.hidden});
    constexpr std::int64_t taps = 3;
    m.extra.push_back({"convolutions over the spectrum",
                       taps * m.hidden * (k.integer({"num_mel_bins"}, 80) + m.hidden) + 2 * m.hidden});
    k.assume("the encoder is timed with the sequence's length; a window of 30 seconds is 1500 positions");
    k.ignore({"num_hidden_layers",
              "apply_spec_augment",
              "classifier_proj_size",
              "use_weighted_layer_sum",
              "mask_feature_length",
              "mask_feature_min_masks",
              "mask_feature_prob",
              "mask_time_length",
              "mask_time_min_masks",
              "mask_time_prob",
              "median_filter_width",
              "scale_embedding",
              "init_std",
              "alignment_heads",
              "lang_ids",
              "max_length",
              "decoder_start_token_id",
              "task_ids",
              "forced_decoder_ids",
              "begin_suppress_tokens"});
    return m;
}

/// A stack of Gemma 3's layers, with its shape.
ModelSpec gemma3_stack(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {9216, 8, 4, 256, 262208, 131072, true});
    m.activation = Activation::gelu_tanh;
    m.norm.per_layer = 4;
    m.norm.placement = NormPlacement::sandwich;
    m.norm.qk = QkNorm::per_head;
    m.norm.fp32_scale = true;
    hf_read_attention_bias(k, m, false, true);
    hf_read_window(k, m, 4096, k.maybe({"sliding_window_pattern", "_sliding_window_pattern"}).value_or(6));
    k.ignore({"dropout_rate", "use_bidirectional_attention", "cache_implementation", "is_decoder",
              "cross_attention_hidden_size", "tie_word_embeddings", "attn_logit_softcapping",
              "final_logit_softcapping", "vision_config"});
    return m;
}

/// T5Gemma 2: two Gemma 3 of one shape and one table of embeddings; the decoder's attention reads its own
/// tokens and the encoder's side by side. The encoder sees pictures.
ModelSpec read_t5gemma2(HfKeys& k) {
    HfStacks stacks = hf_stacks(k, "t5gemma2");
    auto text = stacks.encoder.object("text_config");
    HfKeys& read = text ? *text : stacks.encoder;
    const ModelSpec encoder = gemma3_stack(read);
    const ModelSpec decoder = gemma3_stack(stacks.decoder);
    read.finish();
    stacks.decoder.finish();
    ModelSpec m = hf_joined_stacks(k, encoder, decoder);
    m.merged_cross_attention = true;
    m.vocab = k.integer({"vocab_size"}, m.vocab);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.extra.push_back({"end-of-image embedding", m.hidden});
    if (auto towers = hf_towers(stacks.encoder.node(), "gemma3", m.hidden)) {
        m.towers = std::move(*towers);
    }
    k.ignore({"classifier_dropout_rate", "dropout_rate", "attention_dropout", "image_token_index",
              "eoi_token_index"});
    return m;
}

constexpr std::array crossing_readers = std::to_array<HfReader>({
    {"t5gemma2", read_t5gemma2},
    {"whisper", read_whisper},
});

}  // namespace

std::span<const HfReader> hf_crossing_readers() {
    return crossing_readers;
}

}  // namespace traincost
