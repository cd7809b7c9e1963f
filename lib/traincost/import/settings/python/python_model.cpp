#include "traincost/import/settings/python/python_model.hpp"

#include <array>
#include <cctype>

#include "traincost/base/contains_any.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python/python_made.hpp"

namespace traincost {

bool is_open(const Setting& value) {
    return value.is_scalar() && !value.quoted && !value.text.empty() && value.text != "true" &&
           value.text != "false" &&
           (value.text[0] == '<' || std::isalpha(static_cast<unsigned char>(value.text[0])) != 0);
}

void put(Setting& root, std::string_view key, const Setting* value) {
    const Setting* stands = value == nullptr ? nullptr : root.peek(key);
    if (value != nullptr && (stands == nullptr || (is_open(*stands) && !is_open(*value)))) {
        place_at(root, key) = *value;
    }
}

void hide_names(Setting& value) {
    if (value.is_scalar() && !value.quoted && !as_number(value) && !as_truth(value) && !says_nothing(value) &&
        !value.text.starts_with("torch.") && !value.text.starts_with("<")) {
        value.text = "<" + value.text + ">";
    }
    for (SettingMember& m : value.members) {
        if (m.key != "$class") {
            hide_names(m.value);
        }
    }
    for (Setting& item : value.items) {
        hide_names(item);
    }
}

bool is_language_model(std::string_view name) {
    static constexpr std::array<std::string_view, 8> parts = {"CausalLM.",
                                                              "LanguageModel.",
                                                              "ModelFor",
                                                              "ForCausalLM",
                                                              "ForMaskedLM",
                                                              "LMHeadModel",
                                                              "ForConditionalGeneration",
                                                              "ForSequenceClassification"};
    return contains_any(name, parts);
}

namespace {

/// A model that is made anew: of its configuration's dimensions, or as another one is.
void put_new_model(Setting& root, const Setting& config) {
    if (config.has_any({"num_hidden_layers", "n_layer", "hidden_size", "n_embd"})) {
        put(root, "$config", &config);
        return;
    }
    const Setting* like = config.peek("$arguments");
    if (class_name(config) == "from_pretrained" && like != nullptr && !like->items.empty()) {
        put(root, "model_name_or_path", &like->items.front());
    }
}

bool loads_model(std::string_view name) {
    const std::string chosen = lower(name);  // "model_class.from_pretrained", one class among several
    return is_language_model(name) || name.find("Model") != name.npos ||
           name.find("HookedTransformer") != name.npos ||
           (chosen.find("model_cl") != chosen.npos && chosen.find("reward") == chosen.npos);
}

}  // namespace

namespace {

/// dtype=torch.bfloat16, as newer versions say it, and JAX.
void put_format(Setting& root, const Setting& call) {
    const Setting* format = call.peek("dtype");
    if (format != nullptr && format->is_scalar() && !format->quoted &&
        (format->text.starts_with("torch.") || format->text.starts_with("jnp."))) {
        const Setting named = scalar_setting(format->text, *format, true);
        put(root, "torch_dtype", &named);
    }
}

/// The settings of a model that a class of the program's own makes: HFModel(config).
const Setting* shape_of_own_model(std::string_view name, const Setting* first, const Setting& call) {
    const std::string small = lower(name);
    static constexpr std::array<std::string_view, 6> others = {"reward", "critic", "teacher",
                                                               "draft",  "vision", "encoder"};
    if (!small.ends_with("model") || contains_any(small, others)) {
        return nullptr;
    }
    const Setting* config = first != nullptr && first->is_map() ? first : call.peek("config");
    const bool shaped = config != nullptr && config->is_map() && config->has_any({"hidden_size", "n_embd"}) &&
                        config->has_any({"num_hidden_layers", "num_layers", "n_layer", "layer_num"});
    return shaped ? config : nullptr;
}

}  // namespace

void put_model(Setting& root, const Setting& call) {
    const std::string_view path = class_path(call);
    const Setting* positional = call.peek("$arguments");
    const Setting* first = positional != nullptr && positional->is_list() && !positional->items.empty()
                               ? &positional->items.front()
                               : nullptr;
    const std::string_view name = class_name(call);
    if ((name == "from_pretrained" || name == "from_pretrained_no_processing") && loads_model(path)) {
        for (const std::string_view key : {"pretrained_model_name_or_path", "model_name"}) {
            put(root, "model_name_or_path", call.peek(key));
        }
        put(root, "model_name_or_path", first);
        for (const std::string_view key :
             {"attn_implementation", "torch_dtype", "load_in_4bit", "load_in_8bit", "max_seq_length"}) {
            put(root, key, call.peek(key));
        }
        put(root, "gradient_checkpointing", call.peek("use_gradient_checkpointing"));
        put_format(root, call);
    } else if (name == "from_preset" && is_language_model(path)) {  // Keras
        put(root, "model_name_or_path", first);
    } else if (name == "enable_lora") {
        put(root, "lora_r", call.peek("rank"));
        put(root, "lora_r", first);
    } else if (name == "LoraConfig" ||
               name == "get_peft_model") {  // the latter where it takes the rank itself
        put(root, "lora_r", call.peek("r"));
        put(root, "lora_target_modules", call.peek("target_modules"));
        put(root, "lora_dropout", call.peek("lora_dropout"));
        put(root, "gradient_checkpointing", call.peek("use_gradient_checkpointing"));
        if (path.find("Fast") != path.npos) {  // Unsloth's, which recomputes unless it is told not to
            const Setting on = scalar_setting("unsloth", call, true);
            put(root, "gradient_checkpointing", &on);
        }
        put(root, "max_seq_length", call.peek("max_seq_length"));
    } else if (name == "BitsAndBytesConfig") {
        put(root, "load_in_4bit", call.peek("load_in_4bit"));
        put(root, "load_in_8bit", call.peek("load_in_8bit"));
    } else if (name == "Accelerator") {
        put(root, "gradient_accumulation_steps", call.peek("gradient_accumulation_steps"));
        put(root, "mixed_precision", call.peek("mixed_precision"));
        put(root, "$accelerated", call.peek("$class"));
    } else if (is_language_model(path)) {
        const Setting* config = first != nullptr && first->is_map() ? first : call.peek("config");
        if (config != nullptr && config->is_map()) {
            put_new_model(root, *config);
            put(root, "attn_implementation", config->peek("attn_implementation"));
        }
        put(root, "attn_implementation", call.peek("attn_implementation"));
        put(root, "torch_dtype", call.peek("torch_dtype"));
        put_format(root, call);
    } else if (const Setting* shape = shape_of_own_model(name, first, call)) {
        put_new_model(root, *shape);
    } else if (name.ends_with("Trainer")) {
        const Setting* model = call.peek("model");
        if (model != nullptr && model->is_scalar() && model->quoted) {
            put(root, "model_name_or_path", model);
        }
        put(root, "max_seq_length", call.peek("max_seq_length"));
        put(root, "max_length", call.peek("max_length"));
        put(root, "packing", call.peek("packing"));
    } else if (const Setting* kernel = call.peek("attn_implementation");
               kernel != nullptr && kernel->quoted &&
               name.find("load") != name.npos) {  // a loader of its own
        put(root, "attn_implementation", kernel);
    }
}

}  // namespace traincost
