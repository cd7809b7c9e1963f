// Models whose weights serve several depths: ALBERT's layers, Zamba's transformer block between Mamba layers.
#include <algorithm>
#include <array>

#include "traincost/import/hf/hf_recurrent.hpp"

namespace traincost {

namespace {

// Defaults: those of each configuration class in transformers 5.17.

/// ALBERT: groups of layers whose weights all layers of the group share, and a table narrower than they are.
ModelSpec read_albert(HfKeys& k) {
    const std::int64_t hidden = k.integer({"hidden_size"}, 4096);
    const std::int64_t heads = k.integer({"num_attention_heads"}, 64);
    ModelSpec m = hf_layernorm_decoder(k, k.integer({"num_hidden_layers"}, 12), hidden, heads,
                                       k.integer({"intermediate_size"}, 16384));
    m.architecture = Architecture::encoder;
    m.head_dim = hf_head_dim(k, "num_attention_heads", hidden, heads);
    m.activation = hf_activation(k, {"hidden_act"}, Activation::gelu_new);
    m.norm.placement = NormPlacement::post;
    m.norm.final_norm = false;
    m.norm.embedding_norm = true;
    m.lm_head = false;
    m.vocab = k.integer({"vocab_size"}, 30000);
    m.max_position = m.position.table_rows = k.integer({"max_position_embeddings"}, 512);
    m.token_types = k.integer({"type_vocab_size"}, 2, 0);
    hf_narrow_embeddings(m, k.integer({"embedding_size"}, 128), true);
    const std::int64_t inner = k.integer({"inner_group_num"}, 1);
    const std::int64_t groups = k.integer({"num_hidden_groups"}, 1);
    if (inner != 1 || groups > m.layers || m.layers % groups != 0) {
        k.fail(inner != 1 ? "inner_group_num" : "num_hidden_groups",
               inner != 1
                   ? std::to_string(inner) + "; only 1 is modelled"
                   : std::to_string(groups) + "; must divide the " + std::to_string(m.layers) + " layers");
    }
    const std::int64_t repeated = hf_layer_shape(m, {.repeated = true});
    for (std::int64_t i = 0; i < m.layers; ++i) {
        m.layer_shapes.push_back(i % (m.layers / groups) == 0 ? 0 : repeated);
    }
    m.extra.push_back({"pooler", hidden * hidden + hidden});
    k.assume("the pooler is counted, the masked-language-model head is not");
    k.ignore({"tie_word_embeddings", "classifier_dropout_prob", "down_scale_factor", "gap_size",
              "net_structure_type", "num_memory_blocks", "position_embedding_type"});
    return m;
}

/// Whether each depth has the shared block before its Mamba layer.
std::vector<bool> hybrid_depths(HfKeys& k, std::int64_t depths, const std::vector<bool>& made) {
    auto names = k.per_layer_names("layers_block_type", depths);
    if (!names) {
        names = k.per_layer_names("layer_types", depths);
    }
    if (!names) {
        return made;
    }
    std::vector<bool> hybrid;
    for (const std::string& name : *names) {
        if (name != "hybrid" && name != "mamba" && name != "mamba2" && name != "linear_attention") {
            k.fail("layers_block_type", "'" + name + "' is neither hybrid nor mamba");
        }
        hybrid.push_back(name == "hybrid");
    }
    return hybrid;
}

/// A Mamba decoder with a transformer block before the mixers of the hybrid depths. The block reads the
/// layer's input beside the embedding; `blocks` of them take turns.
ModelSpec zamba_decoder(HfKeys& k, const HfDefaults& defaults, const std::vector<bool>& hybrid,
                        std::int64_t blocks) {
    k.ignore({"attention_hidden_size", "kv_channels", "num_query_groups", "hybrid_layer_ids",
              "layers_block_type", "layer_types", "num_logits_to_keep", "use_mamba_kernels", "time_step_min",
              "time_step_max", "time_step_floor", "time_step_limit", "mamba_dt_rank", "use_mem_eff_path",
              "use_long_context", "attn_layer_period", "attn_layer_offset", "hidden_mamba_act"});
    ModelSpec m = hf_rotary_decoder(k, defaults);
    m.attention_input = 2 * m.hidden;
    m.norm.per_layer = 1;
    m.layers = 0;
    const std::int64_t repeated = hf_layer_shape(m, {.repeated = true});
    const auto push = [&](Mixer mixer, Feed feed, std::int64_t shape) {
        m.mixers.push_back(mixer);
        m.feeds.push_back(feed);
        m.layer_shapes.push_back(shape);
        ++m.layers;
    };
    std::int64_t used = 0;
    for (const bool with_block : hybrid) {
        if (with_block) {
            push(Mixer::attention, Feed::dense, used++ < blocks ? 0 : repeated);
        }
        push(Mixer::recurrent, Feed::none, 0);
    }
    m.extra.push_back({"norms of the shared block's input", 2 * m.hidden * std::min(used, blocks)});
    m.extra.push_back({"projections after the shared block", used * m.hidden * m.hidden});
    k.assume("a transformer block that " + std::to_string(used) +
             " depths share is stored once for each of its " + std::to_string(std::min(used, blocks)) +
             " copies and runs at each depth");
    return m;
}

/// Hidden size over heads, doubled: the block's heads read twice the width.
std::int64_t doubled_head(HfKeys& k, std::int64_t hidden, std::int64_t heads) {
    const std::int64_t fallback = hf_head_dim(k, "num_attention_heads", 2 * hidden, heads);
    return k.maybe({"attention_head_dim"}).value_or(fallback);
}

ModelSpec read_zamba(HfKeys& k) {
    const std::int64_t hidden = k.required({"hidden_size"});
    const std::int64_t depths = k.required({"num_hidden_layers"});
    const std::int64_t heads = k.integer({"num_attention_heads"}, 16);
    const std::int64_t period = k.maybe({"attn_layer_period"}).value_or(6);
    const std::int64_t offset = k.maybe({"attn_layer_offset"}, 0).value_or(4);
    std::vector<bool> made;
    for (std::int64_t i = 0; i < depths; ++i) {
        made.push_back(i == 2 || (i > 2 && (i - 3) % period == offset));
    }
    ModelSpec m = zamba_decoder(k, {14848, 16, 16, doubled_head(k, hidden, heads), 32000, 4096, true},
                                hybrid_depths(k, depths, made), 1);
    m.position = {.kind = PositionKind::none};
    m.recurrent = RecurrentSpec{.kind = RecurrentKind::mamba,
                                .heads = k.maybe({"mamba_expand"}).value_or(2) * hidden,
                                .head_dim = 1,
                                .groups = 1,
                                .state = k.integer({"mamba_d_state"}, 16),
                                .kernel = k.integer({"mamba_d_conv"}, 4),
                                .rank = hf_step_rank(k, "mamba_dt_rank", hidden),
                                .chunk = 1,
                                .projection_bias = k.flag({"mamba_proj_bias"}, false),
                                .convolution_bias = k.flag({"mamba_conv_bias"}, true),
                                .norm = false};
    k.ignore({"n_mamba_heads"});
    return m;
}

/// Adapters that tell the depths of a shared block apart.
void add_zamba2_adapters(HfKeys& k, ModelSpec& m, std::int64_t depths) {
    const std::int64_t rank = k.integer({"adapter_rank"}, 128);
    std::int64_t each = m.hidden * rank + rank * 2 * m.ffn;
    if (k.flag({"use_shared_attention_adapter"}, false)) {
        constexpr std::int64_t projections = 3;
        each += projections * 2 * rank * *m.attention_input;
    }
    m.extra.push_back({"adapters of the shared block", depths * each});
}

ModelSpec read_zamba2(HfKeys& k) {
    const std::int64_t hidden = k.required({"hidden_size"});
    const std::int64_t depths = k.required({"num_hidden_layers"});
    const std::int64_t heads = k.integer({"num_attention_heads"}, 32);
    std::vector<bool> made = hf_layer_set(k, "hybrid_layer_ids", depths);
    const std::int64_t blocks = k.integer({"num_mem_blocks"}, 1);
    const std::vector<bool> hybrid = hybrid_depths(k, depths, made);
    ModelSpec m = zamba_decoder(k, {4 * hidden, heads, 0, doubled_head(k, hidden, heads), 32000, 4096, true},
                                hybrid, blocks);
    m.activation = hf_activation(k, {"hidden_act"}, Activation::gelu);
    if (!k.flag({"use_mem_rope"}, false)) {
        m.position = {.kind = PositionKind::none};
    }
    m.bias.mlp = k.flag({"add_bias_linear"}, false);
    m.recurrent =
        hf_mamba2(k,
                  {"n_mamba_heads", "mamba_headdim", "mamba_ngroups", "mamba_d_state", "mamba_d_conv",
                   "mamba_expand", "use_conv_bias", "add_bias_linear", "chunk_size"},
                  {8, 640, 1, 64, 256}, hidden, std::nullopt);
    add_zamba2_adapters(k, m, std::count(hybrid.begin(), hybrid.end(), true));
    k.ignore({"use_shared_mlp_adapter", "use_shared_attention_lora", "use_shared_block_lora", "state_size",
              "conv_dimension", "lora_rank", "vocab_size_padded", "ffn_hidden_size", "rope_theta",
              "num_layers", "gated_linear_unit", "use_low_rank_mamba_proj"});
    return m;
}

constexpr std::array shared_readers = std::to_array<HfReader>({
    {"albert", read_albert},
    {"zamba", read_zamba},
    {"zamba2", read_zamba2},
});

}  // namespace

std::span<const HfReader> hf_shared_readers() {
    return shared_readers;
}

}  // namespace traincost
