// LLaMA-Factory's YAML, its Megatron variant and its second schema.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/adapter_words.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_llama_factory(const Setting& root) {
    return named(root, {"llamafactory"}, 60) +
           // Its own beside the trainer's, which others have too; its rank has another name.
           (root.has("lora_r") ? 0 : points(root, {"finetuning_type"}, 80)) +
           // alpaca-lora has it too, with these names beside it
           (root.has_any({"lora_r", "micro_batch_size"}) ? 0 : points(root, {"cutoff_len"}, 35)) +
           points(root, {"stage", "template", "lora_target", "dataset_dir", "preprocessing_num_workers"},
                  12) +
           points(root, {"dist_config.name", "peft_config.name"}, 40) +
           points(root, {"per_device_train_batch_size", "model_name_or_path", "overwrite_cache"}, 8);
}

namespace {

void read_second_schema(const Setting& root, FactSheet& sheet) {
    sheet.word(Fact::model, root, {"model"});
    sheet.whole(Fact::micro_batch, root, {"micro_batch_size"});
    sheet.whole(Fact::global_batch, root, {"global_batch_size"});
    sheet.whole(Fact::cp, root, {"cp_size", "dist_config.cp_size"});
    sheet.whole(Fact::lora_rank, root, {"peft_config.r"});
    if (const Setting* name = first_of(root, {"dist_config.name"})) {
        if (lower(name->text) == "fsdp2") {
            read_fsdp_block(*root.at("dist_config"), sheet);
            sheet.assume(Fact::zero, std::int64_t{3}, "dist_config.reshard_after_forward");
        }
    }
    if (const Setting* file = first_of(root, {"dist_config.config_file"})) {
        refer_to_file(*file, sheet);
    }
}

void read_megatron_keys(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::tp, root, {"tensor_model_parallel_size"});
    sheet.whole(Fact::pp, root, {"pipeline_model_parallel_size"});
    sheet.whole(Fact::vp, root, {"virtual_pipeline_model_parallel_size"});
    sheet.whole(Fact::cp, root, {"context_parallel_size", "sequence_parallel_size"});
    sheet.whole(Fact::ep, root, {"expert_model_parallel_size"});
    sheet.truth(Fact::sequence_parallel, root, {"sequence_parallel"});
    if (is_on(root, "use_distributed_optimizer")) {
        sheet.state(Fact::zero, std::int64_t{1}, *root.at("use_distributed_optimizer"));
    }
    sheet.word(Fact::recompute, root, {"recompute_granularity"});
}

void read_tuning(const Setting& root, FactSheet& sheet) {
    const Setting* kind = first_of(root, {"finetuning_type"});
    const Setting* rank = first_of(root, {"lora_rank"});
    if (kind != nullptr && lower(kind->text) != "lora") {
        if (lower(kind->text) == "freeze") {
            sheet.remark(*kind, "frozen layers are not understood");
        }
    } else if (rank != nullptr) {
        sheet.whole(Fact::lora_rank, root, {"lora_rank"});
    } else if (kind != nullptr) {
        sheet.assume(Fact::lora_rank, std::int64_t{8}, "lora_rank");
    }
    if (const Setting* bits = first_of(root, {"quantization_bit"})) {
        sheet.state(Fact::quantization, bits->text + "-bit", *bits);
    }
    for (const std::string_view key :
         {"use_galore", "use_badam", "use_apollo", "use_adam_mini", "use_muon"}) {
        if (is_on(root, key)) {
            sheet.state(Fact::optimizer, std::string(key.substr(4)), *root.at(key));
        }
    }
}

void read_llama_factory_precision(const Setting& root, FactSheet& sheet) {
    if (is_on(root, "fp8")) {
        sheet.state(Fact::precision, "fp8", *root.at("fp8"));
        root.at("bf16");
        root.at("pure_bf16");
    } else {
        read_16_bit_switches(root, sheet, {"pure_bf16", "bf16"}, {"fp16"});
        if (!sheet.has(Fact::precision)) {
            read_16_bit_switches(root, sheet, {"bf16"}, {"fp16"});
        }
    }
}

}  // namespace

void read_llama_factory(const Setting& root, FactSheet& sheet) {
    sheet.word(Fact::model, root, {"model_name_or_path", "model_path"});
    sheet.whole(Fact::sequence, root, {"cutoff_len"});
    sheet.whole(Fact::micro_batch, root, {"per_device_train_batch_size"});
    sheet.whole(Fact::accumulation, root, {"gradient_accumulation_steps"});
    read_llama_factory_precision(root, sheet);
    if (root.has("dist_config") || root.has("peft_config") || root.has("micro_batch_size")) {
        read_second_schema(root, sheet);
    }
    read_megatron_keys(root, sheet);
    read_tuning(root, sheet);
    read_adapter_words(root, sheet,
                       {.targets = {"lora_target", "peft_config.target_modules"},
                        .dropout = {"lora_dropout", "peft_config.lora_dropout"}});
    if (sheet.has(Fact::lora_rank)) {
        sheet.assume(Fact::lora_targets, "q,k,v,o,mlp", "lora_target");
    }
    read_packing(root, sheet, {"packing", "neat_packing"});
    read_fsdp_words(root.at("fsdp"), sheet);
    for (const std::string_view key : {"deepspeed", "fsdp_config"}) {
        const Setting* file = first_of(root, {key});
        if (file != nullptr && file->is_map()) {
            read_fsdp_block(*file, sheet);
        } else if (file != nullptr) {
            refer_to_file(*file, sheet);
        }
    }
    sheet.word(Fact::optimizer, root, {"optim"});
    if (const Setting* flash = root.at("flash_attn"); flash != nullptr && as_truth(*flash)) {
        sheet.state(Fact::attention, *as_truth(*flash) ? "flash" : "none", *flash);  // a switch at first
    } else if (flash != nullptr && flash->text.starts_with("fa") && flash->text.size() == 3) {  // fa2, fa3
        sheet.state(Fact::attention, "flash", *flash);
    } else {
        sheet.word(Fact::attention, root, {"flash_attn"});
    }
    sheet.truth(Fact::compile, root, {"torch_compile"});
    read_checkpointing_switch(root, sheet, {"enable_activation_checkpointing"});  // of the second schema
    if (const Setting* off = first_of(root, {"disable_gradient_checkpointing"})) {
        sheet.state(Fact::recompute, as_truth(*off).value_or(false) ? "none" : "full", *off);
    }
    if (root.has("per_device_train_batch_size") || root.has("finetuning_type")) {
        if (!root.has("tensor_model_parallel_size")) {  // Megatron's trainer recomputes only when told to
            sheet.assume(Fact::recompute, "full", "disable_gradient_checkpointing");
        }
        sheet.assume(Fact::sequence, std::int64_t{2048}, "cutoff_len");
        sheet.assume(Fact::accumulation, std::int64_t{1}, "gradient_accumulation_steps");
        sheet.assume(Fact::optimizer, "adamw_torch", "optim");
    }
    assume_data_parallel_only(sheet, "LLaMA-Factory");
    // The program itself starts torchrun on NNODES nodes, one where nobody says.
    const Setting* program = root.peek("$program");
    if (program != nullptr && program->text.starts_with("llamafactory-cli")) {
        assume_one_node(sheet);
    }
}

}  // namespace traincost
