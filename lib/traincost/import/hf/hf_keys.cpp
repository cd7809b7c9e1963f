#include "traincost/import/hf/hf_keys.hpp"

#include <algorithm>
#include <array>

#include "traincost/base/contains_any.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

/// No width, depth or table of a model comes near; products of a few stay far from the end of a 64-bit count.
constexpr std::int64_t largest_count = 1'000'000'000;

/// Keys of every configuration that say nothing about shapes: generation, labels, training, implementation.
constexpr std::array harmless_names = {"architectures",
                                       "auto_map",
                                       "bad_words_ids",
                                       "bf16",
                                       "chunk_size_feed_forward",
                                       "custom_pipelines",
                                       "do_sample",
                                       "diversity_penalty",
                                       "dtype",
                                       "early_stopping",
                                       "encoder_no_repeat_ngram_size",
                                       "ep_size",
                                       "exponential_decay_length_penalty",
                                       "finetuning_task",
                                       "fp16",
                                       "fp32",
                                       "fused_qkv",
                                       "gradient_checkpointing",
                                       "id2label",
                                       "inference_runner",
                                       "is_decoder",
                                       "is_encoder_decoder",
                                       "label2id",
                                       "language_model",
                                       "layerdrop",
                                       "length_penalty",
                                       "license",
                                       "masked_softmax_fusion",
                                       "max_batch_size",
                                       "max_length",
                                       "min_length",
                                       "model_type",
                                       "move_model_to_device",
                                       "n_ctx",
                                       "n_special",
                                       "no_repeat_ngram_size",
                                       "norm_topk_prob",
                                       "num_beam_groups",
                                       "num_beams",
                                       "num_labels",
                                       "num_return_sequences",
                                       "offset_alibi",
                                       "onnx_safe",
                                       "pad_key_length",
                                       "position_ids",
                                       "pre_allocate_kv_cache",
                                       "predict_special_tokens",
                                       "prefix",
                                       "pretraining_tp",
                                       "problem_type",
                                       "quantization_config",
                                       "remove_invalid_values",
                                       "reorder_and_upcast_attn",
                                       "repetition_penalty",
                                       "return_dict",
                                       "routed_scaling_factor",
                                       "scoring_func",
                                       "seq_aux",
                                       "skip_bias_add",
                                       "slow_but_exact",
                                       "suppress_tokens",
                                       "begin_suppress_tokens",
                                       "task_specific_params",
                                       "temperature",
                                       "tf_legacy_loss",
                                       "tokenizer_class",
                                       "top_k",
                                       "top_p",
                                       "torch_dtype",
                                       "torchscript",
                                       "transformers_version",
                                       "typical_p",
                                       "unsloth_fixed",
                                       "unsloth_version",
                                       "use_bfloat16",
                                       "use_cache",
                                       "use_flash_attn",
                                       "use_flash_attention",
                                       "use_dynamic_ntk",
                                       "use_logn_attn",
                                       "validate_runner_input",
                                       "z_loss_weight",
                                       "sep_token",
                                       "attn_implementation",
                                       "clip_qkv",
                                       "verbose",
                                       "init_device",
                                       "transformers.js_config",
                                       "tokenizer_type",
                                       "hidden_dropout",
                                       "swiglu_limit",
                                       "initial_context_length",
                                       "topk_method",
                                       "n_group",
                                       "num_expert_group",
                                       "topk_group",
                                       "dim_model_base",
                                       "mup_denominator",
                                       "original_rope",
                                       "keep_multimodal",
                                       "query_pre_attn_scalar",
                                       "is_causal",
                                       "use_qkv_fused",
                                       "fuse_attention_qkv",
                                       "fuse_attention_ffn",
                                       "fuse_norm",
                                       "fuse_linear",
                                       "fuse_rope",
                                       "fuse_softmax_mask",
                                       "fuse_swiglu",
                                       "bias_dropout_fusion",
                                       "bias_activation_fuse_function",
                                       "gated_linear_unit",
                                       "mlp_bias_fusion",
                                       "max_sequence_length",
                                       "embedding_multiplier",
                                       "residual_multiplier",
                                       "attention_multiplier"};

/// Parts of names that say so too, wherever they stand.
constexpr std::array harmless_parts = {
    "token_id",      "dropout",    "pdrop",       "_eps",    "epsilon",
    "_coef",         "init_",      "initializer", "rope_",   "summary_",
    "output_",       "softcap",    "scaling",     "scale",   "jitter",
    "aux_",          "flash_attn", "_fusion",     "yarn",    "logit_",
    "logits_",       "loss",       "capacity",    "return_", "attn_implementation",
    "tokenizer",     "in_fp32",    "fp32_",       "quantiz", "transformers_version",
    "deterministic", "checkpoint", "upcast"};

/// Parts of names that may change a shape.
constexpr std::array shape_parts = {
    "layer",    "head",  "size",   "dim",    "expert", "rank",  "intermediate", "ffn",
    "ff_",      "inner", "hidden", "width",  "depth",  "embd",  "embed",        "vocab",
    "channel",  "bias",  "tie",    "norm",   "mlp",    "moe",   "lora",         "latent",
    "position", "block", "kernel", "conv",   "ssm",    "state", "mamba",        "group",
    "shared",   "gate",  "num_",   "_n_",    "ratio",  "cross", "adapter",      "projection",
    "pruned",   "query", "expan",  "sparse", "sink",   "index", "multiplier"};

bool is_harmless(std::string_view name) {
    return name.starts_with('_') ||
           std::find(harmless_names.begin(), harmless_names.end(), name) != harmless_names.end() ||
           contains_any(name, harmless_parts);
}

/// Layers that all attend to everything are what every type has unless it says otherwise.
bool is_all_full_attention(const JsonMember& member) {
    const auto* items = member.value.array();
    return member.key == "layer_types" && items != nullptr &&
           std::all_of(items->begin(), items->end(), [](const JsonValue& item) {
               const auto* type = std::get_if<std::string>(&item.data);
               return type != nullptr && *type == "full_attention";
           });
}

struct SwitchedOff {
    bool operator()(std::monostate) const {
        return true;
    }
    bool operator()(bool x) const {
        return !x;
    }
    bool operator()(std::int64_t x) const {
        return x == 0;
    }
    bool operator()(double x) const {
        return x == 0.0;
    }
    bool operator()(const auto& container) const {
        return container.empty();
    }
};

std::string boolean_text(bool x) {
    return x ? "true" : "false";
}

std::int64_t count_of(const JsonNode& node, std::int64_t low) {
    const std::int64_t x = node.integer(low);
    if (x > largest_count) {
        node.fail(std::to_string(x) + "; must be at most " + std::to_string(largest_count));
    }
    return x;
}

}  // namespace

HfKeys::HfKeys(JsonNode object, std::string type, std::vector<std::string>& assumptions)
    : object_(object), type_(std::move(type)), assumptions_(&assumptions) {
}

const JsonValue* HfKeys::asked(std::string_view name) {
    asked_.push_back(name);
    const JsonValue* value = object_.value().find(name);
    for (const auto& [inherited, outer] : inherited_) {
        if (value == nullptr && inherited == name) {
            value = outer;
        }
    }
    return value == nullptr || value->is_null() ? nullptr : value;
}

void HfKeys::inherit(const JsonNode& outer, HfNames names) {
    for (const std::string_view name : names) {
        if (const JsonValue* value = outer.value().find(name)) {
            inherited_.emplace_back(name, value);
        }
    }
}

bool HfKeys::has(std::string_view name) const {
    return object_.value().find(name) != nullptr;
}

std::optional<JsonNode> HfKeys::find(HfNames names) {
    std::optional<JsonNode> found;
    std::string_view found_name;
    for (const std::string_view name : names) {
        const JsonValue* value = asked(name);
        if (value == nullptr) {
            continue;
        }
        if (!found) {
            found.emplace(object_.document(), *value);
            found_name = name;
        } else if (!(found->value() == *value)) {
            fail(name, "contradicts '" + std::string(found_name) + "', the same setting");
        }
    }
    return found;
}

std::int64_t HfKeys::required(HfNames names, std::int64_t low) {
    if (const auto node = find(names)) {
        return count_of(*node, low);
    }
    const std::string_view first = *names.begin();
    const std::int64_t fallback = first == "hidden_size"         ? hidden_default_
                                  : first == "num_hidden_layers" ? layers_default_
                                                                 : 0;
    if (fallback > 0) {
        assume(std::string(first) + " = " + std::to_string(fallback) + ", the default of " + type_);
        return fallback;
    }
    std::vector<std::string_view> keys;
    for (const JsonMember& member : *object_.value().object()) {
        keys.push_back(member.key);
    }
    const std::string name(*names.begin());
    object_.fail("missing key '" + name + "'; a " + type_ + " needs it" + did_you_mean(name, keys));
}

std::int64_t HfKeys::integer(HfNames names, std::int64_t fallback, std::int64_t low) {
    if (const auto node = find(names)) {
        return count_of(*node, low);
    }
    assume(std::string(*names.begin()) + " = " + std::to_string(fallback) + ", the default of " + type_);
    return fallback;
}

std::optional<std::int64_t> HfKeys::maybe(HfNames names, std::int64_t low) {
    if (const auto node = find(names)) {
        return count_of(*node, low);
    }
    return std::nullopt;
}

std::optional<std::int64_t> HfKeys::uniform(HfNames names, std::int64_t low) {
    const auto node = find(names);
    if (!node) {
        return std::nullopt;
    }
    if (!node->is_array()) {
        return count_of(*node, low);
    }
    std::optional<std::int64_t> one;
    for (const JsonNode& item : node->items()) {
        const std::int64_t x = count_of(item, low);
        if (one && *one != x) {
            item.fail(std::to_string(x) + " but other layers have " + std::to_string(*one) +
                      "; layers of different shapes are not modelled");
        }
        one = x;
    }
    return one;
}

bool HfKeys::flag(HfNames names, bool fallback) {
    if (const auto node = find(names)) {
        return node->boolean();
    }
    assume(std::string(*names.begin()) + " = " + boolean_text(fallback) + ", the default of " + type_);
    return fallback;
}

std::optional<double> HfKeys::number(HfNames names) {
    if (const auto node = find(names)) {
        return node->number();
    }
    return std::nullopt;
}

std::optional<std::string> HfKeys::text(HfNames names) {
    if (const auto node = find(names)) {
        return node->string();
    }
    return std::nullopt;
}

std::optional<std::vector<std::string>> HfKeys::per_layer_names(std::string_view name, std::int64_t layers) {
    const auto node = find({name});
    if (!node) {
        return std::nullopt;
    }
    std::vector<std::string> names = node->strings();
    if (static_cast<std::int64_t>(names.size()) != layers) {
        node->fail("has " + std::to_string(names.size()) + " entries; must have one for each of the " +
                   std::to_string(layers) + " layers");
    }
    return names;
}

std::optional<HfKeys> HfKeys::object(std::string_view name) {
    const auto node = find({name});
    if (!node) {
        return std::nullopt;
    }
    if (!node->is_object()) {
        node->fail("must be an object");
    }
    return HfKeys(*node, type_, *assumptions_);
}

void HfKeys::ignore(HfNames names) {
    asked_.insert(asked_.end(), names);
}

void HfKeys::assume(std::string text) {
    if (std::find(assumptions_->begin(), assumptions_->end(), text) == assumptions_->end()) {
        assumptions_->push_back(std::move(text));
    }
}

void HfKeys::fail(std::string_view key, const std::string& message) const {
    const JsonValue* value = object_.value().find(key);
    const JsonNode node = value == nullptr ? object_ : JsonNode(object_.document(), *value);
    node.fail(message);
}

void HfKeys::finish() {
    for (const JsonMember& member : *object_.value().object()) {
        const std::string name = lower(member.key);
        if (std::find(asked_.begin(), asked_.end(), member.key) != asked_.end() || is_harmless(name)) {
            continue;
        }
        if (std::visit(SwitchedOff{}, member.value.data) || is_all_full_attention(member)) {
            continue;
        }
        // What an unknown object holds is not read, so it may be anything.
        if (name.starts_with("n_") || contains_any(name, shape_parts) || member.value.object() != nullptr) {
            fail(member.key, "the key '" + member.key + "' may change a shape and is unknown for " + type_ +
                                 did_you_mean(member.key, asked_));
        }
        assume("'" + member.key + "' is unknown for " + type_ + " and was ignored");
    }
}

}  // namespace traincost
