// nanoGPT's settings (a Python file of assignments, or flags of its train.py) and nanochat's flags.

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"
#include "traincost/import/settings/key_meaning.hpp"

namespace traincost {

int recognise_nanogpt(const Setting& root) {
    if (root.has_any(
            {"per_device_train_batch_size", "model_name_or_path", "device_batch_size", "micro_bsz"})) {
        return 0;
    }
    const bool own = std::any_of(root.members.begin(), root.members.end(), [](const SettingMember& m) {
        return means_accumulation(m.key) && m.key != "gradient_accumulation_steps";
    });
    if (own && !root.has_any({"gradient_accumulation_steps", "input_bin"})) {
        return 0;  // the words of another program
    }
    const Setting* words = root.peek("$positional");
    const bool configured = words != nullptr && !words->items.empty() &&
                            words->items.front().text.starts_with("config/") &&
                            words->items.front().text.ends_with(".py");
    return (configured ? 25 : 0) +
           (root.has("input_bin") ? points(root, {"input_bin", "total_batch_size", "sequence_length"}, 15)
                                  : 0) +
           points(root, {"block_size", "n_embd", "n_layer"}, 15) +
           points(root,
                  {"n_head", "max_iters", "lr_decay_iters", "warmup_iters", "eval_iters", "eval_interval",
                   "init_from", "always_save_checkpoint", "gradient_accumulation_steps", "batch_size",
                   "wandb_log", "wandb_run_name", "min_lr", "out_dir"},
                  6);
}

namespace {

// llm.c's program in Python and what grew from it: the step's batch is in tokens.
void read_llm_c(const Setting& root, FactSheet& sheet) {
    sheet.word(Fact::model, root, {"model"});
    sheet.whole(Fact::sequence, root, {"sequence_length"});
    sheet.whole(Fact::accumulation, root, {"grad_accum_steps"});
    if (const Setting* tokens = first_of(root, {"total_batch_size"})) {
        state_batch_of_tokens(Fact::global_batch, *tokens, sheet);
    }
}

}  // namespace

void read_nanogpt(const Setting& root, FactSheet& sheet) {
    if (root.has("input_bin")) {
        read_llm_c(root, sheet);
    }
    const Setting* start = first_of(root, {"init_from"});
    if (start != nullptr && start->text.starts_with("gpt2")) {
        sheet.word(Fact::model, root, {"init_from"});
    }
    ModelDimensions dimensions;
    add_dimension(dimensions, "layers", root, {"n_layer"});
    add_dimension(dimensions, "hidden", root, {"n_embd", "n_embed"});
    add_dimension(dimensions, "heads", root, {"n_head"});
    state_dimensions(sheet, dimensions, root, {"n_layer", "n_embd", "n_head"});
    sheet.whole(Fact::sequence, root, {"block_size"});
    sheet.whole(Fact::micro_batch, root, {"batch_size"});
    // The micro-steps of all processes together: each takes its share of them.
    const Setting* steps = first_of(root, {"gradient_accumulation_steps"});
    const Setting* rows = root.peek("batch_size");
    if (steps != nullptr && rows != nullptr && as_whole(*steps).value_or(0) > 0 &&
        as_whole(*rows).value_or(0) > 0) {
        sheet.state(Fact::global_batch, times(*as_whole(*steps), *as_whole(*rows)), *steps);
        sheet.shared_steps = *as_whole(*steps);
        sheet.shared_steps_at = steps->where();
    } else if (steps != nullptr) {
        sheet.unknown(Fact::global_batch, *steps, "of all processes together, with unstated batches");
    }
    read_precision_word(root, sheet, {"dtype"});
    sheet.truth(Fact::compile, root, {"compile"});
    if (const Setting* at = first_of(root, {"dropout"}); at != nullptr && as_number(*at)) {
        sheet.state(Fact::dropout, *as_number(*at), *at);
    }
    const bool trains = steps != nullptr || rows != nullptr ||
                        root.has_any({"max_iters", "learning_rate", "init_from", "input_bin"});
    if (!trains) {
        return;  // a model alone, of any trainer
    }
    sheet.assume(Fact::compile, true, "compile");
    sheet.assume(Fact::optimizer, "adamw", "nanoGPT's optimizer");
    sheet.assume(Fact::recompute, "none", "nanoGPT, which saves all activations");
    sheet.assume(Fact::zero, std::int64_t{0}, "nanoGPT's DDP");
    sheet.assumes = true;  // no file that is not seen here says otherwise
    assume_data_parallel_only(sheet, "nanoGPT");
}

int recognise_nanochat(const Setting& root) {
    return named(root, {"base_train", "mid_train", "chat_sft"}, 40) +
           (root.has("device_batch_size") ? 15 : 0) + (root.has("depth") ? 15 : 0) +
           points(root, {"total_batch_size", "max_seq_len", "window_pattern", "target_param_data_ratio"}, 8);
}

void read_nanochat(const Setting& root, FactSheet& sheet) {
    constexpr std::int64_t width_of_layer = 64;  // the model is as wide as it is deep
    if (const Setting* depth = first_of(root, {"depth"});
        depth != nullptr && as_whole(*depth).value_or(0) > 0) {
        const Setting* aspect = first_of(root, {"aspect_ratio"});
        ModelDimensions dimensions = {{"layers", *as_whole(*depth)}};
        const auto ratio = aspect == nullptr ? std::optional(width_of_layer) : as_whole(*aspect);
        if (ratio) {
            dimensions.emplace_back("hidden", times(*as_whole(*depth), *ratio));
        }
        sheet.state(Fact::model, dimensions, *depth);
    }
    sheet.whole(Fact::sequence, root, {"max_seq_len"});
    sheet.assume(Fact::sequence, std::int64_t{2048}, "max_seq_len");
    sheet.whole(Fact::micro_batch, root, {"device_batch_size"});
    sheet.whole(Fact::global_batch, root, {"target_examples_per_step"});
    const Setting* tokens = first_of(root, {"total_batch_size"});
    if (tokens != nullptr && as_whole(*tokens).value_or(0) > 0) {  // -1 leaves it to the program
        state_batch_of_tokens(Fact::global_batch, *tokens, sheet);
    }
    if (is_on(root, "fp8")) {
        sheet.state(Fact::precision, "fp8", *root.at("fp8"));
    }
    sheet.assume(Fact::precision, "bf16", "nanochat's dtype");
    sheet.assume(Fact::compile, true, "nanochat, which compiles its model");
    sheet.assume(Fact::recompute, "none", "nanochat, which saves all activations");
    assume_data_parallel_only(sheet, "nanochat");
}

}  // namespace traincost
