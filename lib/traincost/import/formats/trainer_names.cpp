#include "traincost/import/formats/trainer_names.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

namespace {}  // namespace

bool measures_colossal(const Setting& root) {
    const Setting* program = root.peek("$program");
    return program != nullptr && base_of(program->text) == "benchmark.py" && root.has("c") && root.has("b");
}

namespace {

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
    const int sum =
        any(micro_batch_names, 25) + any(accumulation_names, 20) + any(model_names, 10) +
        (any(model_names, 1) == 0 ? any({"model"}, 10) : 0) + any(sequence_names, 10) +
        any({"batch_size", "train_batch_size"}, 10) +
        any({"total_batch_size", "train_total_batch_size", "global_batch_size"}, 15) +
        any({"micro_batch_size"}, 15) + any({"enable_fsdp"}, 20) + any(tensor_names, 10) +
        any(pipeline_names, 10) + any(sequence_parallel_names, 10) + any(checkpointing_names, 10) +
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
                      "max_iters",   "strategy"},
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

}  // namespace traincost
