#include <array>

#include "traincost/import/hf/hf_families.hpp"

namespace traincost {

namespace {

// Defaults are those of each configuration class in Hugging Face transformers 4.57 (configuration_*.py), or
// of the configuration file that a repository brings along for classes outside it.

ModelSpec read_llama(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 32000, 2048, false});
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    return m;
}

ModelSpec read_mistral(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {14336, 32, 8, 0, 32000, 131072, false});
    hf_read_window(k, m, 4096, 0);
    return m;
}

/// Qwen 1: `intermediate_size` is gate and up together; only queries, keys and values have biases.
ModelSpec read_qwen(HfKeys& k) {
    const std::int64_t channels = k.integer({"kv_channels"}, 128);
    const std::int64_t both = k.integer({"intermediate_size"}, 22016, 2);
    if (both % 2 != 0) {
        k.fail("intermediate_size", std::to_string(both) + "; must be even: it holds gate and up");
    }
    ModelSpec m = hf_rotary_decoder(k, {both, 32, 0, channels, 151936, 8192, false});
    m.head_dim = channels;
    m.ffn = both / 2;
    m.bias.qkv = true;
    if (!k.flag({"no_bias"}, true)) {
        m.bias.attention_out = true;
        m.bias.mlp = true;
    }
    k.ignore({"seq_length", "num_key_value_heads"});
    return m;
}

/// Qwen 2 uses a window only where asked to, in the layers from `max_window_layers` on.
void read_qwen_window(HfKeys& k, ModelSpec& m) {
    k.ignore({"sliding_window", "max_window_layers", "layer_types", "dual_chunk_attention_config"});
    if (!k.flag({"use_sliding_window"}, false)) {
        return;
    }
    const std::int64_t first = k.maybe({"max_window_layers"}, 0).value_or(m.layers);
    if (first >= m.layers) {
        return;
    }
    if (first > 0) {
        k.assume("layers from " + std::to_string(first) +
                 " on have a sliding window; all are taken to attend to all tokens");
        return;
    }
    hf_read_window(k, m, 4096, 0);
}

ModelSpec read_qwen2(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {22016, 32, 32, 0, 151936, 32768, false});
    m.bias.qkv = true;
    k.ignore({"attention_bias", "qkv_bias"});
    read_qwen_window(k, m);
    return m;
}

/// The vision encoder's keys of Qwen-VL stand beside the decoder's; they are not read.
ModelSpec read_qwen2_vl(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {29568, 64, 8, 0, 152064, 32768, false});
    m.bias.qkv = true;
    k.ignore({"vision_config"});
    read_qwen_window(k, m);
    return m;
}

ModelSpec read_qwen3(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {22016, 32, 32, 128, 151936, 32768, false});
    m.norm.qk = QkNorm::per_head;
    hf_read_attention_bias(k, m, false, true);
    read_qwen_window(k, m);
    return m;
}

ModelSpec read_gemma(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {24576, 16, 16, 256, 256000, 8192, true});
    m.activation = Activation::gelu_tanh;
    m.norm.fp32_scale = true;
    hf_read_attention_bias(k, m, false, true);
    k.ignore({"num_image_tokens", "use_bidirectional_attention"});
    return m;
}

/// Whether a tanh bounds what `key` caps: null means it doesn't, and a class's own default where it is
/// absent.
bool soft_capped(HfKeys& k, std::string_view key, bool by_default) {
    return k.has(key) ? k.number({key}).has_value() : by_default;
}

void sandwich(ModelSpec& m) {
    m.norm.per_layer = 4;
    m.norm.placement = NormPlacement::sandwich;
}

ModelSpec read_gemma2(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {9216, 8, 4, 256, 256000, 8192, true});
    m.activation = Activation::gelu_tanh;
    sandwich(m);
    m.norm.fp32_scale = true;
    m.attention_softcap = soft_capped(k, "attn_logit_softcapping", true);
    m.logits_softcap = soft_capped(k, "final_logit_softcapping", true);
    hf_read_attention_bias(k, m, false, true);
    hf_read_window(k, m, 4096, 2);
    k.ignore({"cache_implementation"});
    return m;
}

ModelSpec read_gemma3(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {9216, 8, 4, 256, 262208, 131072, true});
    m.activation = Activation::gelu_tanh;
    sandwich(m);
    m.norm.qk = QkNorm::per_head;
    m.norm.fp32_scale = true;
    m.attention_softcap = soft_capped(k, "attn_logit_softcapping", false);
    m.logits_softcap = soft_capped(k, "final_logit_softcapping", false);
    hf_read_attention_bias(k, m, false, true);
    const std::int64_t period = k.maybe({"sliding_window_pattern", "_sliding_window_pattern"}).value_or(6);
    hf_read_window(k, m, 4096, period);
    k.ignore({"cache_implementation", "use_bidirectional_attention"});
    return m;
}

/// MiMo: Qwen 2 with modules that predict further tokens.
ModelSpec read_mimo(HfKeys& k) {
    ModelSpec m = read_qwen2(k);
    if (const auto modules = k.maybe({"num_nextn_predict_layers"}, 0); modules && *modules > 0) {
        m.mtp = MtpSpec{.layers = *modules, .embedding_copy = false, .head_copy = false};
        k.assume("the multi-token-prediction module is not part of the totals");
    }
    return m;
}

/// Orion: LLaMA with LayerNorms.
ModelSpec read_orion(HfKeys& k) {
    ModelSpec m = read_llama(k);
    m.norm.kind = NormKind::layernorm;
    m.norm.bias = true;
    k.ignore({"pretraining_tp"});
    return m;
}

/// EuroBERT: LLaMA's blocks, each token seeing all.
ModelSpec read_eurobert(HfKeys& k) {
    ModelSpec m = read_llama(k);
    m.architecture = Architecture::encoder;
    m.lm_head = false;
    m.tied_embeddings = true;
    k.assume("the masked-language-model head is not counted");
    k.ignore({"clf_pooling", "classifier_pooling", "mask_token_id"});
    return m;
}

/// T5Gemma: two Gemma 2 of one shape, the second with attention to the first between norms of its own; each
/// has its table of embeddings, the second's is the head.
ModelSpec read_t5gemma(HfKeys& k) {
    HfStacks stacks = hf_stacks(k, "t5gemma");
    stacks.decoder.ignore({"cross_attention_hidden_size"});
    const ModelSpec encoder = read_gemma2(stacks.encoder);
    const ModelSpec decoder = read_gemma2(stacks.decoder);
    for (HfKeys* each : {&stacks.encoder, &stacks.decoder}) {
        each->ignore({"is_decoder", "dropout_rate", "is_encoder_decoder", "tie_word_embeddings"});
        each->finish();
    }
    ModelSpec m = hf_joined_stacks(k, encoder, decoder);
    m.vocab = k.integer({"vocab_size"}, m.vocab);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.extra.push_back({"embeddings of the encoder", m.vocab * m.hidden});
    m.extra.push_back({"norms after attention to the encoder", m.decoder_layers * m.hidden});
    k.ignore({"classifier_dropout_rate", "dropout_rate", "attention_dropout"});
    return m;
}

ModelSpec read_phi3(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {8192, 32, 0, 0, 32064, 4096, false});
    m.fused_qkv = true;
    hf_read_window(k, m, std::nullopt, 0);
    k.ignore({"original_max_position_embeddings", "full_attn_mod", "interpolate_factor"});
    if (k.flag({"attention_bias"}, false)) {
        k.fail("attention_bias", "is true; a phi3 has no biases");
    }
    return m;
}

/// The decoder of Phi-4-multimodal, whose towers' keys stand beside its own.
ModelSpec read_phi4_multimodal(HfKeys& k) {
    ModelSpec m = read_phi3(k);
    k.ignore({"vision_config", "audio_config", "vision_lora", "speech_lora", "embd_layer", "img_processor",
              "audio_processor", "mlp_bias"});
    if (k.has("vision_lora") || k.has("speech_lora")) {
        k.assume("adapters of the decoder for pictures and speech are not counted");
    }
    return m;
}

/// Phi-3-small: LayerNorms, biases everywhere, block-sparse attention in all but every n-th layer.
ModelSpec read_phi3small(HfKeys& k) {
    k.ignore({"intermediate_size"});
    const std::int64_t ffn = k.integer({"ff_intermediate_size"}, 14336);
    ModelSpec m = hf_rotary_decoder(k, {ffn, 32, 8, 0, 100352, 8192, true});
    m.ffn = ffn;
    m.activation = hf_activation(k, {"hidden_act"}, Activation::gegelu);
    m.norm.kind = NormKind::layernorm;
    m.norm.bias = true;
    m.bias = {.qkv = true, .attention_out = true, .mlp = true, .lm_head = false};
    m.window = WindowSpec{.kind = WindowKind::block_sparse,
                          .size = std::nullopt,
                          .full_every = k.maybe({"dense_attention_every_n_layers"}, 0).value_or(2)};
    k.ignore({"blocksparse_block_size", "blocksparse_homo_head_pattern", "blocksparse_num_local_blocks",
              "blocksparse_triton_kernel_block_size", "blocksparse_vert_stride", "gegelu_limit",
              "gegelu_pad_to_256", "mup_attn_multiplier", "mup_embedding_multiplier", "mup_use_scaling",
              "mup_width_multiplier", "dummy_token_indices"});
    return m;
}

ModelSpec read_granite(HfKeys& k) {
    return read_llama(k);
}

ModelSpec read_stablelm(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {6912, 32, 32, 0, 50304, 4096, false});
    m.norm.kind = NormKind::layernorm;
    m.norm.bias = true;
    m.bias.qkv = k.flag({"use_qkv_bias"}, false);
    if (k.flag({"qk_layernorm"}, false)) {
        m.norm.qk = QkNorm::full;
        m.norm.qk_bias = false;
    }
    m.parallel_attention = k.flag({"use_parallel_residual"}, false);
    m.norm.per_layer = m.parallel_attention ? 1 : 2;
    if (!k.has("partial_rotary_factor") && !k.has("rope_pct") && !k.has("rope_parameters")) {
        m.position.rope_fraction = 0.25;
    }
    return m;
}

ModelSpec read_starcoder2(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {12288, 24, 2, 0, 49152, 4096, true});
    m.gated_mlp = false;
    m.activation = hf_activation(k, {"hidden_act"}, Activation::gelu_tanh);
    m.norm.kind = NormKind::layernorm;
    m.norm.bias = true;
    const bool bias = k.flag({"use_bias"}, true);
    m.bias.qkv = m.bias.attention_out = m.bias.mlp = bias;
    k.ignore({"norm_type", "mlp_type"});
    hf_read_window(k, m, std::nullopt, 0);
    return m;
}

ModelSpec read_olmo(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 50304, 2048, false});
    m.norm.kind = NormKind::nonparametric;
    hf_read_attention_bias(k, m, false, true);
    return m;
}

ModelSpec read_olmo2(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 50304, 2048, false});
    m.norm.qk = QkNorm::full;
    m.norm.placement = NormPlacement::post;
    m.norm.fp32_scale = true;
    hf_read_attention_bias(k, m, false, true);
    return m;
}

ModelSpec read_olmo3(HfKeys& k) {
    ModelSpec m = read_olmo2(k);
    hf_read_window(k, m, 4096, 4);
    return m;
}

void cohere_norm(ModelSpec& m) {
    m.norm.kind = NormKind::layernorm;
    m.norm.per_layer = 1;
    m.norm.fp32_scale = true;
    m.parallel_attention = true;
}

ModelSpec read_cohere(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {22528, 64, 0, 0, 256000, 8192, true});
    cohere_norm(m);
    if (k.flag({"use_qk_norm"}, false)) {
        m.norm.qk = QkNorm::full;
    }
    hf_read_attention_bias(k, m, false, true);
    k.ignore({"model_max_length", "use_parallel_block", "use_parallel_embedding"});
    return m;
}

ModelSpec read_cohere2(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {22528, 64, 0, 0, 256000, 8192, true});
    cohere_norm(m);
    hf_read_attention_bias(k, m, false, true);
    k.ignore({"position_embedding_type", "order_of_interleaved_layers", "rotary_pct", "use_embedding_sharing",
              "use_gated_activation", "use_parallel_block", "use_parallel_embedding", "use_qk_norm",
              "layer_switch", "cache_implementation", "head_dim"});
    const std::int64_t period =
        k.maybe({"sliding_window_pattern", "_sliding_window_pattern", "layer_switch"}).value_or(4);
    hf_read_window(k, m, 4096, period);
    return m;
}

ModelSpec read_glm(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {13696, 32, 2, 128, 151552, 131072, false});
    hf_read_attention_bias(k, m, true, false);
    if (!k.has("partial_rotary_factor") && !k.has("rope_parameters")) {
        m.position.rope_fraction = 0.5;
    }
    return m;
}

ModelSpec read_glm4(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {13696, 32, 2, 128, 151552, 131072, false});
    hf_read_attention_bias(k, m, false, false);
    sandwich(m);
    if (!k.has("partial_rotary_factor") && !k.has("rope_parameters")) {
        m.position.rope_fraction = 0.5;
    }
    return m;
}

/// The decoder of GLM-4V: GLM-4's, with biases of queries, keys and values.
ModelSpec read_glm4v(HfKeys& k) {
    const bool biased = k.flag({"attention_bias"}, true);
    ModelSpec m = read_glm4(k);
    m.head_dim = k.has("head_dim") ? m.head_dim : hf_head_dim(k, "num_attention_heads", m.hidden, m.heads);
    m.bias.qkv = biased;
    return m;
}

/// The decoder of GLM-OCR: GLM-4's with plain rotation and heads as wide as hidden over heads.
ModelSpec read_glm_ocr(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {4096, 16, 8, 0, 59392, 131072, false});
    hf_read_attention_bias(k, m, false, false);
    sandwich(m);
    return m;
}

/// ChatGLM 2, 3 and GLM-4 under their first names.
ModelSpec read_chatglm(HfKeys& k) {
    const std::int64_t hidden = k.required({"hidden_size"});
    const std::int64_t heads = k.integer({"num_attention_heads"}, 32);
    ModelSpec m{.name = k.type(),
                .family = k.type(),
                .architecture = Architecture::decoder,
                .layers = k.required({"num_layers"}),
                .hidden = hidden,
                .heads = heads,
                .kv_heads = heads,
                .head_dim = k.integer({"kv_channels"}, 128),
                .ffn = k.integer({"ffn_hidden_size"}, 13696),
                .gated_mlp = true,
                .activation = Activation::silu,
                .vocab = k.integer({"padded_vocab_size"}, 65024),
                .tied_embeddings = k.flag({"tie_word_embeddings"}, false),
                .position = {.kind = PositionKind::rope, .rope_fraction = 0.5},
                .norm = {.kind = k.flag({"rmsnorm"}, true) ? NormKind::rmsnorm : NormKind::layernorm,
                         .bias = false,
                         .per_layer = 2,
                         .final_norm = k.flag({"post_layer_norm"}, true),
                         .embedding_norm = false,
                         .qk = QkNorm::none,
                         .placement = NormPlacement::pre},
                .bias = {.qkv = false, .attention_out = false, .mlp = false, .lm_head = false}};
    m.norm.bias = m.norm.kind == NormKind::layernorm;
    const bool bias = k.flag({"add_bias_linear"}, false);
    m.bias.qkv = bias || k.flag({"add_qkv_bias"}, false);
    m.bias.attention_out = m.bias.mlp = bias;
    if (k.flag({"multi_query_attention"}, false)) {
        m.kv_heads = k.integer({"multi_query_group_num"}, 1);
    }
    m.max_position = k.maybe({"seq_length"});
    k.ignore({"vocab_size", "multi_query_group_num", "apply_residual_connection_post_layernorm",
              "num_hidden_layers", "apply_query_key_layer_scaling", "fp32_residual_connection", "rope_ratio",
              "pre_seq_len"});
    return m;
}

ModelSpec read_internlm(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 103168, 2048, false});
    m.bias.qkv = m.bias.attention_out = k.flag({"bias"}, true);
    k.ignore({"rotary"});
    return m;
}

ModelSpec read_internlm3(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 128512, 32768, false});
    const bool bias = k.flag({"bias"}, false);
    m.bias.qkv = k.flag({"qkv_bias"}, false);
    m.bias.attention_out = m.bias.mlp = bias;
    return m;
}

/// The 13B models know no `max_position_embeddings`: they use ALiBi.
ModelSpec read_baichuan(HfKeys& k) {
    const bool alibi = !k.has("max_position_embeddings");
    if (alibi) {
        k.ignore({"max_position_embeddings"});
    }
    const std::int64_t positions = k.maybe({"model_max_length"}).value_or(4096);
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 64000, positions, false});
    if (alibi) {
        m.position = {.kind = PositionKind::alibi};
    }
    return m;
}

ModelSpec read_minicpm(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 32000, 2048, true});
    hf_read_attention_bias(k, m, false, true);
    k.ignore({"sparse_config"});
    if (const auto experts = k.maybe({"num_experts"}, 0); experts && *experts > 0) {
        m.moe = MoeSpec{.experts = *experts, .top_k = k.required({"num_experts_per_tok"}), .ffn = m.ffn};
    }
    return m;
}

/// MiniCPM 3 has the latent attention of DeepSeek-V2; values are hidden / heads wide.
ModelSpec read_minicpm3(HfKeys& k) {
    const std::int64_t hidden = k.required({"hidden_size"});
    const std::int64_t heads = k.integer({"num_attention_heads"}, 32);
    const std::int64_t nope = k.integer({"qk_nope_head_dim"}, 64);
    const std::int64_t rotary = k.integer({"qk_rope_head_dim"}, 32);
    const auto values = k.maybe({"v_head_dim"});
    k.ignore({"head_dim"});
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, nope + rotary, 32000, 2048, true});
    m.head_dim = nope + rotary;
    m.kv_heads = heads;
    k.ignore({"qk_head_dim"});
    m.mla = MlaSpec{.q_lora_rank = k.integer({"q_lora_rank"}, 768),
                    .kv_lora_rank = k.integer({"kv_lora_rank"}, 256),
                    .qk_nope_dim = nope,
                    .qk_rope_dim = rotary,
                    .v_head_dim = values ? *values : hf_head_dim(k, "num_attention_heads", hidden, heads)};
    hf_read_attention_bias(k, m, false, true);
    return m;
}

ModelSpec read_smollm3(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 16, 4, 0, 128256, 32768, true});
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    m.position.nope_every = k.maybe({"no_rope_layer_interval"}, 0).value_or(4);
    k.ignore({"no_rope_layers", "use_sliding_window", "max_window_layers"});
    if (k.flag({"use_sliding_window"}, false)) {
        hf_read_window(k, m, std::nullopt, 0);
    } else {
        k.ignore({"sliding_window", "layer_types"});
    }
    return m;
}

ModelSpec read_nemotron(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {24576, 48, 0, 0, 256000, 4096, false});
    m.gated_mlp = false;
    m.activation = hf_activation(k, {"hidden_act"}, Activation::squared_relu);
    m.norm.kind = NormKind::layernorm;
    m.norm.bias = true;
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    if (!k.has("partial_rotary_factor") && !k.has("rope_percent") && !k.has("rope_parameters")) {
        m.position.rope_fraction = 0.5;
    }
    return m;
}

ModelSpec read_arcee(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {18432, 32, 0, 0, 32000, 4096, false});
    m.gated_mlp = false;
    m.activation = hf_activation(k, {"hidden_act"}, Activation::squared_relu);
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    return m;
}

ModelSpec read_persimmon(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {16384, 64, 0, 0, 262144, 16384, false});
    m.gated_mlp = false;
    m.activation = hf_activation(k, {"hidden_act"}, Activation::squared_relu);
    m.norm.kind = NormKind::layernorm;
    m.norm.bias = true;
    m.bias = {.qkv = true, .attention_out = true, .mlp = true, .lm_head = false};
    if (k.flag({"qk_layernorm"}, true)) {
        m.norm.qk = QkNorm::per_head;
    }
    if (!k.has("partial_rotary_factor") && !k.has("rope_parameters")) {
        m.position.rope_fraction = 0.5;
    }
    return m;
}

/// EXAONE 3 under the names of its own repository.
ModelSpec read_exaone(HfKeys& k) {
    const std::int64_t hidden = k.required({"hidden_size"});
    const std::int64_t heads = k.integer({"num_attention_heads"}, 32);
    ModelSpec m{.name = k.type(),
                .family = k.type(),
                .architecture = Architecture::decoder,
                .layers = k.required({"num_layers", "num_hidden_layers"}),
                .hidden = hidden,
                .heads = heads,
                .kv_heads = hf_kv_heads(k, {"num_key_value_heads"}, heads, 0),
                .head_dim = 0,
                .ffn = k.integer({"intermediate_size"}, 4 * hidden),
                .gated_mlp = true,
                .activation = hf_activation(k, {"activation_function"}, Activation::silu),
                .vocab = k.integer({"vocab_size"}, 102400),
                .tied_embeddings = k.flag({"tie_word_embeddings"}, true),
                .position = {.kind = PositionKind::rope},
                .norm = {.kind = NormKind::rmsnorm,
                         .bias = false,
                         .per_layer = 2,
                         .final_norm = true,
                         .embedding_norm = false,
                         .qk = QkNorm::none,
                         .placement = NormPlacement::pre},
                .bias = {.qkv = false, .attention_out = false, .mlp = false, .lm_head = false}};
    const auto head_dim = k.maybe({"head_dim"});
    m.head_dim = head_dim ? *head_dim : hf_head_dim(k, "num_attention_heads", hidden, heads);
    m.max_position = k.maybe({"max_position_embeddings"});
    hf_read_rotary(k, m);
    return m;
}

ModelSpec read_exaone4(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {16384, 32, 32, 0, 102400, 2048, false});
    m.norm.qk = QkNorm::per_head;
    m.norm.placement = NormPlacement::post;
    std::int64_t period = 4;
    if (const auto pattern = k.find({"sliding_window_pattern"})) {
        period =
            pattern->is_string() ? static_cast<std::int64_t>(pattern->string().size()) : pattern->integer(1);
    }
    hf_read_window(k, m, 4096, period);
    return m;
}

ModelSpec read_ernie(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {3072, 16, 2, 128, 103424, 131072, true});
    const bool bias = k.flag({"use_bias"}, false);
    m.bias.qkv = m.bias.attention_out = m.bias.mlp = bias;
    k.ignore({"head_dim", "weight_share_add_bias", "max_sequence_length", "use_rmsnorm"});
    return m;
}

ModelSpec read_hunyuan(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 290943, 2048, false});
    hf_read_attention_bias(k, m, false, true);
    m.norm.qk = k.flag({"use_qk_norm"}, true) ? QkNorm::per_head : QkNorm::none;
    k.ignore({"org_vocab_size",    "class_num",
              "pool_type",         "cla_share_factor",
              "mask_init_id",      "mlp_bias",
              "norm_type",         "num_experts",
              "moe_topk",          "moe_intermediate_size",
              "num_shared_expert", "moe_layer_num_skipped",
              "kv_lora_rank",      "q_lora_rank",
              "qk_nope_head_dim",  "qk_rope_head_dim",
              "v_head_dim",        "position_embedding_xdrope",
              "xdrope_section",    "group_limited_greedy"});
    return m;
}

ModelSpec read_seed_oss(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {27648, 80, 8, 128, 155136, 524288, false});
    m.bias.qkv = k.flag({"attention_bias"}, true);
    m.bias.attention_out = k.flag({"attention_out_bias"}, false);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    return m;
}

/// Each layer's xIELU activation learns two numbers.
ModelSpec read_apertus(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {14336, 32, 0, 0, 131072, 65536, false});
    m.gated_mlp = false;
    m.activation = hf_activation(k, {"hidden_act"}, Activation::xielu);
    m.norm.qk = QkNorm::per_head;
    hf_read_attention_bias(k, m, false, true);
    k.ignore({"mlp_bias", "post_norm", "qk_norm"});
    if (m.activation == Activation::xielu) {
        m.extra.push_back({"xIELU alpha_p and alpha_n of every layer", 2 * m.layers});
    }
    return m;
}

ModelSpec read_helium(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {7040, 20, 20, 128, 48000, 4096, false});
    hf_read_attention_bias(k, m, false, false);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    return m;
}

constexpr std::array llama_readers = std::to_array<HfReader>({
    {"apertus", read_apertus},
    {"arcee", read_arcee},
    {"baichuan", read_baichuan},
    {"chatglm", read_chatglm},
    {"cohere", read_cohere},
    {"cohere2", read_cohere2},
    {"ernie4_5", read_ernie},
    {"exaone", read_exaone},
    {"exaone4", read_exaone4},
    {"exaone4_5_text", read_exaone4},
    {"Dream", read_qwen2},
    {"aquila", read_llama},
    {"eurobert", read_eurobert},
    {"gemma", read_gemma},
    {"gemma2", read_gemma2},
    {"gemma3_text", read_gemma3},
    {"glm", read_glm},
    {"glm4", read_glm4},
    {"glm4v_text", read_glm4v},
    {"glm_ocr_text", read_glm_ocr},
    {"granite", read_granite},
    {"helium", read_helium},
    {"hunyuan_v1_dense", read_hunyuan},
    {"internlm", read_internlm},
    {"internlm2", read_internlm},
    {"internlm3", read_internlm3},
    {"llama", read_llama},
    {"mimo", read_mimo},
    {"minicpm", read_minicpm},
    {"minicpm3", read_minicpm3},
    {"mistral", read_mistral},
    {"nemotron", read_nemotron},
    {"olmo", read_olmo},
    {"olmo2", read_olmo2},
    {"olmo3", read_olmo3},
    {"orion", read_orion},
    {"paddleocr_vl_text", read_ernie},
    {"persimmon", read_persimmon},
    {"phi3", read_phi3},
    {"phi3small", read_phi3small},
    {"phi4_multimodal", read_phi4_multimodal},
    {"phi4mm", read_phi4_multimodal},
    {"qwen", read_qwen},
    {"qwen2", read_qwen2},
    {"qwen2_5_omni_text", read_qwen2_vl},
    {"qwen2_5_vl", read_qwen2_vl},
    {"qwen2_5_vl_text", read_qwen2_vl},
    {"qwen2_vl", read_qwen2_vl},
    {"qwen2_vl_text", read_qwen2_vl},
    {"qwen3", read_qwen3},
    {"qwen3_vl_text", read_qwen3},
    {"seed_oss", read_seed_oss},
    {"smollm3", read_smollm3},
    {"stablelm", read_stablelm},
    {"stablelm_epoch", read_stablelm},
    {"starcoder2", read_starcoder2},
    {"t5gemma", read_t5gemma},
    {"xverse", read_llama},
    {"yi", read_llama},
    {"Yi", read_llama},
});

}  // namespace

std::span<const HfReader> hf_llama_readers() {
    return llama_readers;
}

}  // namespace traincost
