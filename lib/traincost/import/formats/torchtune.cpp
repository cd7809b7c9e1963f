// torchtune's YAML, and `tune run` with key=value overrides.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/adapter_words.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_torchtune(const Setting& root) {
    const Setting* program = root.peek("$program");
    return points(root,
                  {"model._component_", "tokenizer._component_", "optimizer._component_", "loss._component_"},
                  25) +
           points(root, {"checkpointer._component_", "enable_activation_checkpointing", "metric_logger"},
                  10) +
           (program != nullptr && program->text.starts_with("tune run") ? 60 : 0);
}

namespace {

/// The class of a part: its "_component_", or what a command puts in its place
/// ("optimizer=torch.optim.AdamW").
const Setting* component_of(const Setting& root, std::string_view part) {
    const Setting* at = root.at(part);
    if (at == nullptr) {
        return nullptr;
    }
    return at->is_scalar() ? (as_word(*at) ? at : nullptr) : first_of(*at, {"$group", "_component_"});
}

void read_component(const Setting& root, FactSheet& sheet) {
    const Setting* component = component_of(root, "model");
    if (component == nullptr) {
        return;
    }
    std::string name = last_part(component->text);
    const bool quantized = name.starts_with("qlora_");
    const bool adapted = quantized || name.starts_with("lora_");
    if (adapted) {
        name = name.substr(quantized ? 6 : 5);
        sheet.whole(Fact::lora_rank, root, {"model.lora_rank"});
        sheet.assume(Fact::lora_rank, std::int64_t{8}, "lora_rank");
    }
    if (quantized || is_on(root, "model.quantize_base")) {
        sheet.state(Fact::quantization, "4-bit", quantized ? *component : *root.at("model.quantize_base"));
    }
    sheet.state(Fact::model, name, *component);
}

/// "llama3_1/8B_lora": a configuration that torchtune brings along is of one model; also by its path,
/// "torchtune/recipes/configs/llama3_1/8B_lora.yaml", where the file itself is not given.
void read_own_recipe(const Setting& root, FactSheet& sheet) {
    const Setting* config = root.peek("config");
    if (config == nullptr || !config->is_scalar() || !as_word(*config) || sheet.has(Fact::model)) {
        return;
    }
    constexpr std::string_view kept = "recipes/configs/", end = ".yaml";
    std::string name = config->text;
    if (const std::size_t own = name.rfind(kept); own != name.npos && name.ends_with(end)) {
        name = name.substr(own + kept.size(), name.size() - end.size() - own - kept.size());
    }
    const std::vector<std::string> parts = split(name, '/');
    if (parts.size() != 2 || parts[1].find('.') != std::string::npos || parts[0].empty()) {
        return;
    }
    const std::string size = parts[1].substr(0, parts[1].find('_'));
    if (size.size() > 1 && size.back() == 'B' && size.find_first_not_of("0123456789B") == size.npos) {
        sheet.state(Fact::model, parts[0] + "_" + lower(size),
                    config->where() + ", a configuration of its own", How::derived);
    }
}

}  // namespace

namespace {

/// Matrices of attention by their names, those of the MLP and the head by switches.
void read_torchtune_adapters(const Setting& root, FactSheet& sheet) {
    const Setting* named = first_of(root, {"model.lora_attn_modules"});
    if (named == nullptr || !sheet.has(Fact::lora_rank)) {
        return;
    }
    Setting all = *named;
    const auto add = [&](std::string_view path, Paths matrices) {
        if (const Setting* at = root.at(path); at != nullptr && as_truth(*at) == true) {
            for (const std::string_view matrix : matrices) {
                all.items.push_back(scalar_setting(std::string(matrix), *at));
            }
        }
    };
    add("model.apply_lora_to_mlp", {"w1", "w2", "w3"});
    add("model.apply_lora_to_output", {"lm_head"});
    mark_read(*named);
    Setting block = root;
    place_at(block, "$targets") = std::move(all);
    read_adapter_words(block, sheet, {.targets = {"$targets"}, .dropout = {"model.lora_dropout"}});
    root.at("model.lora_dropout");
    root.at("model.lora_alpha");
}

}  // namespace

void read_torchtune(const Setting& root, FactSheet& sheet) {
    read_component(root, sheet);
    const Setting* program = root.at("$program");
    read_own_recipe(root, sheet);
    read_torchtune_adapters(root, sheet);
    read_packing(root, sheet, {"dataset.packed"});
    sheet.whole(Fact::micro_batch, root, {"batch_size"});
    sheet.whole(Fact::accumulation, root, {"gradient_accumulation_steps"});
    sheet.whole(Fact::sequence, root, {"tokenizer.max_seq_len", "dataset.max_seq_len", "max_seq_len"});
    read_precision_word(root, sheet, {"dtype"});
    // The older switch goes before the mode that is chosen while it is off.
    const Setting* mode = first_of(root, {"ac_mode"});
    first_of(root, {"ac_option"});
    if (mode != nullptr && !is_on(root, "enable_activation_checkpointing")) {
        sheet.word(Fact::recompute, root, {"ac_mode"});
    } else {
        read_checkpointing_switch(root, sheet, {"enable_activation_checkpointing"});
    }
    if (const Setting* at = first_of(root, {"fsdp_cpu_offload"});
        at != nullptr && as_truth(*at).value_or(false)) {
        sheet.state(Fact::offload, "cpu (parameters, optimizer)", *at);
    }
    if (const Setting* at = first_of(root, {"enable_activation_offloading"});
        at != nullptr && as_truth(*at).value_or(false)) {
        state_offloaded_activations(*at, "cpu", sheet);
    } else if (at != nullptr && !sheet.has(Fact::offload)) {
        sheet.state(Fact::offload, "none", *at);
    }
    if (const Setting* at = component_of(root, "optimizer")) {
        sheet.state(Fact::optimizer, last_part(at->text), *at);
    }
    sheet.truth(Fact::compile, root, {"compile"});
    sheet.whole(Fact::tp, root, {"tensor_parallel_dim"});
    sheet.whole(Fact::cp, root, {"context_parallel_dim"});
    const Setting* shard = first_of(root, {"data_parallel_shard_dim"});
    const Setting* replicate = first_of(root, {"data_parallel_replicate_dim"});
    const std::int64_t shards = shard == nullptr ? -1 : as_whole(*shard).value_or(-1);
    const std::int64_t replicas = replicate == nullptr ? 1 : as_whole(*replicate).value_or(-1);
    if (shards > 0 && replicas > 0) {
        sheet.state(Fact::dp, shards * replicas, *shard);
    }
    if (const Setting* at = first_of(root, {"fsdp_reshard_after_forward"})) {
        sheet.state(Fact::zero, std::int64_t{as_truth(*at).value_or(true) ? 3 : 2}, *at);
    } else if (program != nullptr && program->text.find("distributed") != std::string::npos) {
        sheet.assume(Fact::zero, std::int64_t{3}, "fsdp_reshard_after_forward");
    }
    if (program != nullptr && program->text.ends_with("_single_device")) {
        sheet.derive(Fact::gpus, std::int64_t{1}, program->where() + ", a recipe of one device");
    }
    if (is_on(root, "optimizer_in_bwd")) {
        sheet.remark(*root.at("optimizer_in_bwd"), "the optimizer runs inside the backward pass");
    }
    // Its recipes of adapters know no other parallelism, whatever a file that is not seen here says.
    sheet.assumes = sheet.assumes || (program != nullptr && program->text.find("lora_") != std::string::npos);
    assume_data_parallel_only(sheet, "torchtune");
}

}  // namespace traincost
