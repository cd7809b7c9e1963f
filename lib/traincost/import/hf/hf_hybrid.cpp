#include <algorithm>
#include <array>

#include "traincost/import/hf/hf_recurrent.hpp"

namespace traincost {

namespace {

// Defaults: see hf_recurrent.cpp.

std::size_t count_of(std::int64_t n) {
    return static_cast<std::size_t>(n);
}

/// The names in `layer_types`, or what the family makes where the file has none.
template <class Make>
std::vector<std::string> layer_names(HfKeys& k, std::int64_t layers, Make made) {
    if (auto given = k.per_layer_names("layer_types", layers)) {
        return *given;
    }
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < layers; ++i) {
        names.emplace_back(made(i) ? "full_attention" : "linear_attention");
    }
    return names;
}

// Gated delta net
// ---------------------------------------------------------------------------------------------

/// Every fourth layer is attention unless the file says otherwise.
void read_delta_net(HfKeys& k, ModelSpec& m, const RecurrentSpec& defaults) {
    const std::int64_t interval = k.maybe({"full_attention_interval"}).value_or(4);
    const auto names = layer_names(k, m.layers, [&](std::int64_t i) { return (i + 1) % interval == 0; });
    RecurrentSpec r = defaults;
    r.heads = k.integer({"linear_num_value_heads"}, defaults.heads);
    r.head_dim = k.integer({"linear_value_head_dim"}, defaults.head_dim);
    r.groups = k.integer({"linear_num_key_heads"}, defaults.groups);
    r.state = k.integer({"linear_key_head_dim"}, defaults.state);
    r.kernel = k.integer({"linear_conv_kernel_dim"}, defaults.kernel);
    hf_set_mixers(m, hf_mixers(k, "layer_types", names, {"linear_attention"}), r);
}

constexpr RecurrentSpec qwen_delta{.kind = RecurrentKind::gated_delta,
                                   .heads = 32,
                                   .head_dim = 128,
                                   .groups = 16,
                                   .state = 128,
                                   .kernel = 4};

/// Attention with an output gate and norms on heads, between layers of gated delta nets.
ModelSpec qwen_hybrid(HfKeys& k, const HfDefaults& defaults) {
    ModelSpec m = hf_rotary_decoder(k, defaults);
    if (!k.has("partial_rotary_factor") && !k.has("rope_parameters")) {
        m.position.rope_fraction = 0.25;
    }
    m.norm.qk = QkNorm::per_head;
    hf_read_attention_bias(k, m, false, true);
    m.attention_gate = k.flag({"attn_output_gate"}, true);
    read_delta_net(k, m, qwen_delta);
    if (const auto modules = k.maybe({"mtp_num_hidden_layers", "num_nextn_predict_layers"}, 0);
        modules && *modules > 0) {
        const bool own = k.flag({"mtp_use_dedicated_embeddings"}, false);
        m.mtp = MtpSpec{.layers = *modules, .embedding_copy = own, .head_copy = false};
        k.assume("the multi-token-prediction module is not part of the totals");
    }
    k.ignore({"mamba_ssm_dtype", "mtp_use_dedicated_embeddings", "mlp_only_layers", "use_sliding_window",
              "sliding_window", "max_window_layers", "linear_attn_in_proj_split"});
    return m;
}

/// Experts and one gated shared expert.
void read_qwen_experts(HfKeys& k, ModelSpec& m, std::int64_t experts, std::int64_t top_k) {
    m.moe = MoeSpec{.experts = k.integer({"num_experts"}, experts),
                    .top_k = k.integer({"num_experts_per_tok"}, top_k),
                    .ffn = k.integer({"moe_intermediate_size"}, 512)};
    m.moe->shared_ffn = k.integer({"shared_expert_intermediate_size"}, 512, 0);
    m.moe->shared_experts = m.moe->shared_ffn > 0 ? 1 : 0;
    m.moe->shared_gate = m.moe->shared_ffn > 0;
}

ModelSpec read_qwen3_next(HfKeys& k) {
    ModelSpec m = qwen_hybrid(k, {5632, 16, 2, 256, 151936, 32768, false});
    const std::int64_t step = k.integer({"decoder_sparse_step"}, 1);
    const std::vector<bool> dense = hf_layer_set(k, "mlp_only_layers", m.layers);
    read_qwen_experts(k, m, 512, 10);
    for (std::int64_t i = 0; i < m.layers; ++i) {
        m.feeds.push_back(!dense[count_of(i)] && (i + 1) % step == 0 ? Feed::experts : Feed::dense);
    }
    return m;
}

ModelSpec read_qwen3_5(HfKeys& k) {
    return qwen_hybrid(k, {12288, 16, 4, 256, 248320, 32768, false});
}

ModelSpec read_qwen3_5_moe(HfKeys& k) {
    ModelSpec m = qwen_hybrid(k, {0, 16, 2, 256, 248320, 32768, false});
    read_qwen_experts(k, m, 256, 8);
    return m;
}

ModelSpec read_olmo_hybrid(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 30, 0, 0, 100352, 65536, false});
    m.norm.qk = QkNorm::full;
    hf_read_attention_bias(k, m, false, true);
    RecurrentSpec defaults = qwen_delta;
    defaults.heads = k.maybe({"linear_num_value_heads"}).value_or(m.heads);
    defaults.groups = k.maybe({"linear_num_key_heads"}).value_or(m.heads);
    defaults.state = 3 * m.hidden / m.heads / 4;
    defaults.head_dim = 2 * defaults.state;
    read_delta_net(k, m, defaults);
    k.ignore({"linear_allow_neg_eigval", "linear_a_log_min", "linear_a_log_max", "linear_dt_min",
              "linear_dt_max", "linear_dt_init_floor", "linear_use_gate"});
    return m;
}

// Kimi delta attention
// ----------------------------------------------------------------------------------------

/// The published file lists layers from 1 on under `linear_attn_config`, newer ones have `layer_types`.
RecurrentSpec read_kimi_mixers(HfKeys& k, ModelSpec& m) {
    RecurrentSpec r{.kind = RecurrentKind::kimi_delta,
                    .heads = k.maybe({"linear_num_heads"}).value_or(32),
                    .head_dim = k.maybe({"linear_head_dim"}).value_or(128),
                    .groups = 0,
                    .state = 0,
                    .kernel = k.maybe({"linear_conv_kernel_dim"}).value_or(4)};
    std::vector<bool> full(count_of(m.layers), false);
    if (auto inner = k.object("linear_attn_config")) {
        r.heads = inner->integer({"num_heads"}, r.heads);
        r.head_dim = inner->integer({"head_dim"}, r.head_dim);
        r.kernel = inner->integer({"short_conv_kernel_size"}, r.kernel);
        full = hf_layer_set(*inner, "full_attn_layers", m.layers, 1);
        const std::vector<bool> linear = hf_layer_set(*inner, "kda_layers", m.layers, 1);
        for (std::int64_t i = 0; i < m.layers; ++i) {
            if (inner->has("kda_layers") && full[count_of(i)] == linear[count_of(i)]) {
                inner->fail("kda_layers", "and full_attn_layers must name each layer once; layer " +
                                              std::to_string(i + 1) + " is in both or in neither");
            }
        }
        inner->finish();
    } else {
        for (std::int64_t i = 4; i < m.layers; i += 4) {
            full[count_of(i)] = true;
        }
    }
    r.groups = r.heads;
    r.state = r.rank = r.head_dim;
    const auto names = layer_names(k, m.layers, [&](std::int64_t i) { return full[count_of(i)]; });
    hf_set_mixers(m, hf_mixers(k, "layer_types", names, {"linear_attention"}), r);
    return r;
}

ModelSpec read_kimi_linear(HfKeys& k) {
    k.ignore({"head_dim", "qk_head_dim", "v_head_dim"});
    ModelSpec m = hf_rotary_decoder(k, {9216, 32, 32, 64, 163840, 1048576, false});
    const std::int64_t nope = k.integer({"qk_nope_head_dim"}, 128);
    const std::int64_t rotary = k.integer({"qk_rope_head_dim"}, 64);
    m.kv_heads = m.heads;
    m.head_dim = nope + rotary;
    m.mla = MlaSpec{.q_lora_rank = k.maybe({"q_lora_rank"}),
                    .kv_lora_rank = k.integer({"kv_lora_rank"}, 512),
                    .qk_nope_dim = nope,
                    .qk_rope_dim = rotary,
                    .v_head_dim = k.integer({"v_head_dim"}, 128)};
    m.position = {.kind = PositionKind::none};
    hf_read_attention_bias(k, m, false, true);
    read_kimi_mixers(k, m);

    m.moe = MoeSpec{.experts = k.integer({"num_experts"}, 256),
                    .top_k = k.integer({"num_experts_per_token", "num_experts_per_tok"}, 8),
                    .ffn = k.integer({"moe_intermediate_size"}, 1024)};
    m.moe->shared_experts = k.integer({"num_shared_experts"}, 1, 0);
    m.moe->shared_ffn = m.moe->shared_experts * m.moe->ffn;
    const std::int64_t first = k.maybe({"first_k_dense_replace"}, 0).value_or(1);
    const std::int64_t step = k.maybe({"moe_layer_freq"}).value_or(1);
    const auto given = k.per_layer_names("mlp_layer_types", m.layers);
    for (std::int64_t i = 0; i < m.layers; ++i) {
        const bool sparse = given ? (*given)[count_of(i)] == "sparse" : i >= first && i % step == 0;
        m.feeds.push_back(sparse ? Feed::experts : Feed::dense);
    }
    k.ignore({"mla_use_nope", "use_grouped_topk", "moe_router_activation_func", "moe_renormalize",
              "model_max_length", "num_nextn_predict_layers", "rope_parameters"});
    return m;
}

// Lightning attention
// -----------------------------------------------------------------------------------------

/// `attn_type_list` has 1 for softmax attention and 0 for lightning attention.
ModelSpec read_minimax(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {14336, 32, 8, 0, 32000, 131072, false});
    std::vector<bool> full(count_of(m.layers), false);
    for (std::int64_t i = 0; i < m.layers; i += 2) {
        full[count_of(i)] = true;
    }
    if (const auto list = k.find({"attn_type_list"})) {
        const auto items = list->items();
        if (items.size() != full.size()) {
            list->fail("has " + std::to_string(items.size()) + " entries; must have one for each of the " +
                       std::to_string(m.layers) + " layers");
        }
        for (std::size_t i = 0; i < items.size(); ++i) {
            full[i] = items[i].integer(0) == 1;
        }
    }
    const auto names = layer_names(k, m.layers, [&](std::int64_t i) { return full[count_of(i)]; });
    hf_set_mixers(m, hf_mixers(k, "layer_types", names, {"linear_attention"}),
                  RecurrentSpec{.kind = RecurrentKind::lightning,
                                .heads = m.heads,
                                .head_dim = m.head_dim,
                                .groups = m.heads,
                                .state = m.head_dim,
                                .kernel = 0,
                                .rank = 0,
                                .chunk = k.maybe({"block_size"}).value_or(256)});
    m.moe = MoeSpec{.experts = k.integer({"num_local_experts"}, 8),
                    .top_k = k.integer({"num_experts_per_tok"}, 2),
                    .ffn = m.ffn};
    m.moe->shared_ffn = k.maybe({"shared_intermediate_size"}, 0).value_or(0);
    m.moe->shared_experts = m.moe->shared_ffn > 0 ? 1 : 0;
    k.ignore({"sliding_window", "postnorm", "shared_moe_mode", "full_attn_alpha_factor",
              "full_attn_beta_factor", "linear_attn_alpha_factor", "linear_attn_beta_factor",
              "mlp_alpha_factor", "mlp_beta_factor", "layernorm_full_attention_alpha",
              "layernorm_full_attention_beta", "layernorm_linear_attention_alpha",
              "layernorm_linear_attention_beta", "layernorm_mlp_alpha", "layernorm_mlp_beta"});
    return m;
}

// Short convolutions
// ------------------------------------------------------------------------------------------

/// Layers that `full_attn_idxs` names, or `layer_types`, are attention, the others a convolution of a few
/// tokens between two gates.
ModelSpec lfm_decoder(HfKeys& k, std::int64_t ffn) {
    k.ignore({"block_ff_dim", "block_dim", "conv_dim", "conv_dim_out", "block_norm_eps", "block_use_swiglu",
              "block_use_xavier_init", "block_mlp_init_scale", "block_out_init_scale", "block_use_conv",
              "conv_use_xavier_init", "num_heads", "use_pos_enc", "norm_eps", "theta"});
    ModelSpec m = hf_rotary_decoder(k, {ffn, 32, 8, 0, 65536, 128000, true});
    if (k.find({"tie_embedding"})) {
        m.tied_embeddings = k.flag({"tie_embedding"}, true);
    }
    if (const auto ff = k.maybe({"block_ff_dim"})) {
        m.ffn = *ff;
    }
    m.norm.qk = QkNorm::per_head;
    const bool bias = k.flag({"conv_bias"}, false);
    const std::vector<bool> full = hf_layer_set(k, "full_attn_idxs", m.layers);
    const bool listed = k.has("full_attn_idxs");
    const auto names = layer_names(k, m.layers, [&](std::int64_t i) { return !listed || full[count_of(i)]; });
    hf_set_mixers(m, hf_mixers(k, "layer_types", names, {"conv", "short_conv", "linear_attention"}),
                  RecurrentSpec{.kind = RecurrentKind::short_convolution,
                                .heads = m.hidden,
                                .head_dim = 1,
                                .groups = m.hidden,
                                .state = 0,
                                .kernel = k.integer({"conv_L_cache"}, 3),
                                .rank = 0,
                                .chunk = 1,
                                .projection_bias = bias,
                                .convolution_bias = bias,
                                .norm = false});
    return m;
}

/// The width of the MLP is two thirds of what is said, rounded up.
ModelSpec read_lfm2(HfKeys& k) {
    ModelSpec m = lfm_decoder(k, 12288);
    const auto factor = k.number({"block_ffn_dim_multiplier"});
    const std::int64_t multiple = k.integer({"block_multiple_of"}, 256);
    if (k.flag({"block_auto_adjust_ff_dim"}, true)) {
        const std::int64_t two_thirds = 2 * m.ffn / 3;  // rounded down, as the class does
        const double wide = static_cast<double>(two_thirds) * factor.value_or(1.0);
        const auto whole = static_cast<std::int64_t>(std::clamp(wide, 1.0, 1e9));
        m.ffn = multiple * ((whole + multiple - 1) / multiple);
    }
    return m;
}

ModelSpec read_lfm2_moe(HfKeys& k) {
    ModelSpec m = lfm_decoder(k, 7168);
    m.moe = MoeSpec{.experts = k.integer({"num_experts"}, 32),
                    .top_k = k.integer({"num_experts_per_tok"}, 4),
                    .ffn = k.integer({"moe_intermediate_size"}, 1792),
                    .first_k_dense = k.integer({"num_dense_layers"}, 2, 0)};
    k.ignore({"use_expert_bias"});
    return m;
}

constexpr std::array hybrid_readers = std::to_array<HfReader>({
    {"kimi_linear", read_kimi_linear},
    {"lfm2", read_lfm2},
    {"lfm2_moe", read_lfm2_moe},
    {"minimax", read_minimax},
    {"minimax_m1", read_minimax},
    {"minimax_text_01", read_minimax},
    {"olmo_hybrid", read_olmo_hybrid},
    {"qwen3_5_moe_text", read_qwen3_5_moe},
    {"qwen3_5_text", read_qwen3_5},
    {"qwen3_next", read_qwen3_next},
});

}  // namespace

std::span<const HfReader> hf_hybrid_readers() {
    return hybrid_readers;
}

}  // namespace traincost
