#include "traincost/import/settings/python/python_loop.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "traincost/base/contains_any.hpp"
#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/key_meaning.hpp"
#include "traincost/import/settings/python/python_batch_names.hpp"
#include "traincost/import/settings/python/python_made.hpp"
#include "traincost/import/settings/python/python_model.hpp"
#include "traincost/import/settings/python/python_told.hpp"
#include "traincost/import/settings/python/python_torch.hpp"

namespace traincost {

namespace {

bool has_part(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

constexpr std::array<std::string_view, 14> rank_batch_names = {"per_device_train_batch_size",
                                                               "per_device_batch_size",
                                                               "device_batch_size",
                                                               "micro_batch_size",
                                                               "batch_size_per_gpu",
                                                               "batch_size_per_device",
                                                               "per_gpu_batch_size",
                                                               "train_micro_batch_size_per_gpu",
                                                               "microbatch_size",
                                                               "local_batch_size",
                                                               "mbs",
                                                               "micro_bsz",
                                                               "per_gpu_train_batch_size",
                                                               "batch_size_per_rank"};
/// The rows that a rank takes at once: those of the loader it trains from. A loader that an object makes is
/// seen where nobody knows what the object is given, too.
const Setting* loaded_rows(const std::vector<PythonScope>& scopes) {
    struct Loader {
        const Setting* rows = nullptr;
        bool trains = false;
    };
    std::map<int, Loader> loaders;  // by their lines
    visit_training_calls(scopes, [&](const std::string& name, const Setting& call) {
        std::string made = lower(class_name(call)) + " " + lower(name);
        std::erase(made, '_');
        const Setting* rows = call.peek("batch_size");
        const bool loads =
            has_part(made, "dataloader") || has_part(made, "datamodule") || has_part(made, "loader");
        if (!loads || rows == nullptr || is_beside_training(name) || is_beside_training(class_name(call))) {
            return;
        }
        const Setting* shuffled = call.peek("shuffle");
        Loader& loader = loaders[call.line];
        loader.trains = loader.trains || has_part(lower(name), "train") || call.has("sampler") ||
                        (shuffled != nullptr && shuffled->text == "true");
        loader.rows = loader.rows == nullptr || is_open(*loader.rows) ? rows : loader.rows;
    });
    Agreed sure, others;
    for (const auto& [line, loader] : loaders) {
        (loader.trains ? sure : others).add(loader.rows);
    }
    return sure.at != nullptr ? sure.get() : others.get();
}

/// "torch.randint(0, words, (rows, length))": a benchmark's own rows of tokens, or where each of them begins.
void put_random_rows(Setting& root, const std::vector<PythonScope>& scopes) {
    Agreed rows, length;
    visit_training_calls(scopes, [&](const std::string&, const Setting& call) {
        const Setting* given = call.peek("$arguments");
        const Setting* size = class_name(call) == "randint" ? call.peek("size") : nullptr;
        if (class_name(call) == "randint" && size == nullptr && given != nullptr &&
            given->items.size() >= 2) {
            size = &given->items.back();
        }
        // randint(0, 1000, (length,)) is one row's tokens, randint(0, last, (rows,)) where each of them
        // begins
        const bool counts = given == nullptr || given->items.size() < 3 || !as_number(given->items[1]);
        if (size != nullptr && size->is_list() &&
            ((counts && size->items.size() == 1) || size->items.size() == 2)) {
            rows.add(&size->items.front());
            length.add(size->items.size() == 2 ? &size->items.back() : nullptr);
        }
    });
    if (rows.get() != nullptr && is_count(*rows.get())) {
        put(root, "batch_size_per_device", rows.get());
        put(root, "max_seq_length",
            length.get() != nullptr && is_count(*length.get()) ? length.get() : nullptr);
    }
}

/// "B, T": rows and tokens of a micro-step, where a scope names both so.
bool is_short(const PythonScope& scope) {
    const auto rows = scope.names.find("B");
    const auto length = scope.names.find("T");
    return rows != scope.names.end() && length != scope.names.end() && is_count(rows->second) &&
           is_count(length->second);
}

bool holds_short(const Setting& object) {
    const Setting* rows = object.peek("B");
    const Setting* length = object.peek("T");
    return rows != nullptr && length != nullptr && is_count(*rows) && is_count(*length);
}

bool names_short(const std::vector<PythonScope>& scopes) {
    return std::any_of(scopes.begin(), scopes.end(), is_short);
}

void put_short_names(Setting& root, const std::vector<PythonScope>& scopes) {
    for (const PythonScope& scope : scopes) {
        if (is_short(scope)) {
            put(root, "batch_size_per_device", &scope.names.at("B"));
            put(root, "max_seq_length", &scope.names.at("T"));
        }
    }
    Agreed rows, length;  // of the program's own settings
    visit_training_calls(scopes, [&](const std::string&, const Setting& call) {
        if (holds_short(call)) {
            rows.add(call.peek("B"));
            length.add(call.peek("T"));
        }
    });
    put(root, "batch_size_per_device", rows.get());
    put(root, "max_seq_length", length.get());
}

/// Whether DeepSpeed's engine trains, which takes its rows and its steps from its own settings.
bool has_engine(const std::vector<PythonScope>& scopes) {
    bool found = false;
    visit_training_calls(scopes, [&](const std::string&, const Setting& call) {
        found = found || class_path(call) == "deepspeed.initialize";
    });
    return found;
}

/// What Megatron-Core's schedules are told of a step.
void put_schedule(Setting& root, const std::vector<PythonScope>& scopes) {
    visit_training_calls(scopes, [&](const std::string&, const Setting& call) {
        const Setting* pieces = call.peek("num_microbatches");
        if (pieces != nullptr && call.has("micro_batch_size") && is_count(*pieces)) {
            put(root, "gradient_accumulation_steps", pieces);
            put(root, "batch_size_per_device", call.peek("micro_batch_size"));
            put(root, "max_seq_length", call.peek("seq_length"));
        }
    });
}

void put_batch(Setting& root, const std::vector<PythonScope>& scopes) {
    put_schedule(root, scopes);
    put(root, "batch_size_per_device", told(scopes, rank_batch_names, is_count));
    put_short_names(root, scopes);
    put(root, "batch_size_per_device", loaded_rows(scopes));
    put_random_rows(root, scopes);
    put(root, "batch_size_per_device", told_by(scopes, means_device_batch, is_count));
    const bool engine = has_engine(scopes);
    static constexpr std::array<std::string_view, 1> of_engine = {"gradient_accumulation_steps"};
    put(root, "gradient_accumulation_steps",
        engine ? told(scopes, of_engine, is_count) : told(scopes, step_names, is_count));
    put(root, "gradient_accumulation_steps",
        engine ? nullptr : told_by(scopes, means_accumulation, is_count));
    // A batch to train with, beside the steps that accumulate, is what one of them takes.
    static constexpr std::array<std::string_view, 1> of_training = {"train_batch_size"};
    if (!engine && root.has("gradient_accumulation_steps") && !root.has("batch_size_per_device")) {
        put(root, "batch_size_per_device", told(scopes, of_training, is_count));
    }
    const Setting* total = told(scopes, total_names, is_count);
    total = total == nullptr ? told_by(scopes, means_whole_batch, is_count) : total;
    // Beside "B" and "T" it counts tokens, which a number below this one does not show.
    constexpr double fewest_tokens = 32'768.0;
    const Setting* rows = root.peek("batch_size_per_device");
    const bool is_rows = total != nullptr && rows != nullptr && rows->line == total->line &&
                         rows->file == total->file && rows->name == total->name &&
                         rows->text == total->text;  // its loader's
    if (total != nullptr && !is_rows &&
        (!names_short(scopes) || as_number(*total).value_or(0.0) >= fewest_tokens)) {
        put(root, "total_batch_size", total);
    }
    static constexpr std::array<std::string_view, 3> plain = {"batch_size", "bs", "batch"};
    if (!root.has("batch_size_per_device") && !engine) {
        put(root, "batch_size", told(scopes, plain, is_count));
    }
}

/// What the program's own settings say of recomputation and of the format, by the names of both.
void put_switches(Setting& root, const std::vector<PythonScope>& scopes) {
    static constexpr std::array<std::string_view, 2> recomputing = {"use_checkpointing", "use_checkpoint"};
    const auto is_switch = [](const Setting& value) {
        return value.is_scalar() && !value.quoted && !as_number(value) && as_truth(value).has_value();
    };
    static constexpr std::array<std::string_view, 4> formats = {"amp_dtype", "compute_dtype", "dtype",
                                                                "mixed_precision"};
    put(root, "gradient_checkpointing", told_by(scopes, means_recomputing, is_switch));
    put(root, "gradient_checkpointing", told(scopes, recomputing, is_switch));
    if (!root.has_any({"param_dtype", "torch_dtype", "mixed_precision"})) {
        put(root, "param_dtype", told(scopes, formats, [](const Setting& value) {
                const std::string word = lower(value.text);
                return is_text(value) && (word == "bf16" || word == "bfloat16" || word == "fp16" ||
                                          word == "float16" || word == "float32" || word == "fp32");
            }));
    }
}

}  // namespace

bool has_training_loop(std::string_view text) {
    constexpr std::array steps{
        std::string_view(".backward("),      std::string_view("value_and_grad("),
        std::string_view("GradientTape("),   std::string_view("train_step("),
        std::string_view("train_loop("),     std::string_view("train_one_epoch("),
        std::string_view("train_epoch("),    std::string_view("train_model("),
        std::string_view("optimizer.step("), std::string_view(".train_batch("),
        std::string_view("booster.boost("),  std::string_view("rainer.train("),
        std::string_view("rainer.fit("),     std::string_view("deepspeed.initialize("),
        std::string_view("model.fit("),      std::string_view("forward_backward_func("),
        std::string_view("keras_nlp."),      std::string_view("keras_hub."),
        std::string_view("FSDP("),           std::string_view("fully_shard("),
    };
    constexpr std::array<std::string_view, 12> languages = {
        "vocab_size", "okenizer", "CausalLM", "block_size",  "seq_len",      "LMHeadModel",
        "tokens",     "GPT",      "Llama",    "Transformer", "transformers", "deepspeed.initialize("};
    return contains_any(text, steps) && contains_any(text, languages);
}

std::optional<Setting> loop_settings(const std::vector<PythonScope>& scopes, int least) {
    Setting root;
    root.kind = Setting::Kind::map;
    for (const PythonScope& scope : scopes) {
        for (const auto& entry : scope.names) {
            visit_calls(entry.second, [&](const Setting& call) { put_model(root, call); });
        }
    }
    put_batch(root, scopes);
    static constexpr std::array<std::string_view, 2> ranks = {"lora_r", "lora_rank"};
    put(root, "lora_r", told(scopes, ranks, is_count));
    visit_training_calls(scopes, [&](const std::string&, const Setting& call) {
        const Setting* rank = call.peek("lora_r");
        put(root, "lora_r", rank != nullptr && is_count(*rank) ? rank : nullptr);
    });
    put_length(root, scopes);
    put_torch(root, scopes);
    put_switches(root, scopes);
    static constexpr std::array<std::string_view, 5> models = {"model_name_or_path", "model_name", "model_id",
                                                               "base_model", "model_path"};
    if (!root.has("$config")) {
        put(root, "model_name_or_path", told(scopes, models, is_text));
        put(root, "model_name_or_path", told_by(scopes, means_model, is_text));
    }
    const int known = (root.has_any({"model_name_or_path", "$config"}) ? 1 : 0) +
                      (root.has_any({"batch_size_per_device", "batch_size"}) ? 1 : 0) +
                      (root.has("max_seq_length") ? 1 : 0) +
                      (root.has("gradient_accumulation_steps") ? 1 : 0) + (root.has("optimizer") ? 1 : 0) +
                      (root.has_any({"fsdp_config", "$engine", "zero_stage"}) ? 1 : 0) +
                      (root.has_any({"param_dtype", "torch_dtype", "mixed_precision"}) ? 1 : 0) +
                      (root.has("$accelerated") ? 1 : 0) + (root.has("attn_implementation") ? 1 : 0) +
                      (root.has("lora_r") ? 1 : 0) + (root.has("total_batch_size") ? 1 : 0);
    if (known < least) {
        return std::nullopt;
    }
    put_options(root, scopes);
    place_at(root, "$adapted") = scalar_setting("loop", root.members.front().value);
    hide_names(root);
    return root;
}

void put_options(Setting& root, const std::vector<PythonScope>& scopes) {
    const auto is_handed_on = [&](const Setting& option) {
        return std::any_of(root.members.begin(), root.members.end(), [&](const SettingMember& m) {
            return m.value.line == option.line && m.value.name == option.name;
        });
    };
    for (const PythonScope& scope : scopes) {
        const auto options = scope.names.find(std::string(options_of_parser));
        for (std::size_t i = 0; options != scope.names.end() && i < options->second.members.size(); ++i) {
            const SettingMember& option = options->second.members[i];
            const bool is_off = option.value.is_default && option.value.text == "false";
            if (!is_off && !option.value.is_null() && !is_handed_on(option.value)) {
                put(root, option.key, &option.value);
            }
        }
    }
}

std::optional<Setting> options_alone(const std::vector<PythonScope>& scopes, const std::string& file) {
    Setting root;
    root.kind = Setting::Kind::map;
    put_options(root, scopes);
    if (root.members.empty()) {
        return std::nullopt;
    }
    root.file = &file;
    place_at(root, "$program") = scalar_setting(base_of(file), root);
    return root;
}

void put_doings(Setting& root, const std::vector<PythonScope>& scopes, std::string_view text) {
    Agreed switched, settings;
    for (const PythonScope& scope : scopes) {
        for (const auto& entry : scope.names) {
            visit_calls(entry.second, [&](const Setting& call) {
                if (class_name(call) == "gradient_checkpointing_enable" ||
                    class_name(call) == "apply_activation_checkpointing") {
                    switched.add(call.peek("$class"));
                } else if (class_name(call) == "prepare_model_for_kbit_training" ||
                           class_name(call) == "prepare_model_for_int8_training") {  // unless told not to
                    const Setting* off = call.peek("use_gradient_checkpointing");
                    switched.add(off == nullptr || off->text == "true" ? call.peek("$class") : nullptr);
                }
            });
            const Setting& value = entry.second;
            if (value.is_map() && !value.has("$class") && value.has("zero_optimization")) {
                settings.add(&value);
            }
        }
    }
    if (switched.at != nullptr) {
        // What is done to the model holds, whatever a trainer's own switch says of itself.
        place_at(root, "gradient_checkpointing") = scalar_setting("true", *switched.at);
    }
    const Setting* named = root.peek("deepspeed");
    const bool writes = has_part(text, "json.dump") && settings.get() != nullptr;
    const bool names = named != nullptr ? named->is_scalar() || named->has("$class")
                                        : !root.has("$trains") && has_part(text, ".deepspeed =");
    if (writes && names) {
        place_at(root, "deepspeed") = *settings.get();
    }
}

}  // namespace traincost
