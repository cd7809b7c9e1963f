#include <array>
#include <cmath>

#include "traincost/import/hf/hf_families.hpp"

namespace traincost {

namespace {

// Defaults: see hf_llama.cpp.

ModelSpec read_gpt2(HfKeys& k) {
    const std::int64_t hidden = k.required({"n_embd", "hidden_size"});
    const std::int64_t heads = k.integer({"n_head", "num_attention_heads"}, 12);
    ModelSpec m = hf_layernorm_decoder(k, k.required({"n_layer", "num_hidden_layers"}), hidden, heads,
                                       k.maybe({"n_inner"}).value_or(4 * hidden));
    m.head_dim = hf_head_dim(k, "n_head", hidden, heads);
    m.fused_qkv = true;  // c_attn
    m.activation = hf_activation(k, {"activation_function"}, Activation::gelu_new);
    m.vocab = k.integer({"vocab_size"}, 50257);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.max_position = m.position.table_rows = k.integer({"n_positions", "max_position_embeddings"}, 1024);
    if (const auto kind = k.text({"attention_head_type"}); kind && *kind == "multiquery") {
        m.kv_heads = 1;
    } else if (kind && *kind != "multihead") {
        k.fail("attention_head_type", "'" + *kind + "'; must be multihead or multiquery");
    }
    return m;
}

ModelSpec read_gpt_bigcode(HfKeys& k) {
    ModelSpec m = read_gpt2(k);
    if (k.flag({"multi_query"}, true)) {
        m.kv_heads = 1;
    }
    k.ignore({"num_key_value_heads"});
    return m;
}

/// The first GPT norms after each sublayer and not at the end.
ModelSpec read_openai_gpt(HfKeys& k) {
    const std::int64_t hidden = k.required({"n_embd", "hidden_size"});
    const std::int64_t heads = k.integer({"n_head", "num_attention_heads"}, 12);
    ModelSpec m =
        hf_layernorm_decoder(k, k.required({"n_layer", "num_hidden_layers"}), hidden, heads, 4 * hidden);
    m.head_dim = hf_head_dim(k, "n_head", hidden, heads);
    m.norm.placement = NormPlacement::post;
    m.norm.final_norm = false;
    m.activation = hf_activation(k, {"afn"}, Activation::gelu_new);
    m.vocab = k.integer({"vocab_size"}, 40478);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.max_position = m.position.table_rows = k.integer({"n_positions", "max_position_embeddings"}, 512);
    return m;
}

/// Queries, keys and values have no bias; every second layer is local.
ModelSpec read_gpt_neo(HfKeys& k) {
    const std::int64_t hidden = k.required({"hidden_size"});
    const std::int64_t heads = k.integer({"num_heads", "num_attention_heads"}, 16);
    ModelSpec m = hf_layernorm_decoder(k, k.required({"num_layers", "num_hidden_layers"}), hidden, heads,
                                       k.maybe({"intermediate_size"}).value_or(4 * hidden));
    m.head_dim = hf_head_dim(k, "num_heads", hidden, heads);
    m.activation = hf_activation(k, {"activation_function"}, Activation::gelu_new);
    m.bias.qkv = false;
    m.vocab = k.integer({"vocab_size"}, 50257);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.max_position = m.position.table_rows = k.integer({"max_position_embeddings"}, 2048);
    const std::int64_t window = k.integer({"window_size"}, 256);
    m.window = WindowSpec{.kind = WindowKind::sliding, .size = window, .full_every = 2};
    k.ignore({"attention_layers", "attention_types"});
    k.assume("every second layer attends to a window, as in the published models");
    return m;
}

ModelSpec read_gpt_neox(HfKeys& k) {
    const std::int64_t hidden = k.required({"hidden_size"});
    const std::int64_t heads = k.integer({"num_attention_heads"}, 64);
    ModelSpec m = hf_layernorm_decoder(k, k.required({"num_hidden_layers"}), hidden, heads,
                                       k.integer({"intermediate_size"}, 24576));
    m.head_dim = hf_head_dim(k, "num_attention_heads", hidden, heads);
    m.activation = hf_activation(k, {"hidden_act"}, Activation::gelu);
    m.fused_qkv = true;
    m.vocab = k.integer({"vocab_size"}, 50432);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, false);
    m.max_position = k.integer({"max_position_embeddings"}, 2048);
    m.parallel_attention = k.flag({"use_parallel_residual"}, true);
    m.bias.qkv = m.bias.attention_out = k.flag({"attention_bias"}, true);
    m.position.rope_fraction = 0.25;
    hf_read_rotary(k, m);
    return m;
}

/// One norm feeds attention and MLP; attention has no biases, the head has one.
ModelSpec read_gptj(HfKeys& k) {
    const std::int64_t hidden = k.required({"n_embd", "hidden_size"});
    const std::int64_t heads = k.integer({"n_head", "num_attention_heads"}, 16);
    ModelSpec m = hf_layernorm_decoder(k, k.required({"n_layer", "num_hidden_layers"}), hidden, heads,
                                       k.maybe({"n_inner"}).value_or(4 * hidden));
    m.head_dim = hf_head_dim(k, "n_head", hidden, heads);
    m.activation = hf_activation(k, {"activation_function"}, Activation::gelu_new);
    m.norm.per_layer = 1;
    m.parallel_attention = true;
    m.bias = {.qkv = false, .attention_out = false, .mlp = true, .lm_head = true};
    m.vocab = k.integer({"vocab_size"}, 50400);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, false);
    m.max_position = k.integer({"n_positions", "max_position_embeddings"}, 2048);
    m.position.rope_fraction = std::min(1.0, 64.0 / static_cast<double>(m.head_dim));
    hf_read_rotary(k, m);
    k.ignore({"rotary"});
    return m;
}

ModelSpec read_phi(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {8192, 32, 0, 0, 51200, 2048, false});
    m.gated_mlp = false;
    m.activation = hf_activation(k, {"hidden_act"}, Activation::gelu_new);
    m.norm.kind = NormKind::layernorm;
    m.norm.bias = true;
    m.norm.per_layer = 1;
    m.parallel_attention = true;
    m.bias = {.qkv = true, .attention_out = true, .mlp = true, .lm_head = true};
    if (k.flag({"qk_layernorm"}, false)) {
        m.norm.qk = QkNorm::per_head;
    }
    if (!k.has("partial_rotary_factor") && !k.has("rope_parameters")) {
        m.position.rope_fraction = 0.5;
    }
    return m;
}

/// The position table has two rows that no position uses.
ModelSpec read_opt(HfKeys& k) {
    constexpr std::int64_t position_offset = 2;
    const std::int64_t hidden = k.required({"hidden_size"});
    const std::int64_t heads = k.integer({"num_attention_heads"}, 12);
    ModelSpec m = hf_layernorm_decoder(k, k.required({"num_hidden_layers"}), hidden, heads,
                                       k.integer({"ffn_dim"}, 3072));
    m.head_dim = hf_head_dim(k, "num_attention_heads", hidden, heads);
    m.activation = hf_activation(k, {"activation_function"}, Activation::relu);
    m.vocab = k.integer({"vocab_size"}, 50272);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.max_position = k.integer({"max_position_embeddings"}, 2048);
    m.position.table_rows = *m.max_position + position_offset;
    if (const auto width = k.maybe({"word_embed_proj_dim"}); width && *width != hidden) {
        m.embedding_dim = *width;
    }
    const bool before = k.flag({"do_layer_norm_before"}, true);
    m.norm.placement = before ? NormPlacement::pre : NormPlacement::post;
    const auto removed = k.find({"_remove_final_layer_norm", "_remove_final_layernorm"});
    m.norm.final_norm = before && !(removed && removed->boolean());
    if (!k.flag({"layer_norm_elementwise_affine"}, true)) {
        m.norm.kind = NormKind::nonparametric;
    }
    m.bias.qkv = m.bias.attention_out = m.bias.mlp = k.flag({"enable_bias"}, true);
    return m;
}

ModelSpec read_bloom(HfKeys& k) {
    const std::int64_t hidden = k.required({"hidden_size", "n_embed"});
    const std::int64_t heads = k.required({"n_head", "num_attention_heads"});
    ModelSpec m =
        hf_layernorm_decoder(k, k.required({"n_layer", "num_hidden_layers"}), hidden, heads, 4 * hidden);
    m.head_dim = hf_head_dim(k, "n_head", hidden, heads);
    m.activation = Activation::gelu_tanh;
    m.norm.embedding_norm = true;
    m.fused_qkv = true;
    m.vocab = k.integer({"vocab_size"}, 250880);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.position = {.kind = PositionKind::alibi};
    m.max_position = k.maybe({"seq_length"});
    k.ignore({"apply_residual_connection_post_layernorm", "use_parallel_residual"});
    return m;
}

/// Falcon: norms of the parallel block are one, or two in the new decoder unless `num_ln_in_parallel_attn`
/// says one.
std::int64_t falcon_norms(HfKeys& k, bool new_decoder, bool parallel) {
    const std::int64_t in_parallel = k.maybe({"num_ln_in_parallel_attn"}).value_or(new_decoder ? 2 : 1);
    return parallel || new_decoder ? in_parallel : 2;
}

ModelSpec read_falcon(HfKeys& k) {
    const std::int64_t hidden = k.required({"hidden_size"});
    const std::int64_t heads = k.integer({"num_attention_heads", "n_head"}, 71);
    ModelSpec m = hf_layernorm_decoder(k, k.required({"num_hidden_layers", "n_layer"}), hidden, heads,
                                       k.maybe({"ffn_hidden_size"}).value_or(4 * hidden));
    m.head_dim = hf_head_dim(k, k.has("n_head") ? "n_head" : "num_attention_heads", hidden, heads);
    m.activation = hf_activation(k, {"activation"}, Activation::gelu);
    m.fused_qkv = true;
    m.vocab = k.integer({"vocab_size"}, 65024);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    const bool new_decoder = k.flag({"new_decoder_architecture"}, k.has("n_head_kv"));
    const bool multi_query = k.flag({"multi_query"}, true);
    const auto kv_heads = k.maybe({"num_kv_heads", "n_head_kv"});
    if (new_decoder) {
        m.kv_heads = kv_heads.value_or(heads);
    } else if (multi_query) {
        m.kv_heads = 1;
    }
    m.parallel_attention = k.flag({"parallel_attn"}, true) || new_decoder;
    m.norm.per_layer = falcon_norms(k, new_decoder, m.parallel_attention);
    const bool bias = k.flag({"bias"}, false);
    m.bias = {.qkv = bias, .attention_out = bias, .mlp = bias, .lm_head = false};
    const bool alibi = k.flag({"alibi"}, false);
    hf_read_rotary(k, m);
    if (alibi) {
        m.position = {.kind = PositionKind::alibi};
    }
    m.max_position = k.maybe({"max_position_embeddings"});
    k.ignore({"apply_residual_connection_post_layernorm", "rotary", "ff_factor"});
    return m;
}

/// MPT: `no_bias` takes the biases from projections and norms alike.
ModelSpec read_mpt(HfKeys& k) {
    const std::int64_t hidden = k.required({"d_model", "hidden_size"});
    const std::int64_t heads = k.integer({"n_heads", "num_attention_heads"}, 16);
    const auto ratio = k.number({"expansion_ratio"});
    const double width = ratio.value_or(4.0) * static_cast<double>(hidden);
    if (!(width >= 1.0) || width > 1e9 || width != std::floor(width)) {
        k.fail("expansion_ratio", "times d_model must be a whole number of at least 1");
    }
    ModelSpec m = hf_layernorm_decoder(k, k.required({"n_layers", "num_hidden_layers"}), hidden, heads,
                                       static_cast<std::int64_t>(width));
    m.head_dim = hf_head_dim(k, "n_heads", hidden, heads);
    m.fused_qkv = true;
    m.vocab = k.integer({"vocab_size"}, 50368);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.max_position = k.integer({"max_seq_len"}, 2048);
    const bool bias = !k.flag({"no_bias"}, true);
    m.norm.bias = bias;
    m.bias = {.qkv = bias, .attention_out = bias, .mlp = bias, .lm_head = false};
    bool alibi = true;
    bool rotary = false;
    if (auto attention = k.object("attn_config")) {
        alibi = attention->flag({"alibi"}, true);
        const auto rope = attention->find({"rope"});
        rotary = rope && rope->boolean();
        const std::string kind = attention->text({"attn_type"}).value_or("multihead_attention");
        if (kind == "multiquery_attention") {
            m.kv_heads = 1;
        } else if (kind == "grouped_query_attention") {
            m.kv_heads = attention->required({"kv_n_heads"});
        } else if (kind != "multihead_attention") {
            attention->fail("attn_type", "unknown value '" + kind +
                                             "'; allowed: multihead_attention, multiquery_attention, "
                                             "grouped_query_attention");
        }
        if (attention->flag({"qk_ln"}, false)) {
            m.norm.qk = QkNorm::full;
        }
        attention->ignore(
            {"kv_n_heads", "prefix_lm", "attn_uses_sequence_id", "alibi_bias_max", "attn_impl"});
        attention->finish();
    }
    const bool learned = k.flag({"learned_pos_emb"}, true) && !alibi && !rotary;
    m.position = {.kind = learned ? PositionKind::learned : alibi ? PositionKind::alibi : PositionKind::rope};
    if (learned) {
        m.position.table_rows = *m.max_position;
    }
    if (auto ffn = k.object("ffn_config")) {
        if (const std::string kind = ffn->text({"ffn_type"}).value_or("mptmlp"); kind != "mptmlp") {
            ffn->fail("ffn_type", "'" + kind + "'; only mptmlp is modelled");
        }
        ffn->finish();
    }
    k.ignore({"norm_type", "embedding_fraction", "init_config"});
    return m;
}

/// XLNet: relative positions with a projection in each layer, norms after each part and none at the end.
ModelSpec read_xlnet(HfKeys& k) {
    const std::int64_t hidden = k.integer({"d_model", "hidden_size"}, 1024);
    const std::int64_t heads = k.integer({"n_head", "num_attention_heads"}, 16);
    ModelSpec m = hf_layernorm_decoder(k, k.integer({"n_layer", "num_hidden_layers"}, 24), hidden, heads,
                                       k.integer({"d_inner"}, 4096));
    m.head_dim = hf_head_dim(k, "n_head", hidden, heads);
    m.activation = hf_activation(k, {"ff_activation"}, Activation::gelu);
    m.norm.placement = NormPlacement::post;
    m.norm.final_norm = false;
    m.bias = {.qkv = false, .attention_out = false, .mlp = true, .lm_head = true};
    m.vocab = k.integer({"vocab_size", "n_token"}, 32000);
    m.tied_embeddings = k.flag({"tie_word_embeddings"}, true);
    m.position = {.kind = PositionKind::transformer_xl};
    constexpr std::int64_t vectors = 3 + 2;  // biases of positions, segments and words; two segments
    m.extra.push_back({"biases of scores and segments", m.layers * vectors * hidden});
    m.extra.push_back({"embedding of a mask", hidden});
    k.ignore({"attn_type", "bi_data", "clamp_len", "d_head", "end_n_top", "mem_len", "reuse_len",
              "same_length", "start_n_top", "untie_r", "use_mems_eval", "use_mems_train"});
    return m;
}

constexpr std::array gpt_readers = std::to_array<HfReader>({
    {"RefinedWeb", read_falcon},
    {"RefinedWebModel", read_falcon},
    {"bloom", read_bloom},
    {"codegen", read_gptj},
    {"falcon", read_falcon},
    {"gpt2", read_gpt2},
    {"gpt_bigcode", read_gpt_bigcode},
    {"gpt_neo", read_gpt_neo},
    {"gpt_neox", read_gpt_neox},
    {"gptj", read_gptj},
    {"mpt", read_mpt},
    {"openai-gpt", read_openai_gpt},
    {"opt", read_opt},
    {"phi", read_phi},
    {"xlnet", read_xlnet},
});

}  // namespace

std::span<const HfReader> hf_gpt_readers() {
    return gpt_readers;
}

}  // namespace traincost
