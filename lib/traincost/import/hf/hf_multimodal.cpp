// Text decoders that exist inside multimodal models only: Gemma 3n and 4, Llama 3.2 Vision.
#include <algorithm>
#include <array>

#include "traincost/import/hf/hf_families.hpp"

namespace traincost {

namespace {

// Defaults: see hf_recurrent.cpp.

/// What Gemma 3n adds to a Gemma 3 layer: an embedding of its own each layer, a low-rank path beside
/// attention (LAuReL), and several copies of the residual stream that each layer predicts and corrects
/// (AltUp). They are counted; their few operators are not modelled.
void add_gemma3n_parts(HfKeys& k, ModelSpec& m) {
    const std::int64_t h = m.hidden;
    const std::int64_t width = k.integer({"hidden_size_per_layer_input"}, 256, 0);
    const std::int64_t rows = k.integer({"vocab_size_per_layer_input"}, 262144);
    const std::int64_t rank = k.integer({"laurel_rank"}, 64);
    const std::int64_t copies = k.integer({"altup_num_inputs"}, 4);
    m.extra.push_back({"embeddings of every layer", rows * width * m.layers});
    m.extra.push_back({"projections of every layer's embedding",
                       m.layers * (h * width + width * h + h) + width * m.layers * h + width});
    m.extra.push_back({"low-rank paths (LAuReL)", m.layers * (2 * h * rank + h)});
    const std::int64_t each = 2 * h + copies * copies + copies * copies * copies + copies * h;
    m.extra.push_back({"alternating updates (AltUp)", m.layers * each + 2 * (copies - 1) * h * h});
    k.assume("embeddings of every layer, LAuReL and AltUp are counted, their operators are not");
    k.ignore({"altup_active_idx", "altup_coef_clip", "altup_correct_scale", "activation_sparsity_pattern",
              "altup_lr_multiplier", "final_logit_softcapping"});
}

ModelSpec read_gemma3n(HfKeys& k) {
    std::int64_t ffn = 16384;
    if (const auto given = k.uniform({"intermediate_size"})) {
        ffn = *given;
    }
    ModelSpec m{.name = k.type(),
                .family = k.type(),
                .architecture = Architecture::decoder,
                .layers = k.integer({"num_hidden_layers"}, 35),
                .hidden = k.integer({"hidden_size"}, 2048),
                .heads = k.integer({"num_attention_heads"}, 8),
                .kv_heads = k.integer({"num_key_value_heads"}, 2),
                .head_dim = k.integer({"head_dim"}, 256),
                .ffn = ffn,
                .gated_mlp = true,
                .activation = hf_activation(k, {"hidden_activation", "hidden_act"}, Activation::gelu_tanh),
                .vocab = k.integer({"vocab_size"}, 262400),
                .tied_embeddings = k.flag({"tie_word_embeddings"}, true),
                .position = {.kind = PositionKind::rope},
                .norm = {.kind = NormKind::rmsnorm,
                         .bias = false,
                         .per_layer = 4,
                         .final_norm = true,
                         .embedding_norm = false,
                         .qk = QkNorm::per_head,
                         .placement = NormPlacement::sandwich},
                .bias = {.qkv = false, .attention_out = false, .mlp = false, .lm_head = false}};
    m.max_position = k.integer({"max_position_embeddings"}, 32768);
    hf_read_rotary(k, m);
    m.norm.fp32_scale = true;
    m.logits_softcap = !k.has("final_logit_softcapping") || k.number({"final_logit_softcapping"}).has_value();
    hf_read_attention_bias(k, m, false, true);
    hf_read_window(k, m, 512, 5);
    const std::int64_t shared = k.integer({"num_kv_shared_layers"}, 15, 0);
    if (shared >= m.layers) {
        k.fail("num_kv_shared_layers",
               std::to_string(shared) + "; must be less than the " + std::to_string(m.layers) + " layers");
    }
    if (shared > 0) {
        m.mixers.assign(static_cast<std::size_t>(m.layers), Mixer::attention);
        std::fill(m.mixers.end() - static_cast<std::ptrdiff_t>(shared), m.mixers.end(),
                  Mixer::shared_attention);
    }
    add_gemma3n_parts(k, m);
    return m;
}

/// Layers that attend to everything, of `types` or every sixth; the last always does.
std::vector<bool> whole_layers(HfKeys& k, const ModelSpec& m) {
    constexpr std::int64_t period = 6;
    std::vector<bool> whole(static_cast<std::size_t>(m.layers));
    const auto types = k.per_layer_names("layer_types", m.layers);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        whole[i] = types ? (*types)[i] == "full_attention" : (static_cast<std::int64_t>(i) + 1) % period == 0;
    }
    whole.back() = true;
    return whole;
}

/// Gemma 4's layers that attend to everything have wider heads, fewer of them for keys, and where keys serve
/// as values no projection of values; of those that use earlier keys the MLP may be twice as wide.
void set_gemma4_shapes(HfKeys& k, ModelSpec& m, std::int64_t shared) {
    const std::int64_t wide = k.integer({"global_head_dim"}, 512);
    const bool keys_are_values = k.flag({"attention_k_eq_v"}, false);
    const std::int64_t given = k.integer({"num_global_key_value_heads"}, m.kv_heads);
    const bool doubled = k.flag({"use_double_wide_mlp"}, false);
    const std::vector<bool> whole = whole_layers(k, m);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        LayerShape shape;
        if (whole[i]) {
            shape.head_dim = wide;
            if (keys_are_values) {
                shape.kv_heads = given;
                shape.keys_are_values = true;
            }
        }
        if (doubled && static_cast<std::int64_t>(i) >= m.layers - shared) {
            shape.ffn = 2 * m.ffn;
        }
        m.layer_shapes.push_back(hf_layer_shape(m, shape));
    }
}

/// Gemma 4's embedding of every layer: a table, a projection of the first embedding, a gate and a way back.
void add_layer_embeddings(HfKeys& k, ModelSpec& m) {
    const std::int64_t width = k.integer({"hidden_size_per_layer_input"}, 256, 0);
    const std::int64_t rows = k.integer({"vocab_size_per_layer_input"}, 262144);
    if (width == 0) {
        return;
    }
    m.extra.push_back({"embeddings of every layer", rows * width * m.layers});
    m.extra.push_back({"projections of every layer's embedding",
                       m.hidden * m.layers * width + width + m.layers * (2 * m.hidden * width + m.hidden)});
    k.assume("embeddings of every layer are counted, their operators are not");
}

/// Gemma 4: experts beside the dense MLP, each between norms of its own, and a router that scales its input
/// and each expert's output.
void add_gemma4_experts(HfKeys& k, ModelSpec& m) {
    if (!k.flag({"enable_moe_block"}, false)) {
        k.ignore({"num_experts", "top_k_experts", "moe_intermediate_size"});
        return;
    }
    m.moe = MoeSpec{.experts = k.required({"num_experts"}),
                    .top_k = k.required({"top_k_experts"}),
                    .ffn = k.required({"moe_intermediate_size"})};
    m.moe->dense_residual_ffn = m.ffn;
    m.norm.per_layer = 7;
    m.extra.push_back({"scales of the routers", m.layers * (m.hidden + m.moe->experts)});
}

ModelSpec read_gemma4(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {9216, 8, 4, 256, 262144, 131072, true});
    m.activation = hf_activation(k, {"hidden_activation"}, Activation::gelu_tanh);
    m.norm.per_layer = 4;
    m.norm.placement = NormPlacement::sandwich;
    m.norm.qk = QkNorm::per_head;
    m.logits_softcap = k.number({"final_logit_softcapping"}).has_value();
    if (k.flag({"attention_bias"}, false)) {
        k.fail("attention_bias", "is true; a gemma4 has no biases");
    }
    hf_read_window(k, m, 512, 6);
    const std::int64_t shared = k.integer({"num_kv_shared_layers"}, 0, 0);
    if (shared >= m.layers) {
        k.fail("num_kv_shared_layers",
               std::to_string(shared) + "; must be less than the " + std::to_string(m.layers) + " layers");
    }
    if (shared > 0) {
        m.mixers.assign(static_cast<std::size_t>(m.layers), Mixer::attention);
        std::fill(m.mixers.end() - static_cast<std::ptrdiff_t>(shared), m.mixers.end(),
                  Mixer::shared_attention);
    }
    add_gemma4_experts(k, m);
    set_gemma4_shapes(k, m, shared);
    add_layer_embeddings(k, m);
    k.ignore({"use_bidirectional_attention", "per_layer_config", "expert_intermediate_size"});
    return m;
}

/// Layers that `cross_attention_layers` names read the image: query and output projections as everywhere,
/// norms on heads, two gates. A step of text alone does not run them.
ModelSpec read_mllama_text(HfKeys& k) {
    ModelSpec m = hf_rotary_decoder(k, {14336, 32, 8, 0, 128256, 131072, false});
    std::int64_t crossing = 8;
    if (const auto list = k.find({"cross_attention_layers"})) {
        crossing = static_cast<std::int64_t>(list->items().size());
    }
    if (crossing >= m.layers) {
        k.fail("cross_attention_layers", "names " + std::to_string(crossing) + " of " +
                                             std::to_string(m.layers) + " layers; some must read text");
    }
    const std::int64_t h = m.hidden;
    const std::int64_t one =
        2 * h * m.head_dim * (m.heads + m.kv_heads) + 2 * m.head_dim + 2 + 3 * h * m.ffn + 2 * h;
    m.layers -= crossing;
    if (crossing > 0) {
        m.extra.push_back({"layers that attend to the image", crossing * one});
        k.assume(std::to_string(crossing) +
                 " layers that attend to the image are counted; text-only steps do not run them");
    }
    constexpr std::int64_t image_rows = 8;  // special tokens of images, in the input table only
    m.extra.push_back({"embeddings of image tokens", image_rows * h});
    return m;
}

constexpr std::array multimodal_readers = std::to_array<HfReader>({
    {"gemma3n_text", read_gemma3n},
    {"gemma4_text", read_gemma4},
    {"mllama_text_model", read_mllama_text},
});

}  // namespace

std::span<const HfReader> hf_multimodal_readers() {
    return multimodal_readers;
}

}  // namespace traincost
