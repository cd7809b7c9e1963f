// ms-swift: `swift sft` and its kin with the arguments of Hugging Face's trainer, `megatron sft` with those
// of Megatron, both with underscores; on a command line or in YAML.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/adapter_words.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

namespace {

const Setting* swift_program(const Setting& root) {
    const Setting* program = root.peek("$program");
    const bool is =
        program != nullptr &&
        (program->text.starts_with("swift ") || program->text.starts_with("megatron ") ||
         program->text.find("swift/cli") != std::string::npos || program->text.ends_with("llm_sft.py"));
    return is ? program : nullptr;
}

bool has_tuner(const Setting& root) {
    return root.has("tuner_type") || root.has("train_type") || root.has("sft_type");
}

/// Megatron's trainer: by its program, or by the batch that only it has.
bool is_megatron_swift(const Setting& root) {
    const Setting* program = swift_program(root);
    return (program != nullptr && program->text.starts_with("megatron ")) ||
           root.has("tensor_model_parallel_size") ||
           (root.has("micro_batch_size") && root.has("global_batch_size"));
}

// A preset by name ("zero3", "zero2_offload"), or a file.
void read_swift_sharding(const Setting& root, FactSheet& sheet) {
    if (const Setting* at = first_of(root, {"deepspeed"}); at != nullptr && at->is_scalar()) {
        if (!read_named_stage(*at, sheet)) {
            refer_to_file(*at, sheet);
        }
    }
    if (const Setting* at = first_of(root, {"fsdp"});
        at != nullptr && at->is_scalar() && at->text == "fsdp2") {
        sheet.state(Fact::zero, std::int64_t{3}, *at);
    } else if (at != nullptr && at->text.ends_with(".json")) {
        refer_to_file(*at, sheet);
    } else if (at != nullptr) {
        read_fsdp_words(at, sheet);
    }
}

void read_swift_tuner(const Setting& root, FactSheet& sheet) {
    const Setting* tuner = first_of(root, {"tuner_type", "train_type", "sft_type"});
    const std::string name = tuner == nullptr ? "" : lower(tuner->text);
    const bool adapters = name == "lora" || name == "qlora" || name == "longlora";
    if (tuner == nullptr ? root.has("lora_rank") : adapters) {
        sheet.whole(Fact::lora_rank, root, {"lora_rank"});
        if (tuner != nullptr) {
            sheet.assume(Fact::lora_rank, std::int64_t{8}, "lora_rank");
        }
    } else if (tuner != nullptr && name != "full") {
        sheet.remark(*tuner, "'" + tuner->text + "' is not a known adapter");
    }
    if (const Setting* at = first_of(root, {"quant_bits", "quantization_bit"})) {
        const std::int64_t bits = as_whole(*at).value_or(0);
        if (bits == 4 || bits == 8) {
            sheet.state(Fact::quantization, bits == 4 ? "4-bit" : "8-bit", *at);
        }
    }
    read_loaded_bits(root, sheet, {"load_in_4bit"}, {"load_in_8bit"});
    read_adapter_words(root, sheet,
                       {.targets = {"target_modules", "lora_target_modules"}, .dropout = {"lora_dropout"}});
    read_packing(root, sheet, {"packing", "padding_free"});
}

// Where nobody says, Megatron's part has other defaults than Megatron.
void read_swift_megatron(const Setting& root, FactSheet& sheet) {
    if (const Setting* at = root.at("recompute_granularity");
        at != nullptr && at->is_scalar() && (as_word(*at) || lower(at->text) == "none")) {
        sheet.state(Fact::recompute, lower(at->text), *at);
    }
    sheet.assume(Fact::recompute, "selective", "recompute_granularity");
    sheet.assume(Fact::micro_batch, std::int64_t{1}, "micro_batch_size");
    sheet.assume(Fact::global_batch, std::int64_t{16}, "global_batch_size");
    if (!root.has("use_distributed_optimizer")) {
        sheet.assume(Fact::zero, std::int64_t{1}, "use_distributed_optimizer");
    }
    if (!root.has("bf16") && !root.has("fp16") && !root.has("fp8_format")) {
        read_precision_word(root, sheet, {"torch_dtype"});
        sheet.assume(Fact::precision, "bf16", "torch_dtype");
    }
    sheet.word(Fact::attention, root, {"attention_backend"});
    sheet.assume(Fact::attention, "flash", "attention_backend");
    read_megatron(root, sheet);
}

// Neither a launcher nor a count of processes: one process, which spreads the layers over the GPUs it sees.
bool is_one_process(const Setting& root) {
    return swift_program(root) != nullptr && root.peek("$one_process") != nullptr;
}

void read_swift_trainer(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::micro_batch, root, {"per_device_train_batch_size", "batch_size"});
    sheet.assume(Fact::micro_batch, std::int64_t{1}, "per_device_train_batch_size");
    sheet.whole(Fact::accumulation, root, {"gradient_accumulation_steps"});
    sheet.whole(Fact::cp, root, {"sequence_parallel_size"});
    if (root.has("bf16") || root.has("fp16")) {
        read_16_bit_switches(root, sheet, {"bf16"}, {"fp16"});
    } else {
        read_precision_word(root, sheet, {"torch_dtype", "dtype"});
    }
    note_loaded_format(root, sheet, {"torch_dtype", "dtype"});
    read_checkpointing_switch(root, sheet, {"gradient_checkpointing"});
    sheet.assume(Fact::recompute, "full", "gradient_checkpointing");
    sheet.word(Fact::optimizer, root, {"optim", "optimizer"});
    sheet.word(Fact::attention, root, {"attn_impl"});
    if (!sheet.has(Fact::attention) && is_on(root, "use_flash_attn")) {
        sheet.state(Fact::attention, "flash", *root.at("use_flash_attn"));
    }
    sheet.truth(Fact::compile, root, {"torch_compile"});
    read_swift_sharding(root, sheet);
    if (!is_one_process(root)) {
        assume_data_parallel_only(sheet, "ms-swift");
    } else if (sheet.assumes) {
        sheet.assume(Fact::dp, std::int64_t{1}, "NPROC_PER_NODE, without which one process has all GPUs");
    }
}

}  // namespace

int recognise_swift(const Setting& root) {
    const bool named = swift_program(root) != nullptr;
    if (!named && !(has_tuner(root) && (root.has("model") || root.has("model_type")))) {
        return 0;
    }
    return (named ? 90 : 50) +
           points(root, {"micro_batch_size", "per_device_train_batch_size", "max_length", "dataset"}, 15) +
           points(root, {"tensor_model_parallel_size", "lora_rank", "torch_dtype", "target_modules"}, 10);
}

void read_swift(const Setting& root, FactSheet& sheet) {
    sheet.word(Fact::model, root, {"model", "model_id_or_path", "model_type", "load", "mcore_model"});
    if (!sheet.has(Fact::model)) {  // of a path that nobody knows here
        sheet.word(Fact::model, root, {"model_type"});
    }
    sheet.whole(Fact::sequence, root, {"max_length", "max_seq_length"});
    read_swift_tuner(root, sheet);
    sheet.whole(Fact::gpus_per_node, root, {"device_groups.nproc_per_node"});  // under Ray
    if (is_megatron_swift(root)) {
        read_swift_megatron(root, sheet);
    } else {
        read_swift_trainer(root, sheet);
    }
    if (swift_program(root) != nullptr) {
        sheet.assume(Fact::nodes, std::int64_t{1}, "NNODES");
    }
}

}  // namespace traincost
