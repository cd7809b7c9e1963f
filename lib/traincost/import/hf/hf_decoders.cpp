// Decoders that differ from LLaMA or GPT in a norm, a gate or a table.
#include <array>

#include "traincost/import/hf/hf_families.hpp"

namespace traincost {

namespace {

// Defaults: those of each configuration class in transformers 5.17.

/// Norms of attention's output and of the MLP's inner activations.
ModelSpec read_bitnet(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {6912, 20, 5, 0, 128256, 2048, false});
    m.activation = hf_activation(k, {"hidden_act"}, Activation::squared_relu);
    hf_read_attention_bias(k, m, false, true);
    m.extra.push_back({"norms inside attention and MLP", m.layers * (m.heads * m.head_dim + m.ffn)});
    k.assume("weights are trained in 16 bits or more; ternary weights are those of inference");
    return m;
}

/// Two softmaxes a head, whose difference four small vectors weigh.
ModelSpec read_diffllama(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {8192, 32, 0, 0, 32000, 2048, false});
    hf_read_attention_bias(k, m, false, true);
    m.extra.push_back({"weights of the second softmax", 4 * m.layers * m.head_dim});
    k.assume("the second softmax of each head is not modelled in time");
    k.ignore({"num_diff_heads"});
    return m;
}

/// Granite with a window and learned sinks in each layer.
void add_granite_window(HfKeys& k, ModelSpec& m) {
    m.attention_sinks = m.heads;
    hf_read_window(k, m, 128, 4);
    k.ignore({"layer_rope_theta"});
}

ModelSpec read_granite_swa(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {8192, 20, 4, 0, 100352, 8192, true});
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    add_granite_window(k, m);
    return m;
}

ModelSpec read_granitemoe_swa(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 32000, 2048, false});
    hf_read_attention_bias(k, m, false, true);
    m.moe = MoeSpec{.experts = k.integer({"num_local_experts", "num_experts"}, 8),
                    .top_k = k.integer({"num_experts_per_tok"}, 2),
                    .ffn = m.ffn};
    m.moe->shared_ffn = k.integer({"shared_intermediate_size"}, 0, 0);
    m.moe->shared_experts = m.moe->shared_ffn > 0 ? 1 : 0;
    add_granite_window(k, m);
    return m;
}

ModelSpec read_hyperclovax(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 32000, 2048, false});
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    if (k.flag({"use_post_norm"}, true)) {
        m.norm.per_layer = 4;
        m.norm.placement = NormPlacement::sandwich;
    }
    return m;
}

ModelSpec read_jais2(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {26624, 26, 0, 0, 150272, 8192, false});
    m.gated_mlp = false;
    m.activation = hf_activation(k, {"hidden_act"}, Activation::squared_relu);
    m.norm.kind = NormKind::layernorm;
    m.norm.bias = true;
    hf_read_attention_bias(k, m, true, true);
    m.bias.mlp = k.flag({"mlp_bias"}, true);
    return m;
}

/// Norms without weights; queries and keys are normed after their rotation.
ModelSpec read_nanochat(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {8192, 6, 0, 0, 50304, 2048, false});
    m.gated_mlp = false;
    m.activation = hf_activation(k, {"hidden_act"}, Activation::squared_relu);
    m.norm.kind = NormKind::nonparametric;
    m.logits_softcap = !k.has("final_logit_softcapping") || k.number({"final_logit_softcapping"}).has_value();
    hf_read_attention_bias(k, m, false, true);
    return m;
}

ModelSpec read_mellum(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {7168, 32, 4, 128, 98304, 131072, false});
    m.norm.qk = QkNorm::per_head;
    hf_read_attention_bias(k, m, false, true);
    hf_read_window(k, m, 1024, 4);
    m.moe = MoeSpec{.experts = k.integer({"num_experts", "num_local_experts"}, 64),
                    .top_k = k.integer({"num_experts_per_tok"}, 8),
                    .ffn = k.integer({"moe_intermediate_size"}, 896)};
    if (const auto types = k.per_layer_names("mlp_layer_types", m.layers)) {
        for (const std::string& type : *types) {
            if (type != "dense" && type != "sparse") {
                k.fail("mlp_layer_types", "'" + type + "' is neither dense nor sparse");
            }
            m.feeds.push_back(type == "sparse" ? Feed::experts : Feed::dense);
        }
    }
    return m;
}

/// Cohere's parallel block with experts in place of its MLP.
ModelSpec read_cohere2_moe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {22528, 64, 0, 128, 256000, 8192, true});
    m.norm.kind = NormKind::layernorm;
    m.norm.per_layer = 1;
    m.norm.fp32_scale = true;
    m.parallel_attention = true;
    hf_read_attention_bias(k, m, false, true);
    const std::int64_t period = k.maybe({"sliding_window_pattern"}).value_or(4);
    hf_read_window(k, m, 4096, period);
    m.moe = MoeSpec{.experts = k.integer({"num_experts"}, 8),
                    .top_k = k.integer({"num_experts_per_tok"}, 2),
                    .ffn = m.ffn};
    m.moe->shared_experts = k.integer({"num_shared_experts"}, 0, 0);
    m.moe->shared_ffn = m.moe->shared_experts * m.moe->ffn;
    m.moe->first_k_dense = k.integer({"first_k_dense_replace"}, 0, 0);
    if (m.moe->first_k_dense > 0) {
        m.ffn = k.integer({"prefix_dense_intermediate_size"}, m.ffn);
    }
    k.ignore({"mlp_layer_types", "prefix_dense_sliding_window_pattern", "prefix_dense_intermediate_size",
              "expert_selection_fn", "shared_expert_combination_strategy", "logit_scale"});
    return m;
}

/// The decoder of Aria: experts and shared experts of one width in every layer.
ModelSpec read_aria_text(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {4096, 32, 0, 0, 32000, 2048, false});
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    const std::int64_t width = k.maybe({"moe_intermediate_size"}).value_or(m.ffn);
    m.moe = MoeSpec{
        .experts = k.integer({"moe_num_experts"}, 8), .top_k = k.integer({"moe_topk"}, 2), .ffn = width};
    m.moe->shared_experts = k.integer({"moe_num_shared_experts"}, 2, 0);
    m.moe->shared_ffn = m.moe->shared_experts * width;
    k.ignore({"moe_z_loss_coeff", "moe_aux_loss_coeff"});
    return m;
}

/// Doge: weighted residuals, and a mask that each key-value head computes of its values.
ModelSpec read_doge(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {2048, 8, 0, 0, 32768, 2048, false});
    m.norm.qk = QkNorm::per_head;
    const bool biased = k.flag({"attention_bias"}, false);
    m.bias.qkv = m.bias.attention_out = biased;
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    if (k.flag({"is_moe"}, false)) {
        k.fail("is_moe", "is true; retrieved experts are not modelled");
    }
    hf_read_window(k, m, std::nullopt, 0);
    const std::int64_t masks = m.kv_heads * (m.kv_heads * m.head_dim + (biased ? 2 : 1));
    m.extra.push_back({"masks of the values", m.layers * masks});
    m.extra.push_back({"weights of the residuals", m.layers * 2 * m.hidden});
    k.assume("attention is taken as dense: what the masks leave out depends on the values");
    k.ignore({"keep_window_size", "num_experts", "num_experts_per_tok", "norm_topk_prob",
              "router_aux_loss_coef", "output_router_logits", "expert_retrieval_size", "num_cdmoe_experts",
              "num_cdmoe_heads", "num_cdmoe_experts_per_head", "dynamic_mask_ratio"});
    return m;
}

ModelSpec read_biogpt(HfKeys& k) {
    const std::int64_t hidden = k.integer({"hidden_size"}, 1024);
    const std::int64_t heads = k.integer({"num_attention_heads"}, 16);
    ModelSpec m = hf_layernorm_decoder(k, k.integer({"num_hidden_layers"}, 24), hidden, heads,
                                       k.integer({"intermediate_size"}, 4096));
    m.head_dim = hf_head_dim(k, "num_attention_heads", hidden, heads);
    m.activation = hf_activation(k, {"hidden_act"}, Activation::gelu);
    m.vocab = k.integer({"vocab_size"}, 42384);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.max_position = k.integer({"max_position_embeddings"}, 1024);
    constexpr std::int64_t offset = 2;  // rows before position 0
    m.position.table_rows = *m.max_position + offset;
    return m;
}

/// Positions are sines, which are not stored.
ModelSpec read_xglm(HfKeys& k) {
    const std::int64_t hidden = k.integer({"d_model", "hidden_size"}, 1024);
    const std::int64_t heads = k.integer({"attention_heads", "num_attention_heads"}, 16);
    ModelSpec m = hf_layernorm_decoder(k, k.integer({"num_layers", "num_hidden_layers"}, 24), hidden, heads,
                                       k.integer({"ffn_dim"}, 4096));
    m.head_dim = hf_head_dim(k, "attention_heads", hidden, heads);
    m.activation = hf_activation(k, {"activation_function"}, Activation::gelu);
    m.vocab = k.integer({"vocab_size"}, 256008);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.max_position = k.integer({"max_position_embeddings"}, 2048);
    m.position.kind = PositionKind::none;
    return m;
}

/// CTRL: sines, two LayerNorms before their parts, a head with a bias of its own.
ModelSpec read_ctrl(HfKeys& k) {
    const std::int64_t hidden = k.integer({"n_embd", "hidden_size"}, 1280);
    const std::int64_t heads = k.integer({"n_head", "num_attention_heads"}, 16);
    ModelSpec m = hf_layernorm_decoder(k, k.integer({"n_layer", "num_hidden_layers"}, 48), hidden, heads,
                                       k.integer({"dff"}, 8192));
    m.head_dim = hf_head_dim(k, "n_head", hidden, heads);
    m.activation = Activation::relu;
    m.vocab = k.integer({"vocab_size"}, 246534);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.bias.lm_head = true;
    m.max_position = k.integer({"n_positions", "max_position_embeddings"}, 256);
    m.position.kind = PositionKind::none;
    return m;
}

/// No biases but the last layer's, after attention.
ModelSpec read_gpt_neox_japanese(HfKeys& k) {
    const std::int64_t hidden = k.integer({"hidden_size"}, 2560);
    const std::int64_t heads = k.integer({"num_attention_heads"}, 32);
    const std::int64_t multiple = k.integer({"intermediate_multiple_size"}, 4);
    ModelSpec m =
        hf_layernorm_decoder(k, k.integer({"num_hidden_layers"}, 32), hidden, heads, multiple * hidden);
    m.head_dim = hf_head_dim(k, "num_attention_heads", hidden, heads);
    m.activation = hf_activation(k, {"hidden_act"}, Activation::gelu);
    m.fused_qkv = true;
    m.bias = {.qkv = false, .attention_out = false, .mlp = false, .lm_head = false};
    m.vocab = k.integer({"vocab_size"}, 32000);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.max_position = k.integer({"max_position_embeddings"}, 2048);
    m.position.kind = PositionKind::rope;
    hf_read_rotary(k, m);
    m.extra.push_back({"bias after the last attention", hidden});
    return m;
}

constexpr std::array decoder_readers = std::to_array<HfReader>({
    {"aria_text", read_aria_text},
    {"biogpt", read_biogpt},
    {"bitnet", read_bitnet},
    {"cohere2_moe", read_cohere2_moe},
    {"ctrl", read_ctrl},
    {"diffllama", read_diffllama},
    {"doge", read_doge},
    {"gpt_neox_japanese", read_gpt_neox_japanese},
    {"granite_swa", read_granite_swa},
    {"granitemoe_swa", read_granitemoe_swa},
    {"hyperclovax", read_hyperclovax},
    {"jais2", read_jais2},
    {"mellum", read_mellum},
    {"nanochat", read_nanochat},
    {"xglm", read_xglm},
});

}  // namespace

std::span<const HfReader> hf_decoder_readers() {
    return decoder_readers;
}

}  // namespace traincost
