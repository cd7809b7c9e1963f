// Attention between Mamba layers: Bamba, Falcon-H1, Granite 4, Jamba, Nemotron-H.
#include <algorithm>
#include <array>

#include "traincost/import/hf/hf_recurrent.hpp"

namespace traincost {

namespace {

// Defaults: see hf_recurrent.cpp.

constexpr HfMambaKeys mamba_keys = {"mamba_n_heads",   "mamba_d_head",    "mamba_n_groups",
                                    "mamba_d_state",   "mamba_d_conv",    "mamba_expand",
                                    "mamba_conv_bias", "mamba_proj_bias", "mamba_chunk_size"};

/// Keys of these families that say nothing about shapes.
void ignore_state_space(HfKeys& k) {
    k.ignore({"num_logits_to_keep",
              "time_step_limit",
              "time_step_min",
              "time_step_max",
              "time_step_floor",
              "time_step_rank",
              "use_mamba_kernels",
              "use_mambapy",
              "use_associative_scan",
              "sliding_window",
              "rescale_prenorm_residual",
              "residual_in_fp32",
              "mamba_ssm_cache_dtype",
              "mamba_norm_before_gate",
              "mamba_hidden_act",
              "mamba_use_mlp",
              "calc_logits_for_entire_prompt",
              "normalization_function",
              "init_method",
              "rope_parameters",
              "logits_to_keep"});
}

std::int64_t inner_width(HfKeys& k, const ModelSpec& m) {
    return k.maybe({"mamba_expand"}).value_or(2) * m.hidden;
}

/// The attention layers that `attn_layer_indices` names.
ModelSpec read_bamba(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {14336, 32, 8, 0, 128000, 262144, false});
    if (!k.has("partial_rotary_factor") && !k.has("attn_rotary_emb") && !k.has("rope_parameters")) {
        m.position.rope_fraction = 0.5;
    }
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    const std::vector<bool> full = hf_layer_set(k, "attn_layer_indices", m.layers);
    std::vector<Mixer> mixers;
    for (const bool attention : full) {
        mixers.push_back(attention ? Mixer::attention : Mixer::recurrent);
    }
    hf_set_mixers(m, std::move(mixers),
                  hf_mamba2(k, mamba_keys, {128, 64, 1, 256, 256}, m.hidden, inner_width(k, m)));
    k.ignore({"attn_rotary_emb", "layer_types", "layers_block_type"});
    ignore_state_space(k);
    return m;
}

/// Attention and a Mamba-2 mixer side by side in every layer.
ModelSpec read_falcon_h1(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {14336, 32, 8, 0, 128000, 8192, false});
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    m.mixers.assign(static_cast<std::size_t>(m.layers), Mixer::both);
    const auto stated = k.maybe({"mamba_d_ssm"});
    const std::int64_t inner = stated || k.has("mamba_d_ssm") ? stated.value_or(inner_width(k, m)) : 1024;
    m.recurrent = hf_mamba2(k, mamba_keys, {128, 64, 1, 256, 256}, m.hidden, inner);
    m.recurrent->norm = k.flag({"mamba_rms_norm"}, false);
    if (const auto out = k.find({"projectors_bias"}); out && out->boolean() != m.recurrent->projection_bias) {
        out->fail("contradicts mamba_proj_bias; only one setting for both projections is modelled");
    }
    k.ignore({"attention_in_multiplier", "attention_out_multiplier", "embedding_multiplier", "key_multiplier",
              "lm_head_multiplier", "mlp_expansion_factor", "mlp_multipliers", "ssm_in_multiplier",
              "ssm_multipliers", "ssm_out_multiplier"});
    ignore_state_space(k);
    return m;
}

/// An MLP that all tokens pass beside the experts; without experts it is the dense one.
ModelSpec read_granitemoehybrid(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 32000, 2048, false});
    hf_read_attention_bias(k, m, false, true);
    if (k.text({"position_embedding_type"}).value_or("nope") != "rope") {
        m.position = {.kind = PositionKind::none};
    }
    std::vector<std::string> names(static_cast<std::size_t>(m.layers), "mamba");
    if (const auto given = k.per_layer_names("layer_types", m.layers)) {
        names = *given;
    } else if (const auto block = k.per_layer_names("layers_block_type", m.layers)) {
        names = *block;
    }
    const RecurrentSpec r = hf_mamba2(k, mamba_keys, {128, 64, 1, 256, 256}, m.hidden, inner_width(k, m));
    hf_set_mixers(m, hf_mixers(k, "layer_types", names, {"mamba", "linear_attention"}), r);
    const std::int64_t experts = k.integer({"num_local_experts"}, 8, 0);
    const std::int64_t shared = k.integer({"shared_intermediate_size"}, 1024, 0);
    if (experts > 0) {
        m.moe = MoeSpec{.experts = experts, .top_k = k.integer({"num_experts_per_tok"}, 2), .ffn = m.ffn};
        m.moe->shared_experts = shared > 0 ? 1 : 0;
        m.moe->shared_ffn = shared;
    } else {
        k.ignore({"num_experts_per_tok"});
        m.ffn = shared;
    }
    k.ignore({"layers_block_type"});
    ignore_state_space(k);
    return m;
}

/// Whether layer `index` is one of every `period`, from `offset` on.
bool falls_on(std::int64_t index, std::int64_t period, std::int64_t offset) {
    return index % period == offset;
}

ModelSpec read_jamba(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {14336, 32, 8, 0, 65536, 262144, false});
    m.position = {.kind = PositionKind::none};
    const std::int64_t attention_period = k.integer({"attn_layer_period"}, 8);
    const std::int64_t attention_offset = k.integer({"attn_layer_offset"}, 4, 0);
    const std::int64_t expert_period = k.integer({"expert_layer_period"}, 2);
    const std::int64_t expert_offset = k.integer({"expert_layer_offset"}, 1, 0);
    const std::int64_t experts = k.integer({"num_experts"}, 16);
    std::vector<Mixer> mixers;
    for (std::int64_t i = 0; i < m.layers; ++i) {
        mixers.push_back(falls_on(i, attention_period, attention_offset) ? Mixer::attention
                                                                         : Mixer::recurrent);
        m.feeds.push_back(experts > 1 && falls_on(i, expert_period, expert_offset) ? Feed::experts
                                                                                   : Feed::dense);
    }
    hf_set_mixers(m, std::move(mixers),
                  RecurrentSpec{.kind = RecurrentKind::mamba,
                                .heads = inner_width(k, m),
                                .head_dim = 1,
                                .groups = 1,
                                .state = k.integer({"mamba_d_state"}, 16),
                                .kernel = k.integer({"mamba_d_conv"}, 4),
                                .rank = hf_step_rank(k, "mamba_dt_rank", m.hidden),
                                .chunk = 1,
                                .projection_bias = k.flag({"mamba_proj_bias"}, false),
                                .convolution_bias = k.flag({"mamba_conv_bias"}, true),
                                .norm = true});
    const std::int64_t top_k = k.integer({"num_experts_per_tok"}, 2);
    if (std::find(m.feeds.begin(), m.feeds.end(), Feed::experts) != m.feeds.end()) {
        m.moe = MoeSpec{.experts = experts, .top_k = top_k, .ffn = m.ffn};
    }
    k.ignore({"mamba_inner_layernorms", "layer_types", "layers_block_type", "layers_num_experts"});
    ignore_state_space(k);
    return m;
}

/// A layer's letter in `hybrid_override_pattern`, or its name in `layers_block_type`.
void push_nemotron_layer(HfKeys& k, ModelSpec& m, std::vector<Mixer>& mixers, std::string_view key,
                         const std::string& name) {
    if (name == "M" || name == "mamba" || name == "linear_attention") {
        mixers.push_back(Mixer::recurrent);
        m.feeds.push_back(Feed::none);
    } else if (name == "*" || name == "attention" || name == "full_attention") {
        mixers.push_back(Mixer::attention);
        m.feeds.push_back(Feed::none);
    } else if (name == "-" || name == "mlp") {
        mixers.push_back(Mixer::none);
        m.feeds.push_back(Feed::dense);
    } else if (name == "E" || name == "moe") {
        mixers.push_back(Mixer::none);
        m.feeds.push_back(Feed::experts);
    } else {
        k.fail(key, "'" + name + "' is no layer that is known: M (mamba), * (attention), - (mlp) or E (moe)");
    }
}

std::vector<std::string> nemotron_layers(HfKeys& k, std::string_view& key) {
    if (const auto pattern = k.text({"hybrid_override_pattern"})) {
        key = "hybrid_override_pattern";
        std::vector<std::string> names;
        for (const char c : *pattern) {
            names.emplace_back(1, c);
        }
        return names;
    }
    key = "layers_block_type";
    const auto given = k.find({"layers_block_type", "layer_types"});
    if (!given) {
        k.required({"hybrid_override_pattern"});
    }
    return given->strings();
}

/// Squared-ReLU experts, behind a projection to `moe_latent_size` where the file has one.
void read_nemotron_experts(HfKeys& k, ModelSpec& m) {
    MoeSpec moe{.experts = k.integer({"n_routed_experts"}, 8),
                .top_k = k.integer({"num_experts_per_tok"}, 2),
                .ffn = k.integer({"moe_intermediate_size"}, 7688)};
    moe.latent = k.maybe({"moe_latent_size"});
    moe.shared_experts = k.integer({"n_shared_experts"}, 1, 0);
    const std::int64_t shared = k.integer({"moe_shared_expert_intermediate_size"}, 7688, 0);
    moe.shared_ffn = moe.shared_experts > 0 ? shared : 0;
    const std::int64_t layers = std::count(m.feeds.begin(), m.feeds.end(), Feed::experts);
    if (layers == 0) {
        return;
    }
    m.moe = moe;
    if (m.bias.mlp) {  // the shared expert and the latent projections have them, the experts do not
        const std::int64_t latent = moe.latent ? *moe.latent + m.hidden : 0;
        const std::int64_t beside = moe.shared_ffn > 0 ? moe.shared_ffn + m.hidden : 0;
        m.extra.push_back({"biases beside the experts", layers * (latent + beside)});
    }
}

/// Every layer is one norm and one of: Mamba-2, attention, an MLP, experts.
ModelSpec read_nemotron_h(HfKeys& k) {
    std::string_view key;
    const std::vector<std::string> names = nemotron_layers(k, key);
    const std::int64_t hidden = k.required({"hidden_size"});
    ModelSpec m{.name = k.type(),
                .family = k.type(),
                .architecture = Architecture::decoder,
                .layers = static_cast<std::int64_t>(names.size()),
                .hidden = hidden,
                .heads = k.integer({"num_attention_heads"}, 32),
                .kv_heads = 0,
                .head_dim = k.integer({"head_dim", "attention_head_dim"}, 128),
                .ffn = k.uniform({"intermediate_size"}).value_or(21504),
                .gated_mlp = false,
                .activation = hf_activation(k, {"mlp_hidden_act"}, Activation::squared_relu),
                .vocab = k.integer({"vocab_size"}, 131072),
                .tied_embeddings = k.flag({"tie_word_embeddings"}, false),
                .position = {.kind = PositionKind::none},
                .norm = {.kind = NormKind::rmsnorm,
                         .bias = false,
                         .per_layer = 1,
                         .final_norm = true,
                         .embedding_norm = false,
                         .qk = QkNorm::none,
                         .placement = NormPlacement::pre},
                .bias = {.qkv = false, .attention_out = false, .mlp = false, .lm_head = false}};
    m.kv_heads = hf_kv_heads(k, {"num_key_value_heads"}, m.heads, 8);
    if (const auto layers = k.maybe({"num_hidden_layers"}); layers && *layers != m.layers) {
        k.fail("num_hidden_layers", std::to_string(*layers) + ", but " + std::string(key) + " names " +
                                        std::to_string(m.layers) + " layers");
    }
    m.max_position = k.maybe({"max_position_embeddings"});
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    std::vector<Mixer> mixers;
    for (const std::string& name : names) {
        push_nemotron_layer(k, m, mixers, key, name);
    }
    RecurrentSpec r = hf_mamba2(k,
                                {"mamba_num_heads", "mamba_head_dim", "n_groups", "ssm_state_size",
                                 "conv_kernel", "expand", "use_conv_bias", "mamba_proj_bias", "chunk_size"},
                                {128, 64, 8, 128, 128}, hidden, std::nullopt);
    r.projection_bias = r.projection_bias || k.flag({"use_bias"}, false);
    hf_set_mixers(m, std::move(mixers), r);
    read_nemotron_experts(k, m);
    if (k.maybe({"num_nextn_predict_layers"}, 0).value_or(0) > 0) {
        k.assume("multi-token-prediction modules are left out");
    }
    k.ignore({"moe_shared_expert_overlap", "mtp_layers_block_type", "mtp_hybrid_override_pattern",
              "layers_block_type", "layer_types", "hidden_act", "num_query_groups", "rope_theta",
              "partial_rotary_factor"});
    ignore_state_space(k);
    return m;
}

constexpr std::array state_space_readers = std::to_array<HfReader>({
    {"bamba", read_bamba},
    {"falcon_h1", read_falcon_h1},
    {"granitemoehybrid", read_granitemoehybrid},
    {"jamba", read_jamba},
    {"nemotron_h", read_nemotron_h},
});

}  // namespace

std::span<const HfReader> hf_state_space_readers() {
    return state_space_readers;
}

}  // namespace traincost
