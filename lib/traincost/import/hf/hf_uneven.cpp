// Attention to compressed keys, experts in attention, and mixtures of experts whose layers with a window have
// heads of their own.
#include <algorithm>
#include <array>

#include "traincost/import/hf/hf_families.hpp"

namespace traincost {

namespace {

// Defaults: those of each configuration class in transformers 5.17.

// DeepSeek-V4
// ---------------------------------------------------------------------------------------------

/// Layers whose attention reads pooled keys: of a few tokens that an indexer chooses from, or of many.
struct CompressedLayers {
    std::int64_t sparse = 0;
    std::int64_t heavy = 0;
    std::int64_t sparse_rate = 4;
    std::int64_t heavy_rate = 128;
};

CompressedLayers read_compressed_layers(HfKeys& k, std::int64_t layers) {
    CompressedLayers out;
    if (auto rates = k.object("compress_rates")) {
        out.sparse_rate = rates->maybe({"compressed_sparse_attention"}).value_or(out.sparse_rate);
        out.heavy_rate = rates->maybe({"heavily_compressed_attention"}).value_or(out.heavy_rate);
    }
    out.sparse_rate = k.maybe({"compress_rate_csa"}).value_or(out.sparse_rate);
    out.heavy_rate = k.maybe({"compress_rate_hca"}).value_or(out.heavy_rate);
    k.ignore({"compress_ratios"});
    if (const auto types = k.per_layer_names("layer_types", layers)) {
        for (const std::string& type : *types) {
            out.sparse += type == "compressed_sparse_attention" ? 1 : 0;
            out.heavy += type == "heavily_compressed_attention" ? 1 : 0;
            if (type != "compressed_sparse_attention" && type != "heavily_compressed_attention" &&
                type != "sliding_attention") {
                k.fail("layer_types", "'" + type + "' layers are not modelled for deepseek_v4");
            }
        }
    } else if (const auto ratios = k.find({"compress_ratios"})) {
        const auto items = ratios->items();
        // Those of modules that predict further tokens stand at the end.
        for (std::size_t i = 0; i < std::min(items.size(), static_cast<std::size_t>(layers)); ++i) {
            const std::int64_t ratio = items[i].integer(0);
            if (ratio != 0 && ratio != 4 && ratio != 128) {
                items[i].fail(std::to_string(ratio) + "; must be 0, 4 or 128");
            }
            out.sparse += ratio == 4 ? 1 : 0;
            out.heavy += ratio == 128 ? 1 : 0;
        }
    } else {
        const std::int64_t after = std::max<std::int64_t>(0, layers - 2);
        out.sparse = after / 2;
        out.heavy = layers - out.sparse;
    }
    return out;
}

/// What pools keys: a projection, a gate and positions within a pool of `width`, and a norm of `out`.
std::int64_t pooled_keys(std::int64_t hidden, std::int64_t rate, std::int64_t width, std::int64_t out) {
    return 2 * hidden * width + rate * width + out;
}

void add_compressors(HfKeys& k, ModelSpec& m, const CompressedLayers& layers) {
    const std::int64_t heads = k.integer({"index_n_heads"}, 64);
    const std::int64_t dim = k.integer({"index_head_dim"}, 128);
    const std::int64_t rank = m.grouped_latent->query_rank;
    // Pools of the sparse layers overlap: each key is made twice as wide.
    const std::int64_t indexer =
        pooled_keys(m.hidden, layers.sparse_rate, 2 * dim, dim) + rank * heads * dim + m.hidden * heads;
    const std::int64_t sparse =
        pooled_keys(m.hidden, layers.sparse_rate, 2 * m.head_dim, m.head_dim) + indexer;
    const std::int64_t heavy = pooled_keys(m.hidden, layers.heavy_rate, m.head_dim, m.head_dim);
    m.extra.push_back({"pooled keys and their indexers", layers.sparse * sparse + layers.heavy * heavy});
}

/// Several copies of the residual stream that each part reads and writes by weights of its own.
void add_hyper_connections(HfKeys& k, ModelSpec& m) {
    const std::int64_t copies = k.integer({"hc_mult"}, 4);
    const std::int64_t wide = copies * m.hidden;
    const std::int64_t mixtures = (2 + copies) * copies;
    constexpr std::int64_t parts = 2;
    constexpr std::int64_t scales = 3;
    m.extra.push_back(
        {"hyper-connections", m.layers * parts * (mixtures * (wide + 1) + scales) + copies * (wide + 1) + 1});
    k.assume("hyper-connections and pooled keys are counted, their operators are not");
    k.ignore({"hc_eps", "hc_sinkhorn_iters"});
}

ModelSpec read_deepseek_v4(HfKeys& k) {
    k.ignore({"intermediate_size"});
    const std::int64_t layers = k.required({"num_hidden_layers"});
    const CompressedLayers compressed = read_compressed_layers(k, layers);
    ModelSpec m = hf_rotary_decoder(k, {2048, 64, 1, 512, 129280, 1048576, false});
    m.keys_are_values = true;
    m.kv_heads = 1;
    m.position.rope_fraction = 0.125;
    m.attention_sinks = m.heads;
    m.grouped_latent = GroupedLatentSpec{.query_rank = k.integer({"q_lora_rank"}, 1024),
                                         .output_groups = k.integer({"o_groups"}, 8),
                                         .output_rank = k.integer({"o_lora_rank"}, 1024)};
    hf_read_attention_bias(k, m, false, false);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    m.moe = MoeSpec{.experts = k.integer({"n_routed_experts", "num_local_experts"}, 256),
                    .top_k = k.integer({"num_experts_per_tok"}, 6),
                    .ffn = k.integer({"moe_intermediate_size"}, 2048)};
    m.ffn = m.moe->ffn;
    m.moe->shared_experts = k.integer({"n_shared_experts"}, 1, 0);
    m.moe->shared_ffn = m.moe->shared_experts * m.moe->ffn;
    const std::int64_t window = k.integer({"sliding_window"}, 128);
    const std::int64_t chosen = k.integer({"index_topk"}, 512);
    m.window = WindowSpec{.kind = WindowKind::sliding, .size = window + chosen, .full_every = 0};
    k.assume("a query is timed with the " + std::to_string(window) + " tokens of its window and the " +
             std::to_string(chosen) + " pooled keys that it chooses");
    add_compressors(k, m, compressed);
    add_hyper_connections(k, m);
    if (const std::int64_t modules = k.maybe({"num_nextn_predict_layers"}, 0).value_or(0); modules > 0) {
        m.mtp = MtpSpec{.layers = modules, .embedding_copy = false, .head_copy = false};
        k.assume("the multi-token-prediction module is not part of the totals");
    }
    k.ignore({"num_hash_layers", "n_hash_layers", "mlp_layer_types", "qk_rope_head_dim",
              "compress_rope_theta", "rope_head_dim", "rope_parameters", "expert_dtype", "head_dim"});
    return m;
}

// JetMoE
// ---------------------------------------------------------------------------------------------------

/// Experts in attention: each has a projection of queries and one of outputs for all key heads.
ModelSpec read_jetmoe(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {5632, 32, 16, k.integer({"kv_channels"}, 128), 32000, 4096, true});
    m.kv_heads = k.integer({"num_key_value_heads"}, 16);
    m.head_dim = k.integer({"kv_channels"}, 128);
    m.activation = hf_activation(k, {"activation_function"}, Activation::silu);
    const std::int64_t experts = k.integer({"num_local_experts"}, 8);
    const std::int64_t chosen = k.integer({"num_experts_per_tok"}, 2);
    m.heads = m.kv_heads * chosen;
    m.moe = MoeSpec{.experts = experts, .top_k = chosen, .ffn = m.ffn};
    const std::int64_t width = m.kv_heads * m.head_dim;
    m.extra.push_back({"experts of attention that a token does not choose",
                       m.layers * (experts - chosen) * 2 * m.hidden * width});
    m.extra.push_back(
        {"routers and biases of attention's and the MLP's experts", m.layers * (experts + 2) * m.hidden});
    k.assume("a token's " + std::to_string(chosen) + " of " + std::to_string(experts) +
             " experts of attention are timed as one projection");
    k.ignore({"aux_loss_coef", "ffn_hidden_size", "num_attention_heads", "num_layers", "glu", "moe_top_k",
              "moe_num_experts", "bias"});
    return m;
}

// Layers with a window that have heads of their own
// ----------------------------------------------------------------------------------------

/// Layers that see a window: those of `layer_types`, or of a list of numbers under `pattern`, 1 for a window;
/// where neither is there all see everything but what `made` says.
template <class Make>
std::vector<bool> windowed_layers(HfKeys& k, std::int64_t layers, std::string_view pattern, Make made) {
    std::vector<bool> windowed;
    for (std::int64_t i = 0; i < layers; ++i) {
        windowed.push_back(made(i));
    }
    const auto types = k.find({"layer_types"});
    const auto numbers = k.find({pattern});
    const auto list = types ? types : numbers;
    if (!list) {
        return windowed;
    }
    const auto items = list->items();
    if (items.size() < windowed.size()) {
        list->fail("has " + std::to_string(items.size()) + " entries; must have one for each of the " +
                   std::to_string(layers) + " layers");
    }
    for (std::size_t i = 0; i < windowed.size(); ++i) {
        windowed[i] = types ? items[i].string() == "sliding_attention" : items[i].integer(0) == 1;
    }
    return windowed;
}

/// Gives the layers with a window that shape, and the window's size to the model.
void set_windowed(HfKeys& k, ModelSpec& m, const std::vector<bool>& windowed, const LayerShape& shape,
                  std::int64_t size) {
    const std::int64_t own = hf_layer_shape(m, shape);
    const std::int64_t full = std::count(windowed.begin(), windowed.end(), false);
    if (own != 0) {
        for (const bool with_window : windowed) {
            m.layer_shapes.push_back(with_window ? own : 0);
        }
    }
    if (full == m.layers || size == 0) {
        return;
    }
    const std::int64_t period = full == 0 ? 0 : (m.layers + full / 2) / full;
    m.window = WindowSpec{.kind = WindowKind::sliding, .size = size, .full_every = period};
    if (full > 0) {
        k.assume("every " + std::to_string(period) + "-th layer is timed as one that sees all tokens");
    }
}

/// Layers with experts: `mlp_layer_types`, the numbers of `moe_layer_freq`, or all from `first` on.
void set_expert_layers(HfKeys& k, ModelSpec& m, std::int64_t first) {
    const auto types = k.per_layer_names("mlp_layer_types", m.layers);
    const auto numbers = k.find({"moe_layer_freq"});
    const bool listed = numbers && numbers->is_array();
    const auto items = listed ? numbers->items() : std::vector<JsonNode>{};
    if (listed && static_cast<std::int64_t>(items.size()) < m.layers) {
        numbers->fail("has " + std::to_string(items.size()) + " entries; must have one for each of the " +
                      std::to_string(m.layers) + " layers");
    }
    for (std::int64_t i = 0; i < m.layers; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool sparse = types    ? (*types)[at] == "sparse"
                            : listed ? items[at].integer(0) == 1
                                     : i >= first;
        m.feeds.push_back(sparse ? Feed::experts : Feed::dense);
    }
}

/// MiMo-V2: values narrower than keys, twice the key heads and sinks in layers with a window.
ModelSpec read_mimo_v2(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {16384, 64, 4, 192, 152576, 131072, false});
    m.value_dim = k.integer({"v_head_dim"}, 128);
    hf_read_attention_bias(k, m, false, false);
    m.moe = MoeSpec{.experts = k.integer({"n_routed_experts", "num_local_experts"}, 256),
                    .top_k = k.integer({"num_experts_per_tok"}, 8),
                    .ffn = k.integer({"moe_intermediate_size"}, 2048)};
    m.moe->shared_experts = k.maybe({"n_shared_experts"}, 0).value_or(0);
    m.moe->shared_ffn = m.moe->shared_experts * m.moe->ffn;
    const auto windowed = windowed_layers(k, m.layers, "hybrid_layer_pattern",
                                          [](std::int64_t i) { return i != 0 && (i + 1) % 6 != 0; });
    const std::int64_t own = k.maybe({"swa_num_key_value_heads"}).value_or(2 * m.kv_heads);
    LayerShape shape;
    if (own != m.kv_heads) {
        shape.kv_heads = own;
    }
    set_windowed(k, m, windowed, shape, k.integer({"sliding_window", "sliding_window_size"}, 128, 0));
    set_expert_layers(k, m, 1);
    const auto count = [&](std::string_view key, bool fallback, bool value) {
        const auto node = k.find({key});
        return (node ? node->boolean() : fallback) ? std::count(windowed.begin(), windowed.end(), value) : 0;
    };
    m.extra.push_back({"sinks", m.heads * (count("add_swa_attention_sink_bias", true, true) +
                                           count("add_full_attention_sink_bias", false, false))});
    k.ignore({"attention_value_scale", "swa_num_attention_heads", "swa_head_dim", "swa_v_head_dim",
              "swa_rope_theta", "hybrid_block_size", "attention_chunk_size", "layernorm_epsilon",
              "attention_projection_layout", "num_nextn_predict_layers", "layer_types"});
    return m;
}

/// A gate of each head, made of the layer's input.
void add_head_gates(ModelSpec& m, const std::vector<bool>& windowed, std::int64_t windowed_heads) {
    const std::int64_t narrow = std::count(windowed.begin(), windowed.end(), true);
    m.extra.push_back(
        {"gates of heads", m.hidden * (narrow * windowed_heads + (m.layers - narrow) * m.heads)});
}

/// Step 3.5: more heads where there is a window, a gate of each head.
ModelSpec read_step3p5(HfKeys& k) {
    if (k.has("num_attention_groups")) {
        k.ignore({"num_key_value_heads"});
    }
    const std::int64_t groups = k.maybe({"num_attention_groups", "num_key_value_heads"}).value_or(8);
    ModelSpec m = hf_rotary_decoder(k, {11264, 64, groups, 128, 128815, 128000, false});
    m.kv_heads = groups;
    m.norm.qk = QkNorm::per_head;
    m.norm.fp32_scale = true;
    hf_read_attention_bias(k, m, false, true);
    m.bias.mlp = k.flag({"mlp_bias"}, false);
    m.moe = MoeSpec{.experts = k.integer({"moe_num_experts", "n_routed_experts"}, 288),
                    .top_k = k.integer({"moe_top_k", "num_experts_per_tok"}, 8),
                    .ffn = k.integer({"moe_intermediate_size"}, 1280)};
    m.moe->shared_experts = 1;
    m.moe->shared_ffn = k.integer({"share_expert_dim", "share_expert_dims"}, 1280);
    const auto windowed =
        windowed_layers(k, m.layers, "attention_pattern", [](std::int64_t) { return false; });
    std::int64_t heads = k.maybe({"num_sliding_attention_heads"}).value_or(m.heads);
    if (auto other = k.object("attention_other_setting")) {
        heads = other->maybe({"num_attention_heads"}).value_or(heads);
    }
    LayerShape shape;
    if (heads != m.heads) {
        shape.heads = heads;
    }
    set_windowed(k, m, windowed, shape, k.maybe({"sliding_window"}, 0).value_or(0));
    if (const auto names = k.text({"moe_layers_enum"})) {
        std::vector<bool> sparse(static_cast<std::size_t>(m.layers), false);
        std::int64_t index = 0;
        for (const char c : *names + ",") {
            if (c >= '0' && c <= '9') {
                index = std::min<std::int64_t>(10 * index + (c - '0'), m.layers);
            } else if (c == ',') {
                if (index < m.layers) {
                    sparse[static_cast<std::size_t>(index)] = true;
                }
                index = 0;
            }
        }
        for (const bool with_experts : sparse) {
            m.feeds.push_back(with_experts ? Feed::experts : Feed::dense);
        }
    } else {
        set_expert_layers(k, m, 3);
    }
    add_head_gates(m, windowed, heads);
    if (const std::int64_t modules = k.maybe({"num_nextn_predict_layers", "num_mtp_layers"}, 0).value_or(0);
        modules > 0) {
        k.assume("multi-token-prediction modules are left out");
    }
    k.ignore({"swiglu_limits",
              "swiglu_limits_shared",
              "mtp_layer_types",
              "mtp_mlp_layer_types",
              "per_layer_config",
              "moe_layer_offset",
              "moe_every_n_layer",
              "moe_router_activation",
              "moe_router_scaling_factor",
              "use_moe",
              "use_moe_router_bias",
              "need_fp32_gate",
              "use_qk_norm",
              "use_head_wise_attn_gate",
              "norm_expert_weight",
              "partial_rotary_factors",
              "yarn_only_types",
              "use_rope_layers",
              "layer_types",
              "rope_theta",
              "att_impl_type",
              "use_mfa",
              "zero_centered",
              "sink",
              "num_local_experts"});
    return m;
}

/// Laguna: heads a layer as a list says, a gate of each head or of each channel.
ModelSpec read_laguna(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {8192, 48, 8, 128, 100352, 131072, false});
    m.norm.qk = QkNorm::per_head;
    hf_read_attention_bias(k, m, false, true);
    m.moe = MoeSpec{.experts = k.integer({"num_experts"}, 256),
                    .top_k = k.integer({"num_experts_per_tok"}, 8),
                    .ffn = k.integer({"moe_intermediate_size"}, 512)};
    m.moe->shared_experts = 1;
    m.moe->shared_ffn = k.integer({"shared_expert_intermediate_size"}, 512);
    m.moe->score_correction_bias = true;
    const auto windowed = windowed_layers(k, m.layers, "layer_types", [](std::int64_t) { return false; });
    set_windowed(k, m, windowed, {}, k.integer({"sliding_window"}, 512, 0));
    set_expert_layers(k, m, 1);
    std::vector<std::int64_t> heads(static_cast<std::size_t>(m.layers), m.heads);
    if (const auto list = k.find({"num_attention_heads_per_layer"})) {
        const auto items = list->items();
        for (std::size_t i = 0; i < std::min(items.size(), heads.size()); ++i) {
            heads[i] = items[i].integer(1);
        }
    }
    const auto gating = k.find({"gating"});
    const bool per_channel = gating && gating->is_string() && gating->string() != "per-head";
    std::int64_t gates = 0;
    for (const std::int64_t own : heads) {
        m.layer_shapes.push_back(own == m.heads ? 0 : hf_layer_shape(m, {.heads = own}));
        gates += own * (per_channel ? m.head_dim : 1);
    }
    m.extra.push_back({"gates of heads", m.hidden * gates});
    k.ignore({"moe_apply_router_weight_on_input", "moe_router_logit_softcapping", "moe_routed_scaling_factor",
              "layer_types", "swa_attention_sink_enabled", "decoder_sparse_step", "mlp_only_layers",
              "moe_router_use_sigmoid", "qkv_bias", "swa_rope_parameters"});
    return m;
}

constexpr std::array uneven_readers = std::to_array<HfReader>({
    {"deepseek_v4", read_deepseek_v4},
    {"jetmoe", read_jetmoe},
    {"laguna", read_laguna},
    {"mimo_v2", read_mimo_v2},
    {"mimo_v2_flash", read_mimo_v2},
    {"step3p5", read_step3p5},
});

}  // namespace

std::span<const HfReader> hf_uneven_readers() {
    return uneven_readers;
}

}  // namespace traincost
