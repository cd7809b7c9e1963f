// Towers of models that hear, or hear and see, and of those whose projector is a network of its own.
#include <algorithm>
#include <array>

#include "traincost/import/hf/hf_tower_parts.hpp"

namespace traincost {

namespace {

// Defaults: those of each configuration class in transformers 5.17.

constexpr HfVit siglip_sizes = {768, 3072, 12, 224, 16, 3};

/// A tower with what joins it to a decoder of `hidden`, from the object under `key` of a model's
/// configuration.
struct JoinedTower {
    std::string_view type, key, what;
    std::int64_t (*count)(HfKeys& tower, HfKeys& outer, std::int64_t hidden);
};

// Gemma
// -----------------------------------------------------------------------------------------------------

/// Gemma's conformer behind two convolutions over the spectrum, without its projector.
std::int64_t gemma_conformer(HfKeys& k, std::int64_t h, std::int64_t heads, std::int64_t layers,
                             std::int64_t kernel, std::int64_t bins, std::string_view channels) {
    std::int64_t first = 128;
    std::int64_t second = 32;
    if (const auto list = k.find({channels}); list && list->is_array() && list->items().size() == 2) {
        first = list->items()[0].integer(1);
        second = list->items()[1].integer(1);
    }
    constexpr std::int64_t window = 9;
    const std::int64_t front = (window + 1) * first + (window * first + 1) * second + bins / 4 * second * h;
    constexpr std::int64_t squares = 2 * 2 * 4 + 5 + 3;  // two MLPs, attention, the convolution's products
    constexpr std::int64_t norms = 9;
    return front + layers * (squares * h * h + (norms + kernel) * h + h / heads);
}

std::int64_t gemma4_vision(HfKeys& k, HfKeys&, std::int64_t hidden) {
    const std::int64_t w = k.maybe({"hidden_size"}).value_or(768);
    const std::int64_t f = k.maybe({"intermediate_size"}).value_or(3072);
    const std::int64_t heads = k.maybe({"num_attention_heads"}).value_or(12);
    const std::int64_t kv_heads = k.maybe({"num_key_value_heads"}).value_or(12);
    const std::int64_t dim = k.maybe({"head_dim"}).value_or(64);
    const std::int64_t patch = k.maybe({"patch_size"}).value_or(16);
    const std::int64_t rows = k.maybe({"position_embedding_size"}).value_or(10240);
    const std::int64_t layer = 2 * w * (heads + kv_heads) * dim + 2 * dim + 3 * w * f + 4 * w;
    return 3 * patch * patch * w + 2 * rows * w + k.maybe({"num_hidden_layers"}).value_or(16) * layer +
           w * hidden;
}

std::int64_t gemma4_audio(HfKeys& k, HfKeys&, std::int64_t hidden) {
    const std::int64_t h = k.maybe({"hidden_size"}).value_or(1024);
    const std::int64_t out = k.maybe({"output_proj_dims"}).value_or(1536);
    return gemma_conformer(k, h, k.maybe({"num_attention_heads"}).value_or(8),
                           k.maybe({"num_hidden_layers"}).value_or(12),
                           k.maybe({"conv_kernel_size"}).value_or(5), 128, "subsampling_conv_channels") +
           hf_linear(h, out) + out * hidden;
}

/// Embeddings of a tower's own tokens, two norms and a projection.
std::int64_t gemma3n_embedder(HfKeys& k, std::int64_t width, std::int64_t hidden) {
    return k.maybe({"vocab_size"}).value_or(128) * width + 2 * width + width * hidden;
}

std::int64_t gemma3n_audio(HfKeys& k, HfKeys&, std::int64_t hidden) {
    const std::int64_t h = k.maybe({"hidden_size"}).value_or(1536);
    return gemma_conformer(k, h, k.maybe({"conf_num_attention_heads"}).value_or(8),
                           k.maybe({"conf_num_hidden_layers"}).value_or(12),
                           k.maybe({"conf_conv_kernel_size"}).value_or(5),
                           k.maybe({"input_feat_size"}).value_or(128), "sscp_conv_channel_size") +
           gemma3n_embedder(k, h, hidden);
}

/// MobileNet V5 has one size.
std::int64_t gemma3n_vision(HfKeys& k, HfKeys&, std::int64_t hidden) {
    constexpr std::int64_t mobilenet_v5_300m = 294'126'912;
    return mobilenet_v5_300m + gemma3n_embedder(k, k.maybe({"hidden_size"}).value_or(2048), hidden);
}

// Qwen
// ------------------------------------------------------------------------------------------------------

/// Whisper's encoder with sines for positions, a pair of tokens and a projection.
std::int64_t qwen25_omni_audio(HfKeys& k, HfKeys&, std::int64_t) {
    const std::int64_t d = k.maybe({"d_model"}).value_or(1280);
    const std::int64_t rows = k.maybe({"max_source_positions"}).value_or(1500);
    const std::int64_t out = k.maybe({"output_dim"}).value_or(3584);
    return hf_whisper_encoder(k) - rows * d + 2 * out + hf_linear(d, out);
}

std::int64_t qwen25_omni_vision(HfKeys& k, HfKeys&, std::int64_t) {
    return hf_qwen25_vit(k);
}

/// Qwen 2.5's tower with fewer heads of keys and values.
std::int64_t exaone_vision(HfKeys& k, HfKeys&, std::int64_t) {
    const std::int64_t w = k.maybe({"hidden_size"}).value_or(3584);
    const std::int64_t heads = k.maybe({"num_heads"}).value_or(16);
    const std::int64_t kv_heads = k.maybe({"num_key_value_heads"}).value_or(heads);
    return hf_qwen25_vit(k) -
           2 * k.maybe({"depth"}).value_or(32) * hf_linear(w, w / heads * (heads - kv_heads));
}

/// Three convolutions over the spectrum, each halving it.
std::int64_t qwen3_audio(HfKeys& k, HfKeys&, std::int64_t) {
    const std::int64_t d = k.maybe({"d_model", "hidden_size"}).value_or(1280);
    const std::int64_t ffn = k.maybe({"encoder_ffn_dim", "intermediate_size"}).value_or(5120);
    const std::int64_t layers = k.maybe({"encoder_layers", "num_hidden_layers"}).value_or(32);
    const std::int64_t channels = k.maybe({"downsample_hidden_size"}).value_or(480);
    const std::int64_t out = k.maybe({"output_dim"}).value_or(3584);
    std::int64_t bins = k.maybe({"num_mel_bins"}).value_or(128);
    constexpr std::int64_t window = 9;
    for (int halved = 0; halved < 3; ++halved) {
        bins = (bins + 1) / 2;
    }
    return hf_linear(window, channels) + 2 * hf_linear(window * channels, channels) + channels * bins * d +
           layers * hf_plain_layer(d, ffn) + hf_layernorm(d) + hf_linear(d, d) + hf_linear(d, out);
}

std::int64_t qwen3_omni_vision(HfKeys& k, HfKeys&, std::int64_t) {
    return hf_qwen3_vit(k, 3);
}

// Others
// ----------------------------------------------------------------------------------------------------

/// MoonViT, whose patches are joined two by two.
std::int64_t moon_vit(HfKeys& k, HfKeys&, std::int64_t hidden) {
    const std::int64_t w = k.maybe({"hidden_size", "vt_hidden_size"}).value_or(1152);
    const std::int64_t f = k.maybe({"intermediate_size", "vt_intermediate_size"}).value_or(4304);
    const std::int64_t layers = k.maybe({"num_hidden_layers", "vt_num_hidden_layers"}).value_or(27);
    const std::int64_t patch = k.maybe({"patch_size"}).value_or(14);
    const std::int64_t rows = k.maybe({"pos_emb_height", "init_pos_emb_height"}).value_or(64) *
                              k.maybe({"pos_emb_width", "init_pos_emb_width"}).value_or(64);
    constexpr std::int64_t joined = 4;
    return hf_linear(3 * patch * patch, w) + rows * w + layers * hf_plain_layer(w, f) + hf_layernorm(w) +
           hf_layernorm(w) + hf_linear(joined * w, joined * w) + hf_linear(joined * w, hidden);
}

std::int64_t phi4_vision(HfKeys& k, HfKeys&, std::int64_t hidden) {
    const std::int64_t w = k.maybe({"hidden_size"}).value_or(1152);
    return hf_siglip(k, {1152, 4304, 27, 448, 14, 3}, true) + 2 * w + hf_linear(w, hidden) +
           hf_linear(hidden, hidden);
}

/// Phi-4's conformer, and two projectors: of speech, and of speech beside pictures.
std::int64_t phi4_audio(HfKeys& k, HfKeys&, std::int64_t hidden) {
    const std::int64_t h = k.maybe({"hidden_size"}).value_or(1024);
    const std::int64_t f = k.maybe({"intermediate_size"}).value_or(1536);
    const std::int64_t outer = k.maybe({"ext_pw_out_channel"}).value_or(1024);
    const std::int64_t separable = k.maybe({"depthwise_separable_out_channel"}).value_or(1024);
    const std::int64_t kernel = k.maybe({"kernel_size"}).value_or(3);
    const std::int64_t channels = k.maybe({"nemo_conv_channels"}).value_or(1024);
    const std::int64_t heads = k.maybe({"num_attention_heads"}).value_or(16);
    const std::int64_t distance = k.maybe({"bias_max_distance"}).value_or(1000);
    constexpr std::int64_t window = 9;
    const std::int64_t front = hf_linear(window, channels) +
                               2 * (hf_linear(window, channels) + hf_linear(channels, channels)) +
                               hf_linear(channels * k.maybe({"nemo_final_size"}).value_or(10), h);
    const std::int64_t mlp = hf_layernorm(h) + hf_linear(h, 2 * f) + hf_linear(f, h);
    const std::int64_t convolution = hf_layernorm(h) + 2 * outer + hf_linear(h, 2 * outer) +
                                     hf_linear(kernel, h) + hf_linear(h, separable) +
                                     hf_linear(separable, outer);
    const std::int64_t layer = 2 * mlp + 4 * hf_linear(h, h) + convolution + 2 * hf_layernorm(h);
    return front + 2 * distance * heads + k.maybe({"num_blocks"}).value_or(24) * layer +
           2 * (hf_linear(h, hidden) + hf_linear(hidden, hidden));
}

/// SigLIP, and joined patches through a gated pair of products.
std::int64_t aya_vision(HfKeys& k, HfKeys& outer, std::int64_t hidden) {
    const std::int64_t w = k.maybe({"hidden_size"}).value_or(1152);
    const std::int64_t factor = outer.maybe({"downsample_factor"}).value_or(2);
    const std::int64_t joined = w * factor * factor;
    const std::int64_t inner = outer.maybe({"alignment_intermediate_size"}).value_or(hidden);
    const auto use = k.find({"vision_use_head"});
    return hf_siglip(k, {1152, 4304, 26, 384, 14, 3}, use && use->boolean()) + hf_layernorm(joined) +
           hf_linear(joined, inner) + hf_linear(inner / 2, hidden);
}

/// A few latents that read the picture through layers of their own, after a gated MLP of the decoder's width.
std::int64_t idefics2(HfKeys& k, HfKeys& outer, std::int64_t hidden) {
    const std::int64_t w = k.maybe({"hidden_size"}).value_or(768);
    std::int64_t ffn = 14336;
    if (auto text = outer.object("text_config")) {
        ffn = text->maybe({"intermediate_size"}).value_or(ffn);
    }
    std::int64_t latents = 64, depth = 3, heads = 16, dim = 96, kv_heads = 4;
    if (auto perceiver = outer.object("perceiver_config")) {
        latents = perceiver->maybe({"resampler_n_latents"}).value_or(latents);
        depth = perceiver->maybe({"resampler_depth"}).value_or(depth);
        heads = perceiver->maybe({"resampler_n_heads"}).value_or(heads);
        dim = perceiver->maybe({"resampler_head_dim"}).value_or(dim);
        kv_heads = perceiver->maybe({"num_key_value_heads"}).value_or(kv_heads);
    }
    constexpr std::int64_t widened = 4;
    const std::int64_t layer =
        3 * hidden + 2 * hidden * (heads + kv_heads) * dim + 3 * hidden * widened * hidden;
    return hf_siglip(k, {768, 3072, 12, 224, 32, 3}, false) + 2 * w * ffn + ffn * hidden + latents * hidden +
           depth * layer + hidden;
}

/// Queries that attend to the picture's patches.
std::int64_t aria(HfKeys& k, HfKeys& outer, std::int64_t hidden) {
    const std::int64_t w = k.maybe({"hidden_size"}).value_or(1152);
    std::int64_t queries = outer.maybe({"max_value_projector_patch_to_query_dict"}).value_or(0);
    if (const auto node = outer.find({"projector_patch_to_query_dict"}); node && node->is_object()) {
        for (const JsonMember& member : *node->value().object()) {
            queries = std::max(queries, JsonNode(node->document(), member.value).integer(1));
        }
    }
    return hf_siglip(k, {1152, 3072, 12, 224, 32, 3}, false) + std::max<std::int64_t>(queries, 1) * w +
           7 * w * w + 3 * w + 2 * hf_linear(w, w) - w * w + 3 * hf_layernorm(w) + w * hidden +
           hidden * hidden;
}

std::int64_t video_llama_3(HfKeys& k, HfKeys&, std::int64_t hidden) {
    const std::int64_t w = k.maybe({"hidden_size"}).value_or(768);
    const std::int64_t f = k.maybe({"intermediate_size"}).value_or(3072);
    const std::int64_t patch = k.maybe({"patch_size"}).value_or(16);
    return hf_linear(3 * patch * patch, w) +
           k.maybe({"num_hidden_layers"}).value_or(12) * hf_plain_layer(w, f) + hf_layernorm(w) +
           hf_linear(w, hidden) + hf_linear(hidden, hidden);
}

/// Pictures and films: patches joined in space, then in time.
std::int64_t ernie_vision(HfKeys& k, HfKeys&, std::int64_t hidden) {
    const std::int64_t w = k.maybe({"hidden_size"}).value_or(1280);
    const std::int64_t f = k.maybe({"intermediate_size"}).value_or(4 * w);
    const std::int64_t patch = k.maybe({"patch_size"}).value_or(14);
    const std::int64_t merge = k.maybe({"spatial_merge_size"}).value_or(2);
    const std::int64_t frames = k.maybe({"temporal_merge_size"}).value_or(2);
    const std::int64_t joined = w * merge * merge;
    return 3 * patch * patch * w + k.maybe({"depth"}).value_or(32) * hf_plain_layer(w, f) + hf_layernorm(w) +
           3 * hf_linear(joined, joined) + hf_linear(frames * joined, joined) + 2 * hf_layernorm(joined) +
           hf_linear(joined, hidden) + hidden;
}

/// A tower whose blocks scale what they add, and two convolutions that join patches.
std::int64_t step_vision(HfKeys& k, HfKeys&, std::int64_t hidden) {
    const std::int64_t w = k.maybe({"hidden_size"}).value_or(1536);
    const std::int64_t f = k.maybe({"intermediate_size"}).value_or(8960);
    const std::int64_t patch = k.maybe({"patch_size"}).value_or(14);
    const std::int64_t side = k.maybe({"image_size"}).value_or(728) / patch;
    constexpr std::int64_t window = 9;
    return 3 * patch * patch * w + side * side * w + hf_layernorm(w) +
           k.maybe({"num_hidden_layers"}).value_or(47) * (hf_plain_layer(w, f) + 2 * w) +
           hf_linear(window * w, 2 * w) + hf_linear(2 * window * w, 4 * w) + 4 * w * hidden;
}

/// SigLIP of pictures of any size, whose patches are joined two by two.
std::int64_t paddle_vision(HfKeys& k, HfKeys&, std::int64_t hidden) {
    const std::int64_t joined = 4 * k.maybe({"hidden_size"}).value_or(1152);
    return hf_siglip(k, {1152, 4304, 27, 384, 14, 3}, false) + hf_layernorm(joined / 4) +
           hf_linear(joined, joined) + hf_linear(joined, hidden);
}

/// Gated MLPs with biases, norms on heads, patches joined by a convolution and a gated MLP.
std::int64_t glm_ocr_vision(HfKeys& k, HfKeys&, std::int64_t) {
    const std::int64_t w = k.maybe({"hidden_size"}).value_or(1024);
    const std::int64_t f = k.maybe({"intermediate_size"}).value_or(4096);
    const std::int64_t out = k.maybe({"out_hidden_size"}).value_or(1536);
    const std::int64_t patch = k.maybe({"patch_size"}).value_or(14);
    const std::int64_t frames = k.maybe({"temporal_patch_size"}).value_or(2);
    const std::int64_t merge = k.maybe({"spatial_merge_size"}).value_or(2);
    const std::int64_t inner =
        k.maybe({"projection_intermediate_size"}).value_or(out * k.maybe({"in_channels"}).value_or(3));
    const std::int64_t head = w / k.maybe({"num_heads"}).value_or(16);
    const std::int64_t block = 2 * w + 4 * hf_linear(w, w) + 2 * head + 2 * hf_linear(w, f) + hf_linear(f, w);
    return hf_linear(3 * frames * patch * patch, w) + k.maybe({"depth"}).value_or(24) * block + w +
           hf_linear(merge * merge * w, out) + out * out + hf_layernorm(out) + 3 * out * inner;
}

/// Whisper's encoder and a plain MLP.
std::int64_t audio_flamingo(HfKeys& k, HfKeys&, std::int64_t hidden) {
    return hf_whisper_encoder(k) + hf_linear(k.maybe({"hidden_size", "d_model"}).value_or(1280), hidden) +
           hf_linear(hidden, hidden);
}

/// A conformer of sound.
std::int64_t granite_encoder(HfKeys& k, HfKeys&, std::int64_t) {
    const std::int64_t h = k.maybe({"hidden_dim"}).value_or(1024);
    const std::int64_t inner = k.maybe({"num_heads"}).value_or(8) * k.maybe({"dim_head"}).value_or(128);
    const std::int64_t wide = h * k.maybe({"feedforward_mult"}).value_or(4);
    const std::int64_t channels = h * k.maybe({"conv_expansion_factor"}).value_or(2);
    const std::int64_t kernel = k.maybe({"conv_kernel_size"}).value_or(15);
    const std::int64_t positions = 2 * k.maybe({"max_pos_emb"}).value_or(512) + 1;
    const std::int64_t out = k.maybe({"output_dim"}).value_or(42);
    const std::int64_t mlp = hf_layernorm(h) + hf_linear(h, wide) + hf_linear(wide, h);
    const std::int64_t attention = hf_layernorm(h) + 3 * h * inner + hf_linear(inner, h) +
                                   positions * k.maybe({"dim_head"}).value_or(128);
    const std::int64_t convolution = hf_layernorm(h) + hf_linear(h, 2 * channels) + kernel * channels +
                                     hf_layernorm(channels) + hf_linear(channels, h);
    return hf_linear(k.maybe({"input_dim"}).value_or(160), h) +
           k.maybe({"num_layers"}).value_or(10) * (2 * mlp + attention + convolution + hf_layernorm(h)) +
           hf_linear(h, out) + hf_linear(out, h);
}

/// Queries of a window's sound that read it in every `cross_attention_frequency`-th layer.
std::int64_t granite_projector(HfKeys& k, HfKeys& outer, std::int64_t hidden) {
    const std::int64_t w = k.maybe({"hidden_size"}).value_or(768);
    const std::int64_t f = k.maybe({"intermediate_size"}).value_or(3072);
    const std::int64_t layers = k.maybe({"num_hidden_layers"}).value_or(12);
    const std::int64_t read = k.maybe({"encoder_hidden_size"}).value_or(1408);
    const std::int64_t period = k.maybe({"cross_attention_frequency"}).value_or(2);
    const std::int64_t queries =
        outer.maybe({"window_size"}).value_or(15) / outer.maybe({"downsample_rate"}).value_or(5);
    const std::int64_t cross = 2 * hf_linear(w, w) + 2 * hf_linear(read, w) + hf_layernorm(w);
    return queries * w + hf_layernorm(w) + layers * hf_plain_layer(w, f) +
           (layers + period - 1) / period * cross + hf_linear(w, hidden);
}

constexpr std::array joined_towers = std::to_array<JoinedTower>({
    {"aria", "vision_config", "vision tower and projector", aria},
    {"audioflamingo3", "audio_config", "audio tower and projector", audio_flamingo},
    {"aya_vision", "vision_config", "vision tower and projector", aya_vision},
    {"ernie4_5_vl_moe", "vision_config", "vision tower and resampler", ernie_vision},
    {"exaone4_5", "vision_config", "vision tower and projector", exaone_vision},
    {"gemma3n", "audio_config", "audio tower and projector", gemma3n_audio},
    {"gemma3n", "vision_config", "vision tower and projector", gemma3n_vision},
    {"gemma4", "audio_config", "audio tower and projector", gemma4_audio},
    {"gemma4", "vision_config", "vision tower and projector", gemma4_vision},
    {"glm_ocr", "vision_config", "vision tower and projector", glm_ocr_vision},
    {"granite_speech", "encoder_config", "audio tower", granite_encoder},
    {"granite_speech", "projector_config", "projector", granite_projector},
    {"idefics2", "vision_config", "vision tower and resampler", idefics2},
    {"kimi_k25", "vision_config", "vision tower and projector", moon_vit},
    {"kimi_vl", "vision_config", "vision tower and projector", moon_vit},
    {"musicflamingo", "audio_config", "audio tower and projector", audio_flamingo},
    {"paddleocr_vl", "vision_config", "vision tower and projector", paddle_vision},
    {"phi4_multimodal", "audio_config", "audio tower and projectors", phi4_audio},
    {"phi4_multimodal", "vision_config", "vision tower and projector", phi4_vision},
    {"qwen2_5_omni", "audio_config", "audio tower and projector", qwen25_omni_audio},
    {"qwen2_5_omni", "vision_config", "vision tower and projector", qwen25_omni_vision},
    {"qwen2_5_omni_thinker", "audio_config", "audio tower and projector", qwen25_omni_audio},
    {"qwen2_5_omni_thinker", "vision_config", "vision tower and projector", qwen25_omni_vision},
    {"qwen3_asr", "audio_config", "audio tower and projector", qwen3_audio},
    {"qwen3_omni_moe", "audio_config", "audio tower and projector", qwen3_audio},
    {"qwen3_omni_moe", "vision_config", "vision tower and projectors", qwen3_omni_vision},
    {"qwen3_omni_moe_thinker", "audio_config", "audio tower and projector", qwen3_audio},
    {"qwen3_omni_moe_thinker", "vision_config", "vision tower and projectors", qwen3_omni_vision},
    {"step3p7", "vision_config", "vision tower and projector", step_vision},
    {"video_llama_3", "vision_config", "vision tower and projector", video_llama_3},
});

}  // namespace

std::optional<std::vector<ExtraParameters>> hf_joined_towers(HfKeys& outer, std::string_view type,
                                                             std::int64_t hidden) {
    std::vector<ExtraParameters> towers;
    bool known = false;
    for (const JoinedTower& tower : joined_towers) {
        if (tower.type != type) {
            continue;
        }
        known = true;
        if (auto keys = outer.object(tower.key)) {
            towers.push_back({std::string(tower.what), tower.count(*keys, outer, hidden)});
        }
    }
    return known ? std::optional(std::move(towers)) : std::nullopt;
}

}  // namespace traincost
