#include "traincost/import/formats/transformers/trainer_names.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"
#include "traincost/import/settings/key_meaning.hpp"

namespace traincost {

const Setting* meant(const Setting& root, bool (*means)(std::string_view)) {
    const Setting* found = nullptr;
    for (const SettingMember& m : root.members) {
        if (!means(m.key) || !m.value.is_scalar() || says_nothing(m.value)) {
            continue;
        }
        if (found != nullptr && found->text != m.value.text) {
            return nullptr;
        }
        found = &m.value;
    }
    return found;
}

bool measures_colossal(const Setting& root) {
    const Setting* program = root.peek("$program");
    return program != nullptr && base_of(program->text) == "benchmark.py" && root.has("b") &&
           root.has_any({"c", "p"});
}

namespace {

const Paths sharding_names = {"sharding", "sharding_strategy", "fsdp_sharding_strategy", "fsdp_strategy"};

/// FSDP's own word, and no number.
bool names_sharding(const Setting* at) {
    return at != nullptr && at->is_scalar() && !as_whole(*at) && stage_of_strategy(at->text);
}

/// Whether a command starts a trainer, as far as its program's name tells: not what measures, serves or
/// prepares, which take many of the same arguments.
bool starts_training(const Setting& root) {
    const Setting* program = root.peek("$program");
    if (program == nullptr) {
        return false;
    }
    const std::string name = lower(base_of(program->text));
    static constexpr std::string_view others[] = {"eval",     "infer",  "generat", "convert",  "merge",
                                                  "serve",    "token",  "prepare", "process",  "vllm",
                                                  "download", "export", "predict", "benchmark"};
    const bool benchmarks = root.has("plugin") || measures_colossal(root);
    const bool other =
        !benchmarks && std::any_of(std::begin(others), std::end(others), [&](std::string_view part) {
            return name.find(part) != std::string::npos;
        });
    // nanoGPT's settings stand in a program of Python, and its accumulation is that of all GPUs.
    const Setting* words = root.peek("$positional");
    const bool by_program =
        words != nullptr && !words->items.empty() && words->items.front().text.ends_with(".py");
    return !other && !by_program;
}

/// "train.py" that is told of a model or a length.
bool trains_by_name(const Setting& root) {
    const Setting* program = root.peek("$program");
    const std::string name = program == nullptr ? std::string() : lower(base_of(program->text));
    static constexpr std::string_view words[] = {"train", "finetun", "sft"};
    const bool trains = std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
        return name.find(word) != std::string::npos;
    });
    return trains && (root.has_any(model_names) || meant(root, means_model) != nullptr ||
                      root.has_any(sequence_names) || meant(root, means_length) != nullptr);
}

}  // namespace

int trainer_of_ones_own(const Setting& root) {
    if (!starts_training(root) || root.has("per_device_train_batch_size")) {
        return 0;
    }
    constexpr int just_enough = 30;  // a format that knows the program or its keys goes first
    if (measures_colossal(root)) {
        return just_enough;
    }
    const auto any = [&](Paths paths, int score) { return root.has_any(paths) ? score : 0; };
    const auto known = [&](Paths paths, bool (*means)(std::string_view), int score) {
        return root.has_any(paths) || meant(root, means) != nullptr ? score : 0;
    };
    const bool shards = std::any_of(sharding_names.begin(), sharding_names.end(),
                                    [&](std::string_view name) { return names_sharding(root.peek(name)); });
    const int sum =
        (trains_by_name(root) ? 20 : 0) + (shards ? 20 : 0) +
        known(micro_batch_names, means_device_batch, 25) + known(accumulation_names, means_accumulation, 20) +
        known(model_names, means_model, 10) + (any(model_names, 1) == 0 ? any({"model"}, 10) : 0) +
        known(sequence_names, means_length, 10) + any({"batch_size", "train_batch_size"}, 10) +
        any({"total_batch_size", "train_total_batch_size", "global_batch_size"}, 15) +
        any({"micro_batch_size"}, 15) + any({"enable_fsdp"}, 20) + any(tensor_names, 10) +
        any(pipeline_names, 10) + any(sequence_parallel_names, 10) +
        known(checkpointing_names, means_recomputing, 10) +
        points(root,
               {"deepspeed", "deepspeed_config", "ds_config", "ds_config_path", "zero_stage", "ds_stage",
                "plugin", "learning_rate", "lora_rank", "lora_r", "use_lora", "fsdp", "fsdp_config"},
               10) +
        points(root, {"epochs",      "mixed_precision",
                      "num_epochs",  "num_train_epochs",
                      "torch_dtype", "lr",
                      "max_steps",   "dtype",
                      "precision",   "bf16",
                      "fp16",        "optimizer",
                      "optim",       "weight_decay",
                      "steps",       "num_training_steps",
                      "num_steps",   "train_iters",
                      "max_iters",   "strategy",
                      "total_iters", "total_steps"},
               5);
    return std::min(sum, just_enough) + points(root, {"base_model", "cutoff_len"}, 10);
}

bool names_deepspeed(const Setting& root) {
    for (const std::string_view key : {"deepspeed", "deepspeed_config", "deepspeed_config_file"}) {
        const Setting* at = root.peek(key);
        if (at != nullptr &&
            (at->is_map() || (at->is_scalar() && !at->text.empty() && as_truth(*at) != std::optional(false) &&
                              !says_nothing(*at)))) {
            return true;
        }
    }
    for (const std::string_view key : {"distributed_type", "strategy"}) {
        const Setting* at = root.peek(key);
        if (at != nullptr && at->is_scalar() && lower(at->text).find("deepspeed") != std::string::npos) {
            return true;
        }
    }
    return false;
}

namespace {

/// Whether the weights are loaded in 16 bits and no mixed precision is asked for: what trains are these.
bool trains_as_loaded(const Setting& root) {
    const Setting* loaded = root.peek("torch_dtype");
    const auto word = loaded == nullptr ? std::nullopt : precision_word(loaded->text);
    const auto is_off = [&](std::string_view key) {
        const Setting* at = root.peek(key);
        return at != nullptr && as_truth(*at) == false;
    };
    return is_16_bit(word) && is_off("bf16") && is_off("fp16");
}

}  // namespace

bool says_parallelism(const Setting& root) {
    const Setting* adapted = root.peek("$adapted");
    if (std::any_of(root.members.begin(), root.members.end(), [](const SettingMember& m) {
            return m.key.starts_with("mesh") && m.value.is_scalar() && !says_nothing(m.value);
        })) {
        return true;
    }
    return adapted != nullptr && adapted->text == "words" &&
           std::any_of(root.members.begin(), root.members.end(), [](const SettingMember& m) {
               return m.key.find("parallel") != std::string::npos ||
                      m.key.find("mesh") != std::string::npos || m.key == "tp" || m.key == "pp" ||
                      m.key == "cp";
           });
}

void read_trainer_precision(const Setting& root, FactSheet& sheet) {
    if (trains_as_loaded(root)) {
        root.at("bf16");
        root.at("fp16");
        read_precision_word(root, sheet, {"torch_dtype"});
    } else {
        read_16_bit_switches(root, sheet, {"bf16", "use_bf16", "pure_bf16", "fsdp_config.pure_bf16"},
                             {"fp16", "use_fp16"});
    }
    const Setting* brain = root.peek("bf16");
    if (brain != nullptr && !says_nothing(*brain) && !as_truth(*brain) && !sheet.has(Fact::precision)) {
        sheet.unknown(Fact::precision, *root.at("bf16"), "is neither true nor false");
    } else if (!sheet.has(Fact::precision)) {
        const Setting* mixed = root.peek("mixed_precision");
        if (mixed != nullptr && as_truth(*mixed)) {  // a switch, which names no format
            read_precision_word(root, sheet, {"param_dtype", "torch_dtype", "dtype", "amp_dtype"});
            return;
        }
        read_precision_word(root, sheet,
                            {"param_dtype", "ds.param_dtype", "mixed_precision", "torch_dtype", "dtype",
                             "precision", "amp_dtype"});
    }
    note_loaded_format(root, sheet,
                       {"torch_dtype", "dtype", "model_init_kwargs.torch_dtype", "model_init_kwargs.dtype"});
    if (is_on(root, "tf32") && !sheet.has(Fact::precision)) {
        sheet.state(Fact::precision, "tf32", *root.at("tf32"));
    }
}

void read_trl_program(const Setting& root, FactSheet& sheet) {
    const Setting* program = root.peek("$program");
    if (program == nullptr || !program->text.starts_with("trl ")) {
        return;
    }
    sheet.whole(Fact::gpus, root, {"num_processes"});
    const Setting* named = first_of(root, {"accelerate_config"});
    if (named == nullptr || !named->is_scalar()) {
        return;
    }
    const std::string& word = named->text;
    if (word.size() == 5 && word.starts_with("zero") && word[4] >= '1' && word[4] <= '3') {
        sheet.state(Fact::zero, std::int64_t{word[4] - '0'}, *named);
    } else if (word == "fsdp1" || word == "fsdp2") {
        sheet.state(Fact::zero, std::int64_t{3}, *named);
    } else if (word == "multi_gpu" || word == "single_gpu") {
        sheet.state(Fact::zero, std::int64_t{0}, *named);
    } else {
        refer_to_file(*named, sheet);
    }
}

void read_machines(const Setting& root, FactSheet& sheet) {
    // In a file, only the two together count machines, and the devices of Lightning's trainer.
    const bool lightning = root.has("devices") && root.has("accelerator") && root.has("strategy");
    const bool counts =
        root.has("$program") || lightning || (root.has("gpus_per_node") && root.has("num_nodes"));
    const auto take = [&](Fact fact, Paths names) {
        const Setting* at = counts ? first_of(root, names) : nullptr;
        if (at != nullptr && as_whole(*at).value_or(0) > 0)
            sheet.state(fact, *as_whole(*at), *at);
    };
    take(Fact::gpus_per_node, {"gpus_per_node", "num_gpus_per_node", "devices", "num_gpus"});
    take(Fact::nodes, {"num_nodes"});
    if (const Setting* visible = root.has("$program") ? root.peek("visible_devices") : nullptr;
        visible != nullptr && visible->text.find(',') != std::string::npos) {
        mark_read(*visible);
        const auto commas = std::count(visible->text.begin(), visible->text.end(), ',');
        sheet.state(Fact::gpus_per_node, std::int64_t{commas + 1}, *visible);
    }
    const Setting* devices = root.has("$program") || lightning ? root.peek("devices") : nullptr;
    if (devices != nullptr && devices->is_list() && !devices->items.empty()) {  // "--devices 0 1 2 3"
        mark_read(*devices);
        sheet.state(Fact::gpus_per_node, std::int64_t(devices->items.size()), *devices);
    }
    if (devices != nullptr && (devices->is_list() || as_whole(*devices).value_or(0) > 0)) {
        sheet.assume(Fact::nodes, std::int64_t{1}, "num_nodes");
    }
}

void read_own_recompute(const Setting& root, FactSheet& sheet) {
    const Setting* at =
        root.has("$program") && !sheet.has(Fact::recompute) ? meant(root, means_recomputing) : nullptr;
    if (at != nullptr && as_truth(*at)) {
        sheet.state(Fact::recompute, *as_truth(*at) ? "full" : "none", *at);
    }
}

void read_own_compilation(const Setting& root, FactSheet& sheet) {
    sheet.truth(Fact::compile, root, {"torch_compile"});
    for (const std::string_view key : {"compile", "compile_model", "use_compile", "use_torch_compile"}) {
        const Setting* at = root.has("$program") && !sheet.has(Fact::compile) ? root.peek(key) : nullptr;
        if (at != nullptr && as_truth(*at)) {
            sheet.state(Fact::compile, *as_truth(*at), *at);
        }
    }
}

void read_own_sharding(const Setting& root, FactSheet& sheet) {
    for (const std::string_view key : sharding_names) {
        const Setting* at = sheet.has(Fact::zero) ? nullptr : root.peek(key);
        if (names_sharding(at)) {
            sheet.state(Fact::zero, *stage_of_strategy(at->text), *at);
        }
    }
}

void read_trainer_degrees(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::tp, root, tensor_names);
    sheet.whole(Fact::pp, root, pipeline_names);
    sheet.whole(Fact::cp, root, sequence_parallel_names);
    sheet.whole(Fact::ep, root, {"expert_parallel_size", "ep_size"});
    for (const auto& [fact, means] :
         {std::pair{Fact::tp, &means_tensor_parts}, std::pair{Fact::pp, &means_stages},
          std::pair{Fact::cp, &means_sequence_parts}}) {
        const Setting* at = root.has("$program") && !sheet.has(fact) ? meant(root, means) : nullptr;
        if (at == nullptr || as_truth(*at)) {
            continue;
        }
        if (as_whole(*at).value_or(0) > 0) {
            sheet.state(fact, *as_whole(*at), *at);
        } else if (!as_word(*at)) {
            sheet.unknown(fact, *at, "its number is not given");
        }
    }
    if (!says_parallelism(root)) {
        assume_data_parallel_only(sheet, "the trainer");
    }
}

void read_trainer_attention(const Setting& root, FactSheet& sheet) {
    sheet.word(Fact::attention, root, {"attn_implementation", "ds.attn_implementation"});
    if (const Setting* at =
            root.has("$program") && !sheet.has(Fact::attention) ? meant(root, means_attention) : nullptr;
        at != nullptr && as_word(*at) && !as_truth(*at) && !as_number(*at)) {
        sheet.state(Fact::attention, at->text, *at);
    }
    for (const std::string_view key :
         {"use_flash_attn", "flash_attn", "use_flash_attention", "use_flash_attention_2", "use_flash_attn2",
          "enable_flash_attention", "flash_attention"}) {
        if (!sheet.has(Fact::attention) && is_on(root, key)) {
            sheet.state(Fact::attention, "flash", *root.at(key));
        }
    }
}

}  // namespace traincost
