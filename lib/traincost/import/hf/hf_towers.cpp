#include "traincost/import/hf/hf_towers.hpp"

#include <algorithm>
#include <array>

#include "traincost/import/hf/hf_tower_parts.hpp"

namespace traincost {

namespace {

// Defaults: those of each vision configuration in transformers 5.17.

/// A size that may be written once for each side of a picture.
std::int64_t side_of(HfKeys& k, std::string_view name, std::int64_t fallback) {
    return k.uniform({name}).value_or(fallback);
}

HfVit read_vit(HfKeys& k, const HfVit& defaults) {
    return {k.maybe({"hidden_size"}).value_or(defaults.width),
            k.maybe({"intermediate_size"}).value_or(defaults.ffn),
            k.maybe({"num_hidden_layers"}).value_or(defaults.layers),
            side_of(k, "image_size", defaults.image),
            side_of(k, "patch_size", defaults.patch),
            k.maybe({"num_channels", "in_channels", "in_chans"}).value_or(defaults.channels)};
}

std::int64_t clip(HfKeys& k) {
    const HfVit v = read_vit(k, {1024, 4096, 24, 336, 14, 3});
    return v.width + v.width * v.pixels() + (v.patches() + 1) * v.width + 2 * hf_layernorm(v.width) +
           v.layers * hf_plain_layer(v.width, v.ffn);
}

std::int64_t siglip(HfKeys& k, const HfVit& defaults, bool with_head, bool with_post_norm = true) {
    const HfVit v = read_vit(k, defaults);
    const std::int64_t head = v.width + hf_linear(v.width, 3 * v.width) + hf_linear(v.width, v.width) +
                              hf_layernorm(v.width) + hf_linear(v.width, v.ffn) + hf_linear(v.ffn, v.width);
    const auto use = k.find({"vision_use_head"});
    const bool headed = use ? use->boolean() : with_head;
    return hf_linear(v.pixels(), v.width) + v.patches() * v.width +
           v.layers * hf_plain_layer(v.width, v.ffn) + (with_post_norm ? hf_layernorm(v.width) : 0) +
           (headed ? head : 0);
}

/// SigLIP 2 of pictures of any size: a table of positions that is stretched to them.
std::int64_t siglip2(HfKeys& k) {
    const std::int64_t rows = k.maybe({"num_patches"}).value_or(256);
    const std::int64_t patch = side_of(k, "patch_size", 16);
    // `siglip` takes the rows of its table from the picture's side, which these configurations do not have.
    const std::int64_t whole = siglip(k, {768, 3072, 12, patch, patch, 3}, true);
    return whole + (rows - 1) * k.maybe({"hidden_size"}).value_or(768);
}

/// RMSNorms, gated MLPs, no biases, rotary positions.
std::int64_t pixtral(HfKeys& k) {
    const HfVit v = read_vit(k, {1024, 4096, 24, 1024, 14, 3});
    return v.width * v.pixels() + v.width +
           v.layers * (4 * v.width * v.width + 3 * v.width * v.ffn + 2 * v.width);
}

std::int64_t internvl_vit(HfKeys& k) {
    const HfVit v = read_vit(k, {1024, 4096, 24, 448, 14, 3});
    const auto flag = [&](std::string_view name) {
        const auto node = k.find({name});
        return node && node->boolean();
    };
    const std::int64_t norm =
        k.text({"norm_type"}).value_or("layer_norm") == "rms_norm" ? v.width : 2 * v.width;
    const std::int64_t each = 2 * v.width + 3 * v.width * v.width +
                              (flag("attention_bias") ? 3 * v.width : 0) + hf_linear(v.width, v.width) +
                              hf_linear(v.width, v.ffn) + hf_linear(v.ffn, v.width) + 2 * norm +
                              (flag("use_qk_norm") ? 2 * v.width : 0);
    return v.width + (v.patches() + 1) * v.width + hf_linear(v.pixels(), v.width) + v.layers * each;
}

std::int64_t llama4_vit(HfKeys& k) {
    const HfVit v = read_vit(k, {768, 5632, 34, 448, 14, 3});
    const std::int64_t in = k.maybe({"projector_input_dim"}).value_or(4096);
    const std::int64_t out = k.maybe({"projector_output_dim"}).value_or(4096);
    return v.width + (v.patches() + 1) * v.width + v.width * v.pixels() + 2 * hf_layernorm(v.width) +
           v.layers * hf_plain_layer(v.width, v.ffn) + v.ffn * in + in * out;
}

/// Local layers, then gated global ones; embeddings of tiles and of how they are laid out.
std::int64_t mllama_vit(HfKeys& k) {
    const HfVit v = read_vit(k, {1280, 5120, 32, 448, 14, 3});
    const std::int64_t global = k.maybe({"num_global_layers"}).value_or(8);
    const std::int64_t tiles = k.maybe({"max_num_tiles"}).value_or(4);
    std::int64_t ratios = 8;
    if (const auto list = k.find({"supported_aspect_ratios"})) {
        ratios = static_cast<std::int64_t>(list->items().size());
    }
    const std::int64_t rows = ratios + 1;
    const std::int64_t positions = v.patches() + 1;
    const std::int64_t layer = 4 * v.width * v.width + hf_linear(v.width, v.ffn) + hf_linear(v.ffn, v.width) +
                               2 * hf_layernorm(v.width);
    return v.width + v.width * v.pixels() + 1 + positions * v.width + rows * tiles * positions * v.width +
           2 * (1 + rows * tiles * v.width) + 2 * hf_layernorm(v.width) + v.layers * layer +
           global * (layer + 2);
}

/// Sizes that all Qwen towers have.
struct QwenVit {
    std::int64_t width, layers, pixels, merged, out;
};

QwenVit read_qwen_vit(HfKeys& k, std::int64_t width, std::int64_t layers, std::int64_t patch,
                      std::int64_t out) {
    const std::int64_t side = k.maybe({"patch_size"}).value_or(patch);
    const std::int64_t channels = k.maybe({"in_channels"}).value_or(k.maybe({"in_chans"}).value_or(3));
    const std::int64_t frames = k.maybe({"temporal_patch_size"}).value_or(2);
    const std::int64_t merge = k.maybe({"spatial_merge_size"}).value_or(2);
    return {width, k.maybe({"depth"}).value_or(layers), channels * frames * side * side,
            width * merge * merge, out};
}

std::int64_t qwen2_vit(HfKeys& k) {
    const std::int64_t out = k.maybe({"hidden_size"}).value_or(3584);
    const QwenVit v = read_qwen_vit(k, k.maybe({"embed_dim"}).value_or(1280), 32, 14, out);
    const auto ratio = k.number({"mlp_ratio"});
    const auto ffn =
        static_cast<std::int64_t>(static_cast<double>(v.width) * std::clamp(ratio.value_or(4.0), 0.0, 1e3));
    return v.width * v.pixels + v.layers * hf_plain_layer(v.width, ffn) + hf_layernorm(v.width) +
           hf_linear(v.merged, v.merged) + hf_linear(v.merged, v.out);
}

std::int64_t qwen25_vit(HfKeys& k) {
    const std::int64_t out = k.maybe({"out_hidden_size"}).value_or(3584);
    const QwenVit v = read_qwen_vit(k, k.maybe({"hidden_size"}).value_or(3584), 32, 14, out);
    const std::int64_t ffn = k.maybe({"intermediate_size"}).value_or(3420);
    const std::int64_t layer =
        4 * hf_linear(v.width, v.width) + 2 * hf_linear(v.width, ffn) + hf_linear(ffn, v.width) + 2 * v.width;
    return v.width * v.pixels + v.layers * layer + v.width + hf_linear(v.merged, v.merged) +
           hf_linear(v.merged, v.out);
}

/// Some layers' outputs are merged into the decoder's first layers ("deepstack").
std::int64_t qwen3_vit(HfKeys& k, std::int64_t deep_by_default) {
    const std::int64_t out = k.maybe({"out_hidden_size"}).value_or(3584);
    const QwenVit v = read_qwen_vit(k, k.maybe({"hidden_size"}).value_or(1152), 27, 16, out);
    const std::int64_t ffn = k.maybe({"intermediate_size"}).value_or(4304);
    const std::int64_t positions = k.maybe({"num_position_embeddings"}).value_or(2304);
    std::int64_t deep = deep_by_default;
    if (const auto list = k.find({"deepstack_visual_indexes"})) {
        deep = static_cast<std::int64_t>(list->items().size());
    }
    const std::int64_t merger = hf_linear(v.merged, v.merged) + hf_linear(v.merged, v.out);
    return hf_linear(v.pixels, v.width) + positions * v.width + v.layers * hf_plain_layer(v.width, ffn) +
           hf_layernorm(v.width) + merger + deep * (hf_layernorm(v.merged) + merger);
}

/// GLM-4V: blocks as wide inside as the decoder, patches joined by a convolution and a gated MLP.
std::int64_t glm_vit(HfKeys& k) {
    const HfVit v = read_vit(k, {1536, 13696, 24, 336, 14, 3});
    const std::int64_t layers = k.maybe({"depth"}).value_or(v.layers);
    const std::int64_t frames = k.uniform({"temporal_patch_size"}).value_or(2);
    const std::int64_t merge = k.maybe({"spatial_merge_size"}).value_or(2);
    const std::int64_t out = k.maybe({"out_hidden_size"}).value_or(4096);
    const auto biased = k.find({"attention_bias"});
    const std::int64_t bias = biased && biased->boolean() ? 4 * v.width : 0;
    const std::int64_t layer = 2 * v.width + 4 * v.width * v.width + bias + 3 * v.width * out;
    const std::int64_t merger = out * out + hf_layernorm(out) + 3 * out * v.ffn;
    return v.patches() * v.width + hf_linear(v.pixels() * frames, v.width) + layers * layer + 2 * v.width +
           hf_linear(merge * merge * v.width, out) + merger;
}

/// Whisper's encoder: two convolutions over time, learned positions, keys without a bias.
std::int64_t whisper(HfKeys& k) {
    const std::int64_t width = k.maybe({"d_model", "hidden_size"}).value_or(1280);
    const std::int64_t ffn = k.maybe({"encoder_ffn_dim", "intermediate_size"}).value_or(5120);
    const std::int64_t layers = k.maybe({"encoder_layers", "num_hidden_layers"}).value_or(32);
    const std::int64_t bins = k.maybe({"num_mel_bins"}).value_or(128);
    const std::int64_t rows = k.maybe({"max_source_positions"}).value_or(1500);
    constexpr std::int64_t taps = 3;
    return hf_linear(taps * bins, width) + hf_linear(taps * width, width) + rows * width +
           layers * (hf_plain_layer(width, ffn) - width) + hf_layernorm(width);
}

/// Models whose projector is known; the others' towers are not counted in part.
bool is_known(std::string_view type) {
    constexpr std::array types = {
        "cohere2_vision", "deepseek_vl",      "gemma3",          "glm46v",      "glm4v",       "glm4v_moe",
        "idefics3",       "internvl",         "lfm2_vl",         "lighton_ocr", "llama4",      "llava",
        "llava_next",     "llava_next_video", "llava_onevision", "mistral3",    "mllama",      "paligemma",
        "qwen2_5_vl",     "qwen2_audio",      "qwen2_vl",        "qwen3_5",     "qwen3_5_moe", "qwen3_vl",
        "qwen3_vl_moe",   "smolvlm",          "vipllava",        "voxtral"};
    return std::find(types.begin(), types.end(), type) != types.end();
}

/// What the tower's own type, or the model's, says it is.
std::optional<std::int64_t> tower(HfKeys& k, std::string_view type) {
    const std::string own = k.text({"model_type"}).value_or("");
    if (type == "qwen2_vl")
        return qwen2_vit(k);
    if (type == "qwen2_5_vl")
        return qwen25_vit(k);
    if (type == "qwen3_vl" || type == "qwen3_vl_moe")
        return qwen3_vit(k, 3);
    if (type == "qwen3_5" || type == "qwen3_5_moe")
        return qwen3_vit(k, 0);
    if (type == "glm4v" || type == "glm46v" || type == "glm4v_moe")
        return glm_vit(k);
    if (type == "qwen2_audio" || type == "voxtral")
        return whisper(k);
    if (type == "lfm2_vl" || own == "siglip2_vision_model")
        return siglip2(k);
    if (type == "llama4")
        return llama4_vit(k);
    if (type == "mllama")
        return mllama_vit(k);
    if (type == "idefics3" || type == "smolvlm")
        return siglip(k, {1152, 3072, 12, 224, 32, 3}, false);
    if (own == "internvl_vision" || type == "internvl")
        return internvl_vit(k);
    if (own == "pixtral" || (own.empty() && (type == "mistral3" || type == "lighton_ocr")))
        return pixtral(k);
    if (type == "deepseek_vl" || type == "cohere2_vision" || own == "siglip_vision_model" ||
        (own.empty() && (type == "gemma3" || type == "paligemma")))
        return siglip(k, {768, 3072, 12, 224, 16, 3}, type != "paligemma");
    if (own == "clip_vision_model" || (own.empty() && (type.starts_with("llava") || type == "vipllava")))
        return clip(k);
    return std::nullopt;
}

/// Projectors of younger models, by the sizes they state.
std::int64_t joined_patches(HfKeys& outer, HfKeys& vision, std::string_view type, std::int64_t hidden) {
    const std::int64_t factor = outer.maybe({"downsample_factor"}).value_or(2);
    const std::int64_t width =
        vision.maybe({"d_model", "hidden_size"}).value_or(type == "voxtral" ? 1280 : 768);
    const std::int64_t patches = factor * factor * width;
    if (type == "cohere2_vision") {
        const std::int64_t inner = outer.maybe({"alignment_intermediate_size"}).value_or(36864);
        return hf_linear(patches, inner) + hf_linear(inner / 2, hidden);
    }
    if (type == "lfm2_vl") {
        const std::int64_t inner = outer.maybe({"projector_hidden_size"}).value_or(2560);
        const auto flag = [&](std::string_view name) {
            const auto node = outer.find({name});
            return !node || node->boolean();
        };
        const std::int64_t biases = flag("projector_bias") ? inner + hidden : 0;
        return (flag("projector_use_layernorm") ? hf_layernorm(patches) : 0) + patches * inner +
               inner * hidden + biases;
    }
    if (type == "deepseek_vl")
        return hf_linear(width, hidden) + hf_linear(hidden, hidden);
    if (type == "qwen2_audio")
        return hf_linear(vision.maybe({"d_model"}).value_or(1280), hidden);
    if (type == "voxtral")
        return vision.maybe({"intermediate_size"}).value_or(5120) * hidden + hidden * hidden;
    return 0;
}

/// What joins the tower's output of `width` to the decoder's `hidden`.
std::int64_t projector(HfKeys& outer, HfKeys& vision, std::string_view type, std::int64_t hidden) {
    const std::int64_t width = vision.maybe({"hidden_size"}).value_or(1024);
    const auto biased = outer.find({"multimodal_projector_bias"});
    const bool bias = biased ? biased->boolean() : type != "mistral3" && type != "lighton_ocr";
    const std::int64_t biases = bias ? 2 * hidden : 0;
    if (type == "llava" || type == "llava_next" || type == "llava_next_video" || type == "llava_onevision") {
        std::int64_t layers = 1;
        if (const auto chosen = outer.find({"vision_feature_layer"}); chosen && chosen->is_array()) {
            layers = static_cast<std::int64_t>(chosen->items().size());
        }
        return layers * width * hidden + hidden * hidden + biases + (type == "llava" ? 0 : hidden);
    }
    if (type == "vipllava") {
        std::int64_t layers = 5;
        if (const auto chosen = outer.find({"vision_feature_layers"})) {
            layers = chosen->is_array() ? static_cast<std::int64_t>(chosen->items().size()) : 1;
        }
        return hf_layernorm(layers * width) + hf_linear(layers * width, hidden) + hf_linear(hidden, hidden);
    }
    if ((type == "mistral3" || type == "lighton_ocr")) {
        const std::int64_t merge = outer.maybe({"spatial_merge_size"}).value_or(2);
        return width + width * width * merge * merge + width * hidden + hidden * hidden + biases;
    }
    if (type == "gemma3")
        return vision.maybe({"hidden_size"}).value_or(768) * (hidden + 1);
    if (type == "paligemma") {
        const std::int64_t out = outer.maybe({"projection_dim"}).value_or(2048);
        return hf_linear(vision.maybe({"hidden_size"}).value_or(1152), out);
    }
    if (type == "llama4")
        return vision.maybe({"vision_output_dim"}).value_or(7680) * hidden;
    if (type == "mllama")
        return hf_linear(vision.maybe({"vision_output_dim"}).value_or(7680), hidden);
    if (type == "internvl") {
        constexpr std::int64_t shuffled = 4;  // pixels of a square of two by two side by side
        return hf_layernorm(shuffled * width) + hf_linear(shuffled * width, hidden) +
               hf_linear(hidden, hidden);
    }
    if (type == "idefics3" || type == "smolvlm") {
        const std::int64_t scale = outer.maybe({"scale_factor"}).value_or(2);
        return vision.maybe({"hidden_size"}).value_or(1152) * scale * scale * hidden;
    }
    return joined_patches(outer, vision, type, hidden);
}

}  // namespace

std::int64_t hf_siglip(HfKeys& keys, const HfVit& defaults, bool with_head) {
    return siglip(keys, defaults, with_head);
}

std::int64_t hf_whisper_encoder(HfKeys& keys) {
    return whisper(keys);
}

std::int64_t hf_qwen25_vit(HfKeys& keys) {
    return qwen25_vit(keys);
}

std::int64_t hf_qwen3_vit(HfKeys& keys, std::int64_t deep_by_default) {
    return qwen3_vit(keys, deep_by_default);
}

std::optional<std::vector<ExtraParameters>> hf_towers(const JsonNode& root, std::string_view type,
                                                      std::int64_t hidden) {
    std::vector<std::string> unsaid;
    HfKeys outer(root, std::string(type), unsaid);
    if (auto joined = hf_joined_towers(outer, type, hidden)) {
        return joined;
    }
    auto vision = outer.object("vision_config");
    const bool hears = !vision;
    if (hears) {
        vision = outer.object("audio_config");
    }
    if (!vision || !is_known(type)) {
        return std::nullopt;
    }
    const auto counted = tower(*vision, type);
    if (!counted) {
        return std::nullopt;
    }
    std::vector<ExtraParameters> towers = {{hears ? "audio tower" : "vision tower", *counted}};
    if (const std::int64_t joined = projector(outer, *vision, type, hidden); joined > 0) {
        towers.push_back({"projector", joined});
    }
    return towers;
}

}  // namespace traincost
