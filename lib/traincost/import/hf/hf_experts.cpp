// Mixtures of experts younger than those of hf_moe.cpp, and a few dense decoders of their time.
#include <algorithm>
#include <array>

#include "traincost/import/hf/hf_families.hpp"

namespace traincost {

namespace {

// Defaults: see hf_recurrent.cpp.

/// Names and defaults of a family's experts.
struct ExpertKeys {
    std::string_view experts, shared, first_dense;
    std::int64_t experts_default, top_k, ffn, shared_default, dense_default;
};

/// Dense layers first, or as `mlp_layer_types` or `is_moe_layer` lists them.
void read_experts(HfKeys& k, ModelSpec& m, const ExpertKeys& keys) {
    m.moe = MoeSpec{.experts = k.integer({keys.experts}, keys.experts_default),
                    .top_k = k.integer({"num_experts_per_tok"}, keys.top_k),
                    .ffn = k.integer({"moe_intermediate_size"}, keys.ffn)};
    m.moe->shared_experts = k.integer({keys.shared}, keys.shared_default, 0);
    m.moe->shared_ffn = m.moe->shared_experts * m.moe->ffn;
    k.ignore({"first_k_dense_replace", "is_moe_layer"});
    if (const auto types = k.per_layer_names("mlp_layer_types", m.layers)) {
        for (const std::string& type : *types) {
            if (type != "dense" && type != "sparse") {
                k.fail("mlp_layer_types", "'" + type + "' is neither dense nor sparse");
            }
            m.feeds.push_back(type == "sparse" ? Feed::experts : Feed::dense);
        }
    } else {
        m.moe->first_k_dense = k.integer({keys.first_dense}, keys.dense_default, 0);
    }
    if (const auto modules = k.maybe({"num_nextn_predict_layers"}, 0); modules && *modules > 0) {
        m.mtp = MtpSpec{.layers = *modules, .embedding_copy = false, .head_copy = false};
        k.assume("the multi-token-prediction module is not part of the totals");
    }
    k.ignore({"moe_router_enable_expert_bias", "enable_moe_fp32_combine", "enable_lm_head_fp32",
              "enable_attention_fp32_softmax", "route_norm", "router_scaling_factor", "score_func",
              "num_expert_groups", "num_limited_groups", "load_balance_coeff", "use_grouped_mm", "n_group",
              "topk_group", "expert_hidden_dim", "use_cla", "moe_hidden_dim"});
}

ModelSpec read_exaone_moe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {16384, 32, 32, 0, 102400, 2048, false});
    m.norm.qk = QkNorm::per_head;
    std::int64_t period = 4;
    if (const auto pattern = k.find({"sliding_window_pattern"})) {
        period =
            pattern->is_string() ? static_cast<std::int64_t>(pattern->string().size()) : pattern->integer(1);
    }
    hf_read_window(k, m, 4096, period);
    read_experts(k, m, {"num_experts", "num_shared_experts", "first_k_dense_replace", 64, 8, 1024, 1, 1});
    return m;
}

ModelSpec read_hy_v3(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {13312, 64, 8, 128, 120832, 131072, false});
    m.norm.qk = QkNorm::per_head;
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    k.ignore({"qk_norm", "layer_types"});
    read_experts(k, m, {"num_experts", "num_shared_experts", "first_k_dense_replace", 192, 8, 1536, 1, 1});
    return m;
}

ModelSpec read_solar_open(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {10240, 64, 8, 128, 196608, 131072, false});
    hf_read_attention_bias(k, m, false, false);
    k.ignore({"use_qk_norm"});
    read_experts(k, m, {"n_routed_experts", "n_shared_experts", "first_k_dense_replace", 128, 8, 1280, 1, 0});
    return m;
}

/// Gated attention, norms before and after each part, a trained bias of each expert's score.
ModelSpec read_afmoe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {6144, 16, 0, 128, 200192, 16384, false});
    m.norm.qk = QkNorm::per_head;
    m.norm.per_layer = 4;
    m.norm.placement = NormPlacement::sandwich;
    m.attention_gate = true;
    if (k.flag({"attention_bias"}, false)) {
        k.fail("attention_bias", "is true; an afmoe has no biases");
    }
    hf_read_window(k, m, 1024, k.maybe({"global_attn_every_n_layers"}).value_or(4));
    read_experts(k, m, {"num_experts", "num_shared_experts", "num_dense_layers", 64, 6, 1408, 2, 1});
    m.moe->score_correction_bias = true;
    k.ignore({"mup_enabled", "attn_scale_factor"});
    return m;
}

/// OLMo 2's norms after each part around OLMoE's experts.
ModelSpec read_flex_olmo(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 100352, 4096, false});
    m.norm.qk = QkNorm::full;
    m.norm.placement = NormPlacement::post;
    hf_read_attention_bias(k, m, false, true);
    m.moe = MoeSpec{.experts = k.integer({"num_experts"}, 7),
                    .top_k = k.integer({"num_experts_per_tok"}, 5),
                    .ffn = m.ffn};
    return m;
}

/// Ling 1 and 1.5. Its class adds biases to outputs unless told not to, which no checkpoint has.
ModelSpec read_bailing_moe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {0, 16, 0, 0, 30592, 2048, false});
    if (k.flag({"use_bias"}, true)) {
        k.fail("use_bias", "is true; output projections with biases are not modelled for bailing_moe");
    }
    m.bias.qkv = k.flag({"use_qkv_bias"}, false);
    read_experts(k, m, {"num_experts", "num_shared_experts", "first_k_dense_replace", 16, 2, 0, 0, 0});
    k.ignore(
        {"norm_head", "norm_softmax", "norm_topk_prob", "multi_gate", "moe_router_enable_routed_scaling"});
    return m;
}

/// Ling 2: norms on queries and keys, half of each head rotated, a bias of each expert's score.
ModelSpec read_bailing_moe_v2(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {5120, 16, 0, 0, 157184, 32768, false});
    if (k.flag({"use_bias"}, false)) {
        k.fail("use_bias", "is true; output projections with biases are not modelled for bailing_moe_v2");
    }
    m.bias.qkv = k.flag({"use_qkv_bias"}, false);
    m.norm.qk = k.flag({"use_qk_norm"}, true) ? QkNorm::per_head : QkNorm::none;
    read_experts(k, m, {"num_experts", "num_shared_experts", "first_k_dense_replace", 256, 8, 512, 1, 0});
    m.moe->score_correction_bias = k.flag({"moe_router_enable_expert_bias"}, true);
    k.ignore({"max_window_layers", "use_rmsnorm", "norm_head", "norm_softmax", "norm_topk_prob",
              "router_dtype", "router_type", "moe_shared_expert_intermediate_size", "mtp_loss_scaling_factor",
              "using_split_qkv_in_self_attention", "routed_scaling_factor", "score_function", "rotary_type",
              "moe_router_enable_routed_scaling"});
    return m;
}

/// The decoder of ERNIE 4.5 VL: experts of text and narrower ones of pictures, each with its own router,
/// beside those that both share.
ModelSpec read_ernie_vl(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {12288, 20, 4, 0, 103424, 131072, true});
    const bool bias = k.flag({"use_bias"}, false);
    m.bias.qkv = m.bias.attention_out = m.bias.mlp = bias;
    std::int64_t of_text = 1536;
    std::int64_t of_pictures = 512;
    if (const auto widths = k.find({"moe_intermediate_size"}); widths && widths->is_array()) {
        const auto items = widths->items();
        if (items.size() != 2) {
            widths->fail("has " + std::to_string(items.size()) +
                         " entries; must have one for text and one for pictures");
        }
        of_text = items[0].integer(1);
        of_pictures = items[1].integer(1);
    }
    const std::int64_t experts = k.uniform({"moe_num_experts"}).value_or(64);
    m.moe = MoeSpec{.experts = experts, .top_k = k.integer({"moe_k"}, 6), .ffn = of_text};
    m.moe->shared_experts = k.integer({"moe_num_shared_experts"}, 2, 0);
    m.moe->shared_ffn = m.moe->shared_experts * of_text;
    m.moe->score_correction_bias = true;
    const auto types = k.per_layer_names("mlp_layer_types", m.layers);
    std::int64_t sparse = 0;
    for (std::int64_t i = 0; i < m.layers; ++i) {
        const bool dense = types ? (*types)[static_cast<std::size_t>(i)] != "sparse" : i == 0;
        m.feeds.push_back(dense ? Feed::dense : Feed::experts);
        sparse += dense ? 0 : 1;
    }
    m.extra.push_back({"image experts", sparse * experts * (3 * m.hidden * of_pictures + m.hidden + 1)});
    k.assume("image experts are counted; text-only steps do not run them");
    k.ignore({"moe_norm_min"});
    return m;
}

ModelSpec read_ministral(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {14336, 32, 8, 0, 32000, 131072, false});
    hf_read_window(k, m, 4096, 0);
    return m;
}

ModelSpec read_ministral3(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {14336, 32, 8, 128, 131072, 262144, false});
    hf_read_window(k, m, std::nullopt, 0);
    return m;
}

/// Layers of a sliding window between those that attend to everything.
ModelSpec read_cwm(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {21504, 48, 8, 128, 128256, 131072, false});
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    hf_read_attention_bias(k, m, false, true);
    hf_read_window(k, m, 8192, 4);
    return m;
}

ModelSpec read_vaultgemma(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {9216, 8, 4, 256, 256000, 8192, true});
    m.activation = Activation::gelu_tanh;
    m.norm.fp32_scale = true;
    hf_read_attention_bias(k, m, false, true);
    hf_read_window(k, m, 4096, 2);
    return m;
}

constexpr std::array experts_readers = std::to_array<HfReader>({
    {"afmoe", read_afmoe},
    {"bailing_moe", read_bailing_moe},
    {"bailing_moe_v2", read_bailing_moe_v2},
    {"cwm", read_cwm},
    {"ernie4_5_vl_moe_text", read_ernie_vl},
    {"exaone_moe", read_exaone_moe},
    {"flex_olmo", read_flex_olmo},
    {"hy_v3", read_hy_v3},
    {"ministral", read_ministral},
    {"ministral3", read_ministral3},
    {"solar_open", read_solar_open},
    {"vaultgemma", read_vaultgemma},
});

}  // namespace

std::span<const HfReader> hf_expert_readers() {
    return experts_readers;
}

}  // namespace traincost
