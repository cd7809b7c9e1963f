#include "traincost/import/hf/hf_recurrent.hpp"

#include <algorithm>
#include <array>

namespace traincost {

namespace {

// Defaults: see hf_llama.cpp; classes younger than that are those of transformers 5.17.

/// A decoder of state-space layers and nothing else: one norm and one mixer a layer.
ModelSpec state_space_decoder(HfKeys& k, std::int64_t vocab, bool tied) {
    ModelSpec m{.name = k.type(),
                .family = k.type(),
                .architecture = Architecture::decoder,
                .layers = k.required({"num_hidden_layers", "n_layer"}),
                .hidden = k.required({"hidden_size", "d_model"}),
                .heads = 1,
                .kv_heads = 1,
                .head_dim = 1,
                .ffn = 0,
                .gated_mlp = false,
                .activation = hf_activation(k, {"hidden_act"}, Activation::silu),
                .vocab = k.integer({"vocab_size"}, vocab),
                .tied_embeddings = k.flag({"tie_word_embeddings"}, tied),
                .position = {.kind = PositionKind::none},
                .norm = {.kind = NormKind::rmsnorm,
                         .bias = false,
                         .per_layer = 1,
                         .final_norm = true,
                         .embedding_norm = false,
                         .qk = QkNorm::none,
                         .placement = NormPlacement::pre},
                .bias = {.qkv = false, .attention_out = false, .mlp = false, .lm_head = false}};
    m.mixers.assign(static_cast<std::size_t>(m.layers), Mixer::recurrent);
    m.feeds.assign(static_cast<std::size_t>(m.layers), Feed::none);
    k.ignore({"residual_in_fp32", "rms_norm", "time_step_init_scheme", "time_step_limit", "time_step_min",
              "time_step_max", "time_step_floor", "rescale_prenorm_residual", "use_mambapy",
              "use_associative_scan", "use_falcon_mambapy", "pad_vocab_size_multiple", "fused_add_norm",
              "ssm_cfg", "norm_before_gate"});
    return m;
}

ModelSpec read_mamba(HfKeys& k) {
    ModelSpec m = state_space_decoder(k, 50280, true);
    const std::int64_t expand = k.integer({"expand"}, 2);
    const auto inner = k.maybe({"intermediate_size", "d_inner"});
    m.recurrent = RecurrentSpec{.kind = RecurrentKind::mamba,
                                .heads = inner.value_or(expand * m.hidden),
                                .head_dim = 1,
                                .groups = 1,
                                .state = k.integer({"state_size"}, 16),
                                .kernel = k.integer({"conv_kernel"}, 4),
                                .rank = hf_step_rank(k, "time_step_rank", m.hidden),
                                .chunk = 1,
                                .projection_bias = k.flag({"use_bias"}, false),
                                .convolution_bias = k.flag({"use_conv_bias"}, true),
                                .norm = false};
    k.ignore({"mixer_rms_eps", "b_c_dt_rms"});
    return m;
}

ModelSpec read_mamba2(HfKeys& k) {
    ModelSpec m = state_space_decoder(k, 32768, false);
    const auto inner = k.maybe({"intermediate_size"});
    m.recurrent = hf_mamba2(k,
                            {"num_heads", "head_dim", "n_groups", "state_size", "conv_kernel", "expand",
                             "use_conv_bias", "use_bias", "chunk_size"},
                            {128, 64, 8, 128, 256}, m.hidden, inner);
    k.ignore({"time_step_rank", "hidden_act"});
    return m;
}

/// Griffin's pattern of recurrent and attention blocks; the MLP is half as wide as the file says, because
/// that holds gate and up.
ModelSpec read_recurrent_gemma(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {3 * 2560 * 2, 10, 0, 0, 256000, 8192, true});
    m.activation = hf_activation(k, {"hidden_activation"}, Activation::gelu_tanh);
    m.norm.fp32_scale = true;
    if (m.ffn % 2 != 0) {
        k.fail("intermediate_size", std::to_string(m.ffn) + "; must be even: it holds gate and up");
    }
    m.ffn /= 2;
    m.bias.mlp = m.bias.attention_out = true;
    m.bias.qkv = k.flag({"attention_bias"}, false);
    m.logits_softcap = true;
    m.position.rope_fraction = 0.5;
    std::vector<std::string> pattern = {"recurrent", "recurrent", "attention"};
    if (const auto given = k.find({"block_types", "_block_types"})) {
        pattern = given->strings();
        if (pattern.empty()) {
            given->fail("is empty; must name at least one block");
        }
    }
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < m.layers; ++i) {
        names.push_back(pattern[static_cast<std::size_t>(i) % pattern.size()]);
    }
    const std::int64_t width = k.maybe({"lru_width"}).value_or(m.hidden);
    hf_set_mixers(m, hf_mixers(k, "block_types", names, {"recurrent"}),
                  RecurrentSpec{.kind = RecurrentKind::gated_lru,
                                .heads = m.heads,
                                .head_dim = hf_head_dim(k, "lru_width", width, m.heads),
                                .groups = m.heads,
                                .state = 0,
                                .kernel = k.integer({"conv1d_width"}, 4),
                                .rank = 0,
                                .chunk = 1,
                                .projection_bias = true,
                                .convolution_bias = true,
                                .norm = false});
    m.window = WindowSpec{
        .kind = WindowKind::sliding, .size = k.integer({"attention_window_size"}, 2048), .full_every = 0};
    k.ignore({"w_init_variance_scale", "final_w_init_variance_scale", "logits_soft_cap"});
    return m;
}

/// RWKV 4: two mixtures of each token with the one before it a layer, the second around an MLP.
ModelSpec read_rwkv(HfKeys& k) {
    ModelSpec m = state_space_decoder(k, 50277, false);
    const std::int64_t width = k.maybe({"attention_hidden_size"}).value_or(m.hidden);
    m.ffn = k.maybe({"intermediate_size"}).value_or(4 * m.hidden);
    m.activation = Activation::squared_relu;
    m.norm.kind = NormKind::layernorm;
    m.norm.bias = m.norm.embedding_norm = true;
    m.norm.per_layer = 2;
    m.max_position = k.maybe({"context_length"});
    m.feeds.assign(static_cast<std::size_t>(m.layers), Feed::dense);
    m.recurrent = RecurrentSpec{.kind = RecurrentKind::time_mixing,
                                .heads = width,
                                .head_dim = 1,
                                .groups = width,
                                .state = 1,
                                .kernel = 0,
                                .rank = 0,
                                .chunk = 1,
                                .norm = false};
    k.ignore({"rescale_every"});
    return m;
}

constexpr std::array recurrent_readers = std::to_array<HfReader>({
    {"falcon_mamba", read_mamba},
    {"mamba", read_mamba},
    {"mamba2", read_mamba2},
    {"recurrent_gemma", read_recurrent_gemma},
    {"rwkv", read_rwkv},
});

}  // namespace

std::int64_t hf_step_rank(HfKeys& keys, std::string_view name, std::int64_t hidden) {
    constexpr std::int64_t sixteenth = 16;
    const std::int64_t automatic = (hidden + sixteenth - 1) / sixteenth;
    if (const auto node = keys.find({name}); node && !node->is_string()) {
        return node->integer(1);
    }
    return automatic;
}

RecurrentSpec hf_mamba2(HfKeys& keys, const HfMambaKeys& names, const HfMambaDefaults& defaults,
                        std::int64_t hidden, std::optional<std::int64_t> inner) {
    RecurrentSpec r{.kind = RecurrentKind::mamba2,
                    .heads = keys.integer({names.heads}, defaults.heads),
                    .head_dim = defaults.head_dim,
                    .groups = keys.integer({names.groups}, defaults.groups),
                    .state = keys.integer({names.state}, defaults.state),
                    .kernel = keys.integer({names.kernel}, 4),
                    .rank = 0,
                    .chunk = keys.integer({names.chunk}, defaults.chunk),
                    .projection_bias = keys.flag({names.projection_bias}, false),
                    .convolution_bias = keys.flag({names.convolution_bias}, true)};
    const auto expand = keys.number({names.expand});
    const double wide = expand.value_or(2.0) * static_cast<double>(hidden);
    const std::int64_t width = inner.value_or(wide < 1e9 ? static_cast<std::int64_t>(wide) : 0);
    if (const auto dim = keys.find({names.head_dim}); dim && !dim->is_string()) {
        r.head_dim = dim->integer(1);
    } else if (dim) {
        r.head_dim = hf_head_dim(keys, names.heads, width, r.heads);
    } else {
        keys.assume(std::string(names.head_dim) + " = " + std::to_string(r.head_dim) + ", the default of " +
                    keys.type());
    }
    if (inner && *inner != r.heads * r.head_dim) {
        keys.fail(names.heads, std::to_string(r.heads) + ", which with heads of " +
                                   std::to_string(r.head_dim) + " does not make the inner width " +
                                   std::to_string(*inner));
    }
    return r;
}

std::vector<Mixer> hf_mixers(const HfKeys& keys, std::string_view key, const std::vector<std::string>& names,
                             std::initializer_list<std::string_view> recurrent) {
    std::vector<Mixer> mixers;
    for (const std::string& name : names) {
        if (name == "full_attention" || name == "attention" || name == "sliding_attention") {
            mixers.push_back(Mixer::attention);
        } else if (std::find(recurrent.begin(), recurrent.end(), name) != recurrent.end()) {
            mixers.push_back(Mixer::recurrent);
        } else {
            std::string list;
            for (const std::string_view one : recurrent) {
                list += ", " + std::string(one);
            }
            keys.fail(key, "'" + name + "' layers are not modelled; known are attention, full_attention, " +
                               "sliding_attention" + list);
        }
    }
    return mixers;
}

void hf_set_mixers(ModelSpec& model, std::vector<Mixer> mixers, const RecurrentSpec& recurrent) {
    model.mixers = std::move(mixers);
    if (has_recurrence(model)) {
        model.recurrent = recurrent;
    }
}

std::vector<bool> hf_layer_set(HfKeys& keys, std::string_view key, std::int64_t layers, std::int64_t first) {
    std::vector<bool> set(static_cast<std::size_t>(layers), false);
    if (const auto node = keys.find({key})) {
        for (const JsonNode& item : node->items()) {
            const std::int64_t index = item.integer(first) - first;
            if (index >= layers) {
                item.fail(std::to_string(index + first) + ", beyond the last of " + std::to_string(layers) +
                          " layers");
            }
            set[static_cast<std::size_t>(index)] = true;
        }
    }
    return set;
}

std::span<const HfReader> hf_recurrent_readers() {
    return recurrent_readers;
}

}  // namespace traincost
