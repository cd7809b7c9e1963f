// LitGPT's YAML and its command line. What its code decides (sharding, recomputation, compilation) is a
// default.

#include <algorithm>
#include <array>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/adapter_words.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

namespace {

/// The scripts of its repository before there was a command: finetune/lora.py and its like.
bool is_of_a_checkout(std::string_view program) {
    constexpr std::array scripts = {"finetune/lora.py", "finetune/full.py", "finetune/adapter.py",
                                    "finetune/adapter_v2.py"};
    return std::any_of(scripts.begin(), scripts.end(),
                       [&](std::string_view script) { return program.ends_with(script); });
}

}  // namespace

int recognise_litgpt(const Setting& root) {
    const Setting* program = root.peek("$program");
    return points(root, {"checkpoint_dir", "model_name", "initial_checkpoint_dir"}, 10) +
           points(root, {"train.global_batch_size", "train.micro_batch_size", "train.max_seq_length"}, 15) +
           points(root,
                  {"train.save_interval", "train.lr_warmup_steps", "data.class_path", "lora_r", "precision",
                   "devices", "eval.interval"},
                  8) +
           (program != nullptr && program->text.starts_with("litgpt ") ? 60 : 0) +
           (program != nullptr && is_of_a_checkout(program->text) &&
                    (root.has("checkpoint_dir") || root.has("io.checkpoint_dir"))
                ? 40
                : 0);
}

namespace {

enum class Task : std::uint8_t { unknown, pretrain, full, lora };

Task task_of(const Setting& root) {
    const Setting* program = root.at("$program");
    const std::string name = program == nullptr ? std::string() : program->text;
    if (name.find("pretrain") != std::string::npos || root.has("initial_checkpoint_dir") ||
        root.has("tokenizer_dir")) {
        return Task::pretrain;
    }
    if (name.find("finetune_full") != std::string::npos || name == "litgpt finetune full" ||
        (name.empty() && root.has("checkpoint_dir") && !root.has("lora_r"))) {
        return Task::full;
    }
    if (root.has("lora_r") || name.ends_with("finetune/lora.py") ||
        name.find("finetune_lora") != std::string::npos || name == "litgpt finetune lora" ||
        name == "litgpt finetune") {
        return Task::lora;
    }
    return Task::unknown;
}

void read_litgpt_model(const Setting& root, FactSheet& sheet) {
    if (sheet.word(Fact::model, root, {"model_name", "model.name"}) != nullptr) {
        return;
    }
    const Setting* at = first_of(root, {"checkpoint_dir", "io.checkpoint_dir"});
    const Setting* positional = root.at("$positional");
    if (at == nullptr && positional != nullptr && !positional->items.empty()) {
        at = &positional->items.front();
    }
    if (at != nullptr && as_word(*at)) {
        sheet.state(Fact::model, at->text.starts_with("checkpoints/") ? at->text.substr(12) : at->text, *at);
    }
}

/// A switch for each matrix; queries and values are on where nobody says.
void read_litgpt_adapters(const Setting& root, FactSheet& sheet) {
    static constexpr std::pair<std::string_view, std::string_view> switches[] = {
        {"lora_query", "q"},      {"lora_key", "k"},   {"lora_value", "v"},
        {"lora_projection", "o"}, {"lora_mlp", "mlp"}, {"lora_head", "head"}};
    std::string targets;
    const Setting* said = nullptr;
    for (const auto& [name, matrix] : switches) {
        const Setting* at = first_of(root, {name});
        said = said == nullptr ? at : said;
        if (at == nullptr ? matrix == "q" || matrix == "v" : as_truth(*at).value_or(false)) {
            targets += (targets.empty() ? "" : ",") + std::string(matrix);
        }
    }
    if (said != nullptr && !targets.empty()) {
        sheet.state(Fact::lora_targets, targets, *said);
    }
    read_adapter_words(root, sheet, {.targets = {}, .dropout = {"lora_dropout"}});
}

}  // namespace

void read_litgpt(const Setting& root, FactSheet& sheet) {
    const Task task = task_of(root);
    read_litgpt_model(root, sheet);
    sheet.whole(Fact::global_batch, root, {"train.global_batch_size"});
    sheet.whole(Fact::micro_batch, root, {"train.micro_batch_size"});
    sheet.whole(Fact::sequence, root, {"train.max_seq_length", "train.max_seq_len"});
    read_precision_word(root, sheet, {"precision"});
    const Setting* devices = first_of(root, {"devices"});
    if (devices != nullptr && devices->text != "auto") {
        sheet.whole(Fact::gpus_per_node, root, {"devices"});
    }
    sheet.whole(Fact::nodes, root, {"num_nodes"});
    if (devices != nullptr) {
        sheet.assume(Fact::nodes, std::int64_t{1}, "num_nodes");
    }
    if (task == Task::lora) {
        sheet.whole(Fact::lora_rank, root, {"lora_r"});
        read_litgpt_adapters(root, sheet);
    }
    if (const Setting* at = first_of(root, {"quantize"})) {
        sheet.state(Fact::quantization, at->text, *at);
    }
    if (const Setting* at =
            first_of(root, {"optimizer.class_path", "optim.optimizer", "optimizer.$group", "optimizer"});
        at != nullptr && at->is_scalar()) {
        sheet.state(Fact::optimizer, last_part(at->text), *at);
    }
    const Setting* program = root.peek("$program");
    if (program != nullptr && program->text.starts_with("litgpt ")) {  // its command since there is one
        const bool pretrains = task == Task::pretrain;
        if (pretrains || task == Task::lora || task == Task::full) {
            sheet.assume(Fact::global_batch, std::int64_t{pretrains ? 512 : 16}, "train.global_batch_size");
            sheet.assume(Fact::micro_batch, std::int64_t{pretrains ? 4 : 1}, "train.micro_batch_size");
        }
        if (task == Task::lora) {
            sheet.assume(Fact::lora_rank, std::int64_t{8}, "lora_r");
        }
    }
    assume_data_parallel_only(sheet, "LitGPT");
    const auto count = sheet.count(Fact::gpus_per_node);
    const bool several = (count && *count > 1) || sheet.count(Fact::nodes).value_or(1) > 1;
    if (several && task != Task::unknown) {
        sheet.assume(Fact::zero, std::int64_t{3}, "LitGPT's FSDP strategy");
    }
    if (several && task == Task::full) {
        sheet.assume(Fact::recompute, "full", "LitGPT's FSDP strategy");
    } else if (task == Task::pretrain) {
        sheet.assume(Fact::recompute, "none", "LitGPT's pretrain");
        sheet.assume(Fact::compile, true, "LitGPT's pretrain");
    }
}

}  // namespace traincost
