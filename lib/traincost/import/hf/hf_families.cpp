#include "traincost/import/hf/hf_families.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

constexpr std::array<std::pair<std::string_view, Activation>, 17> activations = {
    {{"gelu", Activation::gelu},
     {"gelu_python", Activation::gelu},
     {"gelu_new", Activation::gelu_new},
     {"gelu_fast", Activation::gelu_fast},
     {"gelu_tanh", Activation::gelu_tanh},
     {"gelu_pytorch_tanh", Activation::gelu_tanh},
     {"quick_gelu", Activation::quick_gelu},
     {"gelu_accurate", Activation::gelu_tanh},
     {"relu", Activation::relu},
     {"silu", Activation::silu},
     {"swish", Activation::silu},
     {"swiglu", Activation::silu},
     {"relu2", Activation::squared_relu},
     {"squared_relu", Activation::squared_relu},
     {"gegelu", Activation::gegelu},
     {"geglu", Activation::gelu},
     {"xielu", Activation::xielu}}};

/// How many of the layers attend to everything, as a period; nothing where none does.
struct Pattern {
    std::int64_t full_every;
    bool regular;
};

Pattern pattern_of(const std::vector<std::string>& types) {
    const auto is_full = [](const std::string& type) { return type == "full_attention"; };
    const auto first = std::find_if(types.begin(), types.end(), is_full);
    if (first == types.end()) {
        return {0, true};
    }
    const auto period = (first - types.begin()) + 1;
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (is_full(types[i]) != ((static_cast<std::ptrdiff_t>(i) + 1) % period == 0)) {
            const auto full = std::count_if(types.begin(), types.end(), is_full);
            return {(static_cast<std::int64_t>(types.size()) + full / 2) / full, false};
        }
    }
    return {period, true};
}

/// Gemma keeps the name it uses in `hidden_activation` and an older one in `hidden_act`.
Activation rotary_activation(HfKeys& keys) {
    if (keys.find({"hidden_activation"})) {
        keys.ignore({"hidden_act"});
        return hf_activation(keys, {"hidden_activation"}, Activation::silu);
    }
    return hf_activation(keys, {"hidden_act"}, Activation::silu);
}

}  // namespace

std::int64_t hf_head_dim(const HfKeys& keys, std::string_view heads_key, std::int64_t hidden,
                         std::int64_t heads) {
    if (hidden % heads != 0) {
        keys.fail(heads_key,
                  std::to_string(heads) + " does not divide the hidden size " + std::to_string(hidden));
    }
    return hidden / heads;
}

std::int64_t hf_kv_heads(HfKeys& keys, HfNames names, std::int64_t heads, std::int64_t fallback) {
    if (const auto given = keys.maybe(names)) {
        return *given;
    }
    const bool null =
        std::any_of(names.begin(), names.end(), [&](std::string_view name) { return keys.has(name); });
    const std::int64_t used = null || fallback == 0 ? heads : fallback;
    if (!null) {
        keys.assume(std::string(*names.begin()) + " = " + std::to_string(used) + ", the default of " +
                    keys.type());
    }
    return used;
}

Activation hf_activation(HfKeys& keys, HfNames names, Activation fallback) {
    const auto node = keys.find(names);
    if (!node) {
        return fallback;
    }
    const std::string& name = node->string();
    for (const auto& [known, activation] : activations) {
        if (known == name) {
            return activation;
        }
    }
    std::array<std::string_view, activations.size()> known{};
    std::transform(activations.begin(), activations.end(), known.begin(),
                   [](const auto& entry) { return entry.first; });
    std::string list;
    for (const std::string_view one : known) {
        list += list.empty() ? "" : ", ";
        list += one;
    }
    node->fail("unknown value '" + name + "'; allowed: " + list + did_you_mean(name, known));
}

void hf_read_rotary(HfKeys& keys, ModelSpec& model) {
    model.position.kind = PositionKind::rope;
    model.position.rope_theta = keys.number({"rope_theta", "rotary_emb_base"});
    auto fraction = keys.number({"partial_rotary_factor", "rotary_pct", "rope_pct"});
    if (const auto parameters = keys.find({"rope_parameters"}); parameters && parameters->is_object()) {
        const JsonValue& value = parameters->value();
        if (const JsonValue* theta = value.find("rope_theta"); theta != nullptr && !theta->is_null()) {
            model.position.rope_theta = JsonNode(parameters->document(), *theta).number();
        }
        if (const JsonValue* part = value.find("partial_rotary_factor");
            part != nullptr && !part->is_null()) {
            fraction = JsonNode(parameters->document(), *part).number();
        }
    }
    if (const auto channels = keys.maybe({"rotary_dim"}, 0)) {
        fraction = static_cast<double>(*channels) / static_cast<double>(model.head_dim);
    }
    model.position.rope_fraction = fraction.value_or(model.position.rope_fraction);
}

void hf_read_attention_bias(HfKeys& keys, ModelSpec& model, bool fallback, bool output_too) {
    model.bias.qkv = keys.flag({"attention_bias"}, fallback);
    model.bias.attention_out = output_too && model.bias.qkv;
}

void hf_read_window(HfKeys& keys, ModelSpec& model, std::optional<std::int64_t> fallback,
                    std::int64_t full_every) {
    auto size = keys.maybe({"sliding_window", "sliding_window_size"}, 0);
    if (!size && fallback && !keys.has("sliding_window") && !keys.has("sliding_window_size")) {
        size = fallback;
        keys.assume("sliding_window = " + std::to_string(*fallback) + ", the default of " + keys.type());
    }
    Pattern pattern{full_every, true};
    if (const auto types = keys.per_layer_names("layer_types", model.layers)) {
        for (const std::string& type : *types) {
            if (type != "full_attention" && type != "sliding_attention" && type != "chunked_attention") {
                keys.fail("layer_types", "'" + type +
                                             "' layers are not modelled; known are full_attention, " +
                                             "sliding_attention and chunked_attention");
            }
        }
        pattern = pattern_of(*types);
        if (!pattern.regular) {
            keys.assume("layer_types repeats with no period; every " + std::to_string(pattern.full_every) +
                        "-th layer is taken to attend to all tokens");
        }
    }
    if (!size || *size == 0 || pattern.full_every == 1) {
        return;
    }
    model.window = WindowSpec{.kind = WindowKind::sliding, .size = size, .full_every = pattern.full_every};
}

ModelSpec hf_layernorm_decoder(HfKeys& keys, std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                               std::int64_t ffn) {
    return {.name = keys.type(),
            .family = keys.type(),
            .architecture = Architecture::decoder,
            .layers = layers,
            .hidden = hidden,
            .heads = heads,
            .kv_heads = heads,
            .head_dim = 0,
            .ffn = ffn,
            .gated_mlp = false,
            .activation = Activation::gelu,
            .vocab = 0,
            .tied_embeddings = true,
            .position = {.kind = PositionKind::learned},
            .norm = {.kind = NormKind::layernorm,
                     .bias = true,
                     .per_layer = 2,
                     .final_norm = true,
                     .embedding_norm = false,
                     .qk = QkNorm::none,
                     .placement = NormPlacement::pre},
            .bias = {.qkv = true, .attention_out = true, .mlp = true, .lm_head = false}};
}

HfStacks hf_stacks(HfKeys& keys, std::string_view type) {
    auto encoder = keys.object("encoder");
    auto decoder = keys.object("decoder");
    if (!encoder || !decoder) {
        const std::string missing = encoder ? "decoder" : "encoder";
        keys.fail(missing, "missing key '" + missing + "'; a " + std::string(type) + " needs it");
    }
    return {std::move(*encoder), std::move(*decoder)};
}

ModelSpec hf_joined_stacks(const HfKeys& keys, ModelSpec encoder, const ModelSpec& decoder) {
    if (encoder.hidden != decoder.hidden || encoder.heads != decoder.heads ||
        encoder.kv_heads != decoder.kv_heads || encoder.head_dim != decoder.head_dim ||
        encoder.ffn != decoder.ffn) {
        keys.fail("decoder", "has another shape than the encoder; only two stacks of one shape are modelled");
    }
    encoder.architecture = Architecture::encoder_decoder;
    encoder.decoder_layers = decoder.layers;
    return encoder;
}

ModelSpec hf_rotary_decoder(HfKeys& keys, const HfDefaults& defaults) {
    const std::int64_t hidden = keys.required({"hidden_size"});
    const std::int64_t heads = keys.integer({"num_attention_heads"}, defaults.heads);
    const auto head_dim = keys.maybe({"head_dim", "attention_head_dim"});
    const bool from_hidden = keys.has("head_dim") || defaults.head_dim == 0;
    if (!head_dim && !from_hidden) {
        keys.assume("head_dim = " + std::to_string(defaults.head_dim) + ", the default of " + keys.type());
    }
    ModelSpec model{.name = keys.type(),
                    .family = keys.type(),
                    .architecture = Architecture::decoder,
                    .layers = keys.required({"num_hidden_layers"}),
                    .hidden = hidden,
                    .heads = heads,
                    .kv_heads = hf_kv_heads(keys, {"num_key_value_heads"}, heads, defaults.kv_heads),
                    .head_dim = head_dim      ? *head_dim
                                : from_hidden ? hf_head_dim(keys, "num_attention_heads", hidden, heads)
                                              : defaults.head_dim,
                    .ffn = keys.integer({"intermediate_size"}, defaults.ffn),
                    .gated_mlp = true,
                    .activation = rotary_activation(keys),
                    .vocab = keys.integer({"vocab_size"}, defaults.vocab),
                    .tied_embeddings = keys.flag({"tie_word_embeddings"}, defaults.tied),
                    .position = {.kind = PositionKind::rope},
                    .norm = {.kind = NormKind::rmsnorm,
                             .bias = false,
                             .per_layer = 2,
                             .final_norm = true,
                             .embedding_norm = false,
                             .qk = QkNorm::none,
                             .placement = NormPlacement::pre},
                    .bias = {.qkv = false, .attention_out = false, .mlp = false, .lm_head = false}};
    model.max_position = keys.integer({"max_position_embeddings"}, defaults.max_position);
    hf_read_rotary(keys, model);
    return model;
}

std::int64_t hf_layer_shape(ModelSpec& model, const LayerShape& shape) {
    if (shape == LayerShape{}) {
        return 0;
    }
    const auto found = std::find(model.shapes.begin(), model.shapes.end(), shape);
    const std::int64_t index = found - model.shapes.begin() + 1;
    if (found == model.shapes.end()) {
        model.shapes.push_back(shape);
    }
    return index;
}

void hf_narrow_embeddings(ModelSpec& model, std::int64_t width, bool bias) {
    if (width == model.hidden) {
        return;
    }
    // Position and type tables and the norm are as wide as the embedding, not the layers.
    const std::int64_t rows = model.position.table_rows + model.token_types;
    model.extra.push_back(
        {"narrow tables, their norm and bias", (rows + 2) * width + (bias ? model.hidden : 0)});
    model.embedding_dim = width;
    model.position.table_rows = 0;
    model.position.kind = PositionKind::none;
    model.token_types = 0;
    model.norm.embedding_norm = false;
}

}  // namespace traincost
