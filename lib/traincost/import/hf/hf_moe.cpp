#include <algorithm>
#include <array>
#include <vector>

#include "traincost/import/hf/hf_families.hpp"

namespace traincost {

namespace {

// Defaults: see hf_llama.cpp.

ModelSpec read_mixtral(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {14336, 32, 8, 0, 32000, 131072, false});
    m.moe = MoeSpec{.experts = k.integer({"num_local_experts", "num_experts"}, 8),
                    .top_k = k.integer({"num_experts_per_tok"}, 2),
                    .ffn = m.ffn};
    hf_read_window(k, m, std::nullopt, 0);
    return m;
}

/// Dense layers `mlp_only_layers` names: none, or the first few of a model whose every other layer has
/// experts.
void read_dense_layers(HfKeys& k, MoeSpec& moe) {
    const auto node = k.find({"mlp_only_layers"});
    if (!node) {
        return;
    }
    std::vector<std::int64_t> layers;
    for (const JsonNode& item : node->items()) {
        layers.push_back(item.integer(0));
    }
    std::sort(layers.begin(), layers.end());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (layers[i] != static_cast<std::int64_t>(i) || moe.interleave_step != 1) {
            node->fail("names layers that are not the first ones; only first layers can be dense");
        }
    }
    moe.first_k_dense = static_cast<std::int64_t>(layers.size());
}

/// Experts as in every Qwen: every `decoder_sparse_step`-th layer.
MoeSpec qwen_experts(HfKeys& k, std::int64_t experts, std::int64_t top_k, std::int64_t ffn) {
    MoeSpec moe{.experts = k.integer({"num_experts", "num_local_experts"}, experts),
                .top_k = k.integer({"num_experts_per_tok"}, top_k),
                .ffn = k.integer({"moe_intermediate_size"}, ffn)};
    moe.interleave_step = k.maybe({"decoder_sparse_step"}).value_or(1);
    read_dense_layers(k, moe);
    return moe;
}

void ignore_qwen_window(HfKeys& k) {
    k.ignore({"sliding_window", "max_window_layers", "layer_types", "use_sliding_window",
              "dual_chunk_attention_config"});
    if (k.flag({"use_sliding_window"}, false)) {
        k.assume("use_sliding_window is true; all layers are taken to attend to all tokens");
    }
}

/// One shared expert with a gate of its own in every layer.
ModelSpec read_qwen2_moe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {5632, 16, 16, 0, 151936, 32768, false});
    m.bias.qkv = k.flag({"qkv_bias"}, true);
    m.moe = qwen_experts(k, 60, 4, 1408);
    m.moe->shared_experts = 1;
    m.moe->shared_ffn = k.integer({"shared_expert_intermediate_size"}, 5632);
    m.moe->shared_gate = true;
    ignore_qwen_window(k);
    return m;
}

ModelSpec read_qwen3_moe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {6144, 32, 4, 0, 151936, 32768, false});
    m.norm.qk = QkNorm::per_head;
    hf_read_attention_bias(k, m, false, true);
    m.moe = qwen_experts(k, 128, 8, 768);
    if (!k.flag({"use_qk_norm"}, true)) {
        k.fail("use_qk_norm", "is false; a qwen3_moe norms queries and keys");
    }
    ignore_qwen_window(k);
    return m;
}

ModelSpec read_olmoe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {2048, 16, 0, 0, 50304, 4096, false});
    m.norm.qk = QkNorm::full;
    hf_read_attention_bias(k, m, false, true);
    m.moe = MoeSpec{.experts = k.integer({"num_experts"}, 64),
                    .top_k = k.integer({"num_experts_per_tok"}, 8),
                    .ffn = m.ffn};
    return m;
}

ModelSpec read_phimoe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {6400, 32, 8, 0, 32064, 131072, false});
    m.norm.kind = NormKind::layernorm;
    m.norm.bias = true;
    hf_read_attention_bias(k, m, false, true);
    m.bias.lm_head = k.flag({"lm_head_bias"}, false);
    m.moe = MoeSpec{.experts = k.integer({"num_local_experts", "num_experts"}, 16),
                    .top_k = k.integer({"num_experts_per_tok"}, 2),
                    .ffn = m.ffn};
    hf_read_window(k, m, std::nullopt, 0);
    k.ignore({"original_max_position_embeddings"});
    return m;
}

ModelSpec read_granitemoe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 32000, 2048, false});
    hf_read_attention_bias(k, m, false, true);
    m.moe = MoeSpec{.experts = k.integer({"num_local_experts", "num_experts"}, 8),
                    .top_k = k.integer({"num_experts_per_tok"}, 2),
                    .ffn = m.ffn};
    return m;
}

ModelSpec read_granitemoeshared(HfKeys& k) {
    ModelSpec m = read_granitemoe(k);
    m.moe->shared_ffn = k.integer({"shared_intermediate_size"}, 1024, 0);
    m.moe->shared_experts = m.moe->shared_ffn > 0 ? 1 : 0;
    return m;
}

ModelSpec read_gpt_oss(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {2880, 64, 8, 64, 201088, 131072, false});
    m.activation = Activation::swiglu_clamped;
    hf_read_attention_bias(k, m, true, true);
    m.moe = MoeSpec{.experts = k.integer({"num_local_experts", "num_experts"}, 128),
                    .top_k = k.integer({"num_experts_per_tok", "experts_per_token"}, 4),
                    .ffn = m.ffn};
    m.moe->router_bias = true;
    m.moe->expert_bias = true;
    m.norm.fp32_scale = true;
    m.attention_sinks = m.heads;
    hf_read_window(k, m, 128, 2);
    return m;
}

/// Layers with experts are those that `moe_layers` names, or every `interleave_moe_layer_step`-th.
void set_llama4_layers(HfKeys& k, ModelSpec& m) {
    const std::int64_t step = k.integer({"interleave_moe_layer_step"}, 1, 0);
    const auto node = k.find({"moe_layers"});
    if (!node) {
        m.moe->interleave_step = std::max<std::int64_t>(1, step);
        return;
    }
    m.feeds.assign(static_cast<std::size_t>(m.layers), Feed::dense);
    for (const JsonNode& item : node->items()) {
        const std::int64_t index = item.integer(0);
        if (index >= m.layers) {
            item.fail(std::to_string(index) + ", beyond the last of " + std::to_string(m.layers) + " layers");
        }
        m.feeds[static_cast<std::size_t>(index)] = Feed::experts;
    }
    if (std::find(m.feeds.begin(), m.feeds.end(), Feed::experts) == m.feeds.end()) {
        m.moe.reset();
    }
}

ModelSpec read_llama4(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {8192, 40, 8, 128, 202048, 131072, false});
    hf_read_attention_bias(k, m, false, true);
    const std::int64_t expert = m.ffn;
    m.ffn = k.integer({"intermediate_size_mlp"}, 16384);
    m.moe = MoeSpec{.experts = k.integer({"num_local_experts", "num_experts"}, 16),
                    .top_k = std::max<std::int64_t>(1, k.integer({"num_experts_per_tok"}, 1, 0)),
                    .ffn = expert};
    m.moe->shared_experts = 1;
    m.moe->shared_ffn = expert;
    set_llama4_layers(k, m);
    m.position.nope_every = k.maybe({"no_rope_layer_interval"}, 0).value_or(4);
    const std::int64_t chunk = k.maybe({"attention_chunk_size"}).value_or(8192);
    m.window = WindowSpec{.kind = WindowKind::chunked, .size = chunk, .full_every = m.position.nope_every};
    // The norm on queries and keys has no weights.
    k.ignore({"use_qk_norm", "no_rope_layers", "layer_types", "for_llm_compressor", "attn_temperature_tuning",
              "floor_scale"});
    return m;
}

/// The dense layers that `mlp_layer_types` begins with; experts must follow in all others.
std::optional<std::int64_t> first_dense_layers(HfKeys& k, std::int64_t layers) {
    const auto types = k.per_layer_names("mlp_layer_types", layers);
    if (!types) {
        return std::nullopt;
    }
    const auto sparse = std::find(types->begin(), types->end(), "sparse");
    for (auto type = types->begin(); type != types->end(); ++type) {
        if (*type != (type < sparse ? "dense" : "sparse")) {
            k.fail("mlp_layer_types", "must be 'dense' for the first layers and 'sparse' for all others");
        }
    }
    return sparse - types->begin();
}

/// Experts in every layer from `first_k_dense_replace` on; `moe_layer_freq` may say the same once more.
MoeSpec deepseek_experts(HfKeys& k, std::int64_t layers, std::int64_t experts, std::int64_t shared,
                         std::int64_t top_k, std::int64_t ffn, std::int64_t first_dense) {
    MoeSpec moe{.experts = k.integer({"n_routed_experts", "num_experts"}, experts),
                .top_k = k.integer({"num_experts_per_tok"}, top_k),
                .ffn = k.integer({"moe_intermediate_size"}, ffn)};
    if (const auto dense = first_dense_layers(k, layers)) {
        moe.first_k_dense = *dense;
        k.ignore({"first_k_dense_replace"});
    } else {
        moe.first_k_dense = k.integer({"first_k_dense_replace"}, first_dense, 0);
    }
    const auto given = k.maybe({"n_shared_experts"}, 0);
    moe.shared_experts = given || k.has("n_shared_experts") ? given.value_or(0) : shared;
    moe.shared_ffn = moe.shared_experts * moe.ffn;
    if (const auto frequency = k.find({"moe_layer_freq"})) {
        if (!frequency->is_array()) {
            if (frequency->integer(1) != 1) {
                frequency->fail(std::to_string(frequency->integer()) + "; only 1 is modelled");
            }
            return moe;
        }
        const auto items = frequency->items();
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i].integer(0) != (static_cast<std::int64_t>(i) >= moe.first_k_dense ? 1 : 0)) {
                items[i].fail("must be 0 for the first " + std::to_string(moe.first_k_dense) +
                              " layers (first_k_dense_replace) and 1 for the others");
            }
        }
    }
    return moe;
}

/// Class defaults of latent attention.
struct LatentDefaults {
    std::int64_t query_rank = 1536;
    std::int64_t nope = 128;
    std::int64_t value = 128;
    std::int64_t kv_rank = 512;
};

ModelSpec deepseek_decoder(HfKeys& k, HfDefaults defaults, const LatentDefaults& latent = {}) {
    const std::int64_t nope = k.integer({"qk_nope_head_dim"}, latent.nope);
    const std::int64_t rotary = k.integer({"qk_rope_head_dim"}, 64);
    k.ignore({"head_dim", "qk_head_dim"});
    if (k.required({"hidden_size"}) % k.maybe({"num_attention_heads"}).value_or(defaults.heads) != 0) {
        defaults.head_dim = nope + rotary;
    }
    ModelSpec m = hf_rotary_decoder(k, defaults);
    m.head_dim = nope + rotary;
    m.kv_heads = m.heads;
    const auto rank = k.maybe({"q_lora_rank"});
    m.mla = MlaSpec{
        .q_lora_rank = rank || k.has("q_lora_rank") ? rank : std::optional<std::int64_t>(latent.query_rank),
        .kv_lora_rank = k.integer({"kv_lora_rank"}, latent.kv_rank),
        .qk_nope_dim = nope,
        .qk_rope_dim = rotary,
        .v_head_dim = k.integer({"v_head_dim"}, latent.value)};
    if (!rank && !k.has("q_lora_rank")) {
        k.assume("q_lora_rank = " + std::to_string(latent.query_rank) + ", the default of " + k.type());
    }
    hf_read_attention_bias(k, m, false, true);
    return m;
}

/// The first DeepSeek mixture of experts: plain attention.
ModelSpec read_deepseek(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 102400, 2048, false});
    hf_read_attention_bias(k, m, false, true);
    if (k.maybe({"n_routed_experts"})) {
        m.moe = deepseek_experts(k, m.layers, 64, 0, 6, 1407, 0);
    }
    return m;
}

ModelSpec read_deepseek_v2(HfKeys& k) {
    ModelSpec m = deepseek_decoder(k, {11008, 32, 0, 0, 102400, 2048, false});
    m.moe = deepseek_experts(k, m.layers, 64, 2, 6, 1407, 0);
    m.moe->score_correction_bias = k.text({"topk_method"}).value_or("greedy") == "noaux_tc";
    return m;
}

void read_mtp(HfKeys& k, ModelSpec& m) {
    if (const auto modules = k.maybe({"num_nextn_predict_layers"}, 0); modules && *modules > 0) {
        m.mtp = MtpSpec{.layers = *modules, .embedding_copy = true, .head_copy = true};
        k.assume("the multi-token-prediction module is not part of the totals");
    }
}

ModelSpec read_deepseek_v3(HfKeys& k) {
    ModelSpec m = deepseek_decoder(k, {18432, 128, 128, 0, 129280, 4096, false});
    m.moe = deepseek_experts(k, m.layers, 256, 1, 8, 2048, 3);
    m.moe->score_correction_bias = k.text({"topk_method"}).value_or("noaux_tc") == "noaux_tc";
    read_mtp(k, m);
    return m;
}

/// A.X K1: DeepSeek-V3 with a norm after the experts of each layer.
ModelSpec read_axk1(HfKeys& k) {
    ModelSpec m = deepseek_decoder(k, {18432, 64, 64, 0, 163840, 131072, false});
    m.moe = deepseek_experts(k, m.layers, 192, 1, 8, 2048, 1);
    m.extra.push_back({"norms after the experts", moe_layers(m) * m.hidden});
    read_mtp(k, m);
    return m;
}

/// Every layer must have an indexer of its own.
void read_sparse_layers(HfKeys& k, const ModelSpec& m) {
    for (const char* key : {"layer_types", "indexer_types"}) {
        const auto types = k.per_layer_names(key, m.layers);
        for (const std::string& type : types.value_or(std::vector<std::string>{})) {
            if (type != "deepseek_sparse_attention" && type != "full") {
                k.fail(key, "'" + type +
                                "' layers are not modelled; known are deepseek_sparse_attention and full");
            }
        }
    }
    k.ignore({"mlp_bias", "indexer_rope_interleave", "index_topk_freq", "index_skip_topk_offset",
              "index_topk_pattern", "index_share_for_mtp_iteration"});
}

IndexerSpec read_indexer(HfKeys& k, std::int64_t heads) {
    return {.heads = k.integer({"index_n_heads"}, heads),
            .head_dim = k.integer({"index_head_dim"}, 128),
            .top_k = k.integer({"index_topk"}, 2048)};
}

ModelSpec read_deepseek_v32(HfKeys& k) {
    ModelSpec m = read_deepseek_v3(k);
    m.indexer = read_indexer(k, 64);
    read_sparse_layers(k, m);
    return m;
}

/// GLM-5: DeepSeek-V3.2's sparse attention with wider values.
ModelSpec read_glm_moe_dsa(HfKeys& k) {
    ModelSpec m = deepseek_decoder(k, {12288, 64, 64, 0, 154880, 202752, false}, {2048, 192, 256});
    m.moe = deepseek_experts(k, m.layers, 256, 1, 8, 2048, 3);
    read_mtp(k, m);
    m.indexer = read_indexer(k, 32);
    read_sparse_layers(k, m);
    return m;
}

/// GLM-4.7-Flash: latent attention with DeepSeek's experts.
ModelSpec read_glm4_moe_lite(HfKeys& k) {
    ModelSpec m = deepseek_decoder(k, {10240, 20, 20, 0, 154880, 202752, false}, {768, 192, 256});
    m.moe = deepseek_experts(k, m.layers, 64, 1, 4, 1536, 1);
    read_mtp(k, m);
    k.ignore({"layer_types"});
    return m;
}

ModelSpec read_glm4_moe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {10944, 96, 8, 0, 151552, 131072, false});
    hf_read_attention_bias(k, m, false, false);
    if (k.flag({"use_qk_norm"}, false)) {
        m.norm.qk = QkNorm::per_head;
    }
    if (!k.has("partial_rotary_factor") && !k.has("rope_parameters")) {
        m.position.rope_fraction = 0.5;
    }
    m.moe = deepseek_experts(k, m.layers, 128, 1, 8, 1408, 1);
    m.moe->score_correction_bias = true;
    read_mtp(k, m);
    return m;
}

/// Mistral's latent attention with DeepSeek's experts.
ModelSpec read_mistral4(HfKeys& k) {
    ModelSpec m = deepseek_decoder(k, {12288, 32, 32, 0, 131072, 1048576, false},
                                   {.query_rank = 1024, .nope = 64, .kv_rank = 256});
    m.moe = deepseek_experts(k, m.layers, 128, 1, 4, 2048, 0);
    return m;
}

/// Latent attention in a dense decoder.
ModelSpec read_youtu(HfKeys& k) {
    return deepseek_decoder(k, {6144, 16, 16, 0, 128256, 131072, true});
}

/// LongCat: each of its layers is two of attention and a dense MLP; experts, some of which pass their input
/// on, run beside the first MLP.
ModelSpec read_longcat_flash(HfKeys& k) {
    const std::int64_t pairs = k.integer({"num_layers"}, 28);
    k.ignore({"num_hidden_layers", "intermediate_size", "zero_expert_type", "moe_topk", "mla_scale_q_lora",
              "mla_scale_kv_lora", "attention_method", "router_dtype", "routed_scaling_factor", "head_dim",
              "num_key_value_heads", "topk_method", "mtp_num_layers"});
    k.default_sizes(6144, 2 * pairs);
    ModelSpec m = deepseek_decoder(k, {12288, 64, 64, 0, 131072, 131072, false});
    m.layers = 2 * pairs;
    m.ffn = k.integer({"ffn_hidden_size"}, 12288);
    const std::int64_t idle = k.integer({"zero_expert_num"}, 256, 0);
    const std::int64_t experts = k.integer({"n_routed_experts"}, 512);
    const std::int64_t chosen = k.integer({"moe_topk"}, 12);
    // Of the experts that a token chooses the idle ones cost nothing.
    const std::int64_t working =
        std::max<std::int64_t>(1, (chosen * experts + (experts + idle) / 2) / (experts + idle));
    m.moe = MoeSpec{.experts = experts,
                    .top_k = working,
                    .ffn = k.integer({"expert_ffn_hidden_size"}, 2048),
                    .dense_residual_ffn = m.ffn};
    m.moe->router_bias = k.flag({"router_bias"}, false);
    for (std::int64_t i = 0; i < pairs; ++i) {
        m.feeds.push_back(Feed::experts);
        m.feeds.push_back(Feed::dense);
    }
    m.extra.push_back({"router rows of idle experts", pairs * idle * m.hidden});
    if (idle > 0) {
        k.assume("idle experts hold no weights; transformers gives each a gate and an up projection, " +
                 std::to_string(2 * pairs * idle * m.moe->ffn * m.hidden) + " parameters more");
        k.assume(std::to_string(working) + " of the " + std::to_string(chosen) +
                 " chosen experts compute, on average; the others pass the token through");
    }
    return m;
}

/// The decoder of GLM-4.5V: GLM-4.5's, with biases of queries, keys and values.
ModelSpec read_glm4v_moe(HfKeys& k) {
    const bool biased = k.flag({"attention_bias"}, true);
    ModelSpec m = read_glm4_moe(k);
    m.bias.qkv = biased;
    return m;
}

ModelSpec read_dots1(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {10944, 32, 32, 0, 152064, 2048, false});
    m.norm.qk = QkNorm::per_head;
    hf_read_attention_bias(k, m, false, true);
    m.moe = deepseek_experts(k, m.layers, k.required({"n_routed_experts"}), 0,
                             k.required({"num_experts_per_tok"}), 1408, 0);
    m.moe->score_correction_bias = true;
    k.ignore({"max_window_layers", "sliding_window", "layer_types"});
    return m;
}

/// MiniMax-M2: norms over all heads of queries and keys; its multi-token-prediction modules are not
/// described.
ModelSpec read_minimax_m2(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {1536, 48, 8, 128, 200064, 196608, false});
    if (k.flag({"use_qk_norm"}, true)) {
        if (const auto kind = k.text({"qk_norm_type"}); kind && *kind != "per_layer") {
            k.fail("qk_norm_type", "'" + *kind + "'; only per_layer is modelled");
        }
        m.norm.qk = QkNorm::full;
    }
    m.moe = MoeSpec{.experts = k.integer({"num_local_experts", "num_experts"}, 256),
                    .top_k = k.integer({"num_experts_per_tok"}, 8),
                    .ffn = m.ffn};
    m.moe->score_correction_bias = k.flag({"use_routing_bias"}, true);
    m.moe->shared_ffn = k.maybe({"shared_intermediate_size"}, 0).value_or(0);
    m.moe->shared_experts = m.moe->shared_ffn > 0 ? 1 : 0;
    if (const auto types = k.find({"attn_type_list"})) {
        for (const JsonNode& item : types->items()) {
            if (item.integer(0) != 1) {
                item.fail(std::to_string(item.integer()) + "; only 1, full attention, is modelled");
            }
        }
    }
    if (k.maybe({"num_mtp_modules"}, 0).value_or(0) > 0) {
        k.assume("multi-token-prediction modules are left out");
    }
    k.ignore({"layernorm_full_attention_beta", "layernorm_linear_attention_beta", "layernorm_mlp_beta",
              "mlp_intermediate_size", "mtp_transformer_layers", "use_mtp", "layer_types",
              "shared_moe_mode"});
    return m;
}

/// A dense MLP as wide as the hidden size beside the experts, with a norm of its own.
ModelSpec read_arctic(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {14336, 32, 0, 0, 32000, 4096, false});
    hf_read_attention_bias(k, m, false, true);
    m.moe = MoeSpec{.experts = k.integer({"num_local_experts", "num_experts"}, 8),
                    .top_k = k.integer({"num_experts_per_tok"}, 1),
                    .ffn = m.ffn};
    m.moe->interleave_step = k.integer({"moe_layer_frequency"}, 2);
    if (k.flag({"parallel_attn_mlp_res"}, false)) {
        if (m.moe->interleave_step != 1) {
            k.fail("moe_layer_frequency", std::to_string(m.moe->interleave_step) +
                                              "; with parallel_attn_mlp_res only 1 is modelled");
        }
        m.moe->dense_residual_ffn = m.hidden;
        m.norm.per_layer = 3;
    }
    hf_read_window(k, m, std::nullopt, 0);
    if (k.flag({"use_residual"}, false)) {
        k.fail("use_residual", "is true; the residual mixture is not modelled");
    }
    k.ignore({"enable_expert_tensor_parallelism", "moe_min_capacity", "moe_token_dropping", "quantization"});
    return m;
}

ModelSpec read_ernie_moe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {12288, 20, 4, 0, 103424, 131072, true});
    const bool bias = k.flag({"use_bias"}, false);
    m.bias.qkv = m.bias.attention_out = m.bias.mlp = bias;
    const auto ffn = k.uniform({"moe_intermediate_size"});
    m.moe = MoeSpec{.experts = k.uniform({"moe_num_experts"}).value_or(64),
                    .top_k = k.integer({"moe_k"}, 6),
                    .ffn = ffn.value_or(1536)};
    m.moe->shared_experts = k.integer({"moe_num_shared_experts"}, 2, 0);
    m.moe->shared_ffn = m.moe->shared_experts * m.moe->ffn;
    m.moe->expert_bias = bias;
    m.moe->score_correction_bias = true;
    m.moe->first_k_dense = k.uniform({"moe_layer_start_index"}, 0).value_or(1);
    const auto last = k.find({"moe_layer_end_index"});
    if (last && last->integer(-1) != -1 && last->integer() != m.layers - 1) {
        last->fail(std::to_string(last->integer()) + "; only -1 or the last layer, " +
                   std::to_string(m.layers - 1) + ", is modelled");
    }
    const std::int64_t interval = k.integer({"moe_layer_interval"}, 1);
    if (interval != 1 && m.moe->first_k_dense % interval != 0) {
        k.fail("moe_layer_interval", std::to_string(interval) + ", which must divide moe_layer_start_index");
    }
    m.moe->interleave_step = interval;
    if (k.maybe({"num_nextn_predict_layers"}, 0).value_or(0) > 0) {
        k.assume("multi-token-prediction modules are left out");
    }
    k.ignore({"moe_gate",
              "moe_use_aux_free",
              "moe_norm_min",
              "moe_group",
              "moe_group_experts",
              "moe_dense_experts_token_type_id",
              "moe_multimodal_dispatch_use_allgather",
              "moe_reverse_token_drop",
              "moe_use_hard_gate",
              "moe_orthogonal_loss_lambda",
              "weight_share_add_bias",
              "use_rmsnorm",
              "moe_all_to_all_dropout",
              "moe_every2",
              "multi_token_pred_lambda",
              "token_balance_seqlen",
              "use_recompute_moe",
              "sinkhorn_2gate",
              "sinkhorn_temp",
              "max_sequence_length"});
    return m;
}

/// The shared MLP is as wide as an expert, or `num_shared_expert` of them together.
ModelSpec read_hunyuan_moe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {11008, 32, 0, 0, 290943, 2048, false});
    hf_read_attention_bias(k, m, false, true);
    m.norm.qk = k.flag({"use_qk_norm"}, true) ? QkNorm::per_head : QkNorm::none;
    const std::int64_t ffn = k.uniform({"moe_intermediate_size"}).value_or(m.ffn);
    m.moe = MoeSpec{.experts = k.uniform({"num_experts"}).value_or(1),
                    .top_k = k.uniform({"moe_topk"}).value_or(1),
                    .ffn = ffn};
    m.moe->shared_experts = k.uniform({"num_shared_expert"}).value_or(1);
    m.moe->shared_ffn = m.moe->shared_experts * ffn;
    m.moe->first_k_dense = k.maybe({"moe_layer_num_skipped"}, 0).value_or(0);
    if (const auto shared = k.find({"use_mixed_mlp_moe"}); shared && !shared->boolean()) {
        m.moe->shared_experts = m.moe->shared_ffn = 0;
    }
    k.ignore({"org_vocab_size",
              "class_num",
              "pool_type",
              "cla_share_factor",
              "mask_init_id",
              "mlp_bias",
              "norm_type",
              "moe_drop_tokens",
              "moe_random_routing_dropped_token",
              "moe_renormalize",
              "expert_hidden_dim",
              "kv_lora_rank",
              "q_lora_rank",
              "qk_nope_head_dim",
              "qk_rope_head_dim",
              "v_head_dim",
              "position_embedding_xdrope",
              "xdrope_section",
              "group_limited_greedy",
              "num_media_embeds"});
    return m;
}

/// Grok-1: experts in every layer, a norm before and after each sublayer.
ModelSpec read_grok(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {32768, 48, 8, 0, 131072, 8192, true});
    m.activation = hf_activation(k, {"hidden_act"}, Activation::gelu);
    m.norm.per_layer = 4;
    m.norm.placement = NormPlacement::sandwich;
    m.moe = MoeSpec{.experts = k.integer({"num_experts"}, 8),
                    .top_k = k.integer({"num_experts_per_tok"}, 2),
                    .ffn = m.ffn};
    k.ignore({"attn_output_multiplier", "embedding_multiplier_scale", "output_multiplier_scale",
              "max_attn_value"});
    return m;
}

ModelSpec read_dbrx(HfKeys& k) {
    const std::int64_t hidden = k.required({"d_model", "hidden_size"});
    const std::int64_t heads = k.integer({"n_heads", "num_attention_heads"}, 16);
    ModelSpec m{.name = k.type(),
                .family = k.type(),
                .architecture = Architecture::decoder,
                .layers = k.required({"n_layers", "num_hidden_layers"}),
                .hidden = hidden,
                .heads = heads,
                .kv_heads = 1,
                .head_dim = hf_head_dim(k, "n_heads", hidden, heads),
                .ffn = 3584,
                .gated_mlp = true,
                .activation = Activation::silu,
                .vocab = k.integer({"vocab_size"}, 32000),
                .tied_embeddings = k.flag({"tie_word_embeddings"}, false),
                .position = {.kind = PositionKind::rope},
                .norm = {.kind = NormKind::layernorm,
                         .bias = false,
                         .per_layer = 2,
                         .final_norm = true,
                         .embedding_norm = false,
                         .qk = QkNorm::none,
                         .placement = NormPlacement::pre},
                .bias = {.qkv = false, .attention_out = false, .mlp = false, .lm_head = false}};
    m.max_position = k.integer({"max_seq_len"}, 2048);
    m.moe = MoeSpec{.experts = 4, .top_k = 1, .ffn = m.ffn};
    if (auto attention = k.object("attn_config")) {
        m.kv_heads = attention->integer({"kv_n_heads"}, 1);
        m.position.rope_theta = attention->number({"rope_theta"});
        attention->finish();
    }
    if (auto ffn = k.object("ffn_config")) {
        m.ffn = m.moe->ffn = ffn->integer({"ffn_hidden_size"}, 3584);
        m.moe->experts = ffn->integer({"moe_num_experts"}, 4);
        m.moe->top_k = ffn->integer({"moe_top_k"}, 1);
        if (const auto same = ffn->maybe({"hidden_size"}); same && *same != m.hidden) {
            ffn->fail("hidden_size",
                      std::to_string(*same) + "; must be d_model = " + std::to_string(m.hidden));
        }
        ffn->ignore({"ffn_act_fn", "moe_normalize_expert_weights", "uniform_expert_assignment"});
        ffn->finish();
    }
    return m;
}

constexpr std::array moe_readers = std::to_array<HfReader>({
    {"arctic", read_arctic},
    {"axk1", read_axk1},
    {"dbrx", read_dbrx},
    {"deepseek", read_deepseek},
    {"deepseek_v2", read_deepseek_v2},
    {"deepseek_v3", read_deepseek_v3},
    {"deepseek_v32", read_deepseek_v32},
    {"dots1", read_dots1},
    {"ernie4_5_moe", read_ernie_moe},
    {"glm4_moe", read_glm4_moe},
    {"glm4_moe_lite", read_glm4_moe_lite},
    {"glm4v_moe_text", read_glm4v_moe},
    {"glm_moe_dsa", read_glm_moe_dsa},
    {"gpt_oss", read_gpt_oss},
    {"granitemoe", read_granitemoe},
    {"granitemoeshared", read_granitemoeshared},
    {"hunyuan_v1_moe", read_hunyuan_moe},
    {"grok-1", read_grok},
    {"kimi_k2", read_deepseek_v3},
    {"longcat_flash", read_longcat_flash},
    {"llama4_text", read_llama4},
    {"minimax_m2", read_minimax_m2},
    {"mistral4", read_mistral4},
    {"mixtral", read_mixtral},
    {"olmoe", read_olmoe},
    {"phimoe", read_phimoe},
    {"qwen2_moe", read_qwen2_moe},
    {"qwen3_moe", read_qwen3_moe},
    {"qwen3_omni_moe_text", read_qwen3_moe},
    {"qwen3_vl_moe_text", read_qwen3_moe},
    {"youtu", read_youtu},
});

}  // namespace

std::span<const HfReader> hf_moe_readers() {
    return moe_readers;
}

}  // namespace traincost
