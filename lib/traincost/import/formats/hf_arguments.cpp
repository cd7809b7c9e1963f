// Hugging Face TrainingArguments and the trainers built on them (TRL, OpenRLHF, DeepSpeed-Chat): JSON, YAML
// or a command line.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_hf_arguments(const Setting& root) {
    return points(root, {"per_device_train_batch_size", "$adapted"}, 50) +
           points(root, {"model_name_or_path", "gradient_accumulation_steps", "gradient_checkpointing"}, 15) +
           points(root, {"train.micro_batch_size", "micro_train_batch_size", "pretrain"}, 40) +
           points(root,
                  {"output_dir", "num_train_epochs", "learning_rate", "lr_scheduler_type", "bf16", "fp16"},
                  4) +
           // a trainer of one's own, where a command starts it
           (root.has("$program")
                ? points(root,
                         {"model_name", "model_path", "max_length", "max_seq_length", "num_epochs",
                          "accumulation_steps", "model_name_or_path", "deepspeed", "fsdp", "fsdp_config",
                          "block_size", "enable_fsdp", "use_peft", "batch_size", "dtype",
                          "pretrained_model_name"},
                         8) +
                      points(root,
                             {"base_model", "cutoff_len", "batch_size_training", "total_batch_size",
                              "grad_accum_steps", "grad_accumulation_steps", "grad_acc_steps"},
                             20) +
                      (root.has("accum_freq") && root.has("global_batch_size") ? 40 : 0)
                : 0);
}

namespace {

void read_lora(const Setting& root, FactSheet& sheet) {
    static constexpr std::string_view switches[] = {"use_peft", "use_lora", "use_peft_lora", "enable_lora",
                                                    "lora_enable"};
    bool off = false;
    for (const std::string_view key : switches) {
        const Setting* at = root.at(key);
        off = off || (at != nullptr && as_truth(*at) == std::optional(false));
    }
    const Setting* rank = first_of(root, {"lora_r", "lora_rank", "lora_dim", "lora.rank", "peft_lora_r",
                                          "ds.lora_rank", "ds.lora.rank", "lora_config.r", "peft_config.r"});
    if (rank != nullptr && !off && as_whole(*rank).value_or(0) > 0) {
        sheet.state(Fact::lora_rank, *as_whole(*rank), *rank);
    }
    read_loaded_bits(root, sheet,
                     {"load_in_4bit", "use_4bit_quantization", "load_in_4_bit", "ds.load_in_4bit", "use_4bit",
                      "load_4bit"},
                     {"load_in_8bit", "use_8bit_quantization", "use_8bit", "load_8bit"});
}

void read_fsdp_sharding(const Setting& root, FactSheet& sheet) {
    read_fsdp_words(root.at("fsdp"), sheet);
    if (const Setting* block = root.at("fsdp_config"); block != nullptr) {
        if (block->is_map()) {
            read_fsdp_block(*block, sheet);
        } else {
            refer_to_file(*block, sheet);
        }
    }
    const Setting* deepspeed = first_of(root, {"deepspeed", "deepspeed_config", "deepspeed_config_file"});
    if (deepspeed != nullptr && deepspeed->is_map()) {  // its JSON in place
        read_deepspeed_block(*deepspeed, sheet);
    } else if (deepspeed != nullptr && !as_truth(*deepspeed) && !read_named_stage(*deepspeed, sheet)) {
        refer_to_file(*deepspeed, sheet);
    }
    sheet.whole(Fact::zero, root, {"zero_stage", "ds.zero_stage"}, 0);
}

// OpenRLHF's train_batch_size is the whole step's; its micro batches are of one GPU.
bool read_openrlhf(const Setting& root, FactSheet& sheet) {
    if (!root.has("train.micro_batch_size") && !root.has("micro_train_batch_size")) {
        return false;
    }
    sheet.whole(Fact::micro_batch, root, {"train.micro_batch_size", "micro_train_batch_size"});
    sheet.whole(Fact::global_batch, root, {"train.batch_size", "train_batch_size"});
    sheet.whole(Fact::sequence, root, {"data.max_len", "max_len"});
    sheet.word(Fact::model, root, {"actor.model_name_or_path", "model.model_name_or_path", "pretrain"});
    return true;
}

// "n_embd=8192,n_layer=64,gradient_checkpointing=true": what a model that is made anew differs in.
void read_config_overrides(const Setting& root, FactSheet& sheet) {
    const Setting* at = root.at("config_overrides");
    if (at == nullptr || !at->is_scalar()) {
        return;
    }
    Setting own = *at;
    own.kind = Setting::Kind::map;
    for (const std::string& pair : split(at->text, ',')) {
        if (const std::size_t equals = pair.find('='); equals != std::string::npos && equals > 0) {
            place_at(own, pair.substr(0, equals)) = scalar_setting(pair.substr(equals + 1), *at);
        }
    }
    ModelDimensions dimensions;
    add_dimension(dimensions, "layers", own, {"num_hidden_layers", "n_layer", "num_layers"});
    add_dimension(dimensions, "hidden", own, {"hidden_size", "n_embd", "d_model"});
    add_dimension(dimensions, "heads", own, {"num_attention_heads", "n_head", "num_heads"});
    state_dimensions(sheet, dimensions, own,
                     {"num_hidden_layers", "n_layer", "num_layers", "hidden_size", "n_embd", "d_model"});
    read_checkpointing_switch(own, sheet, {"gradient_checkpointing"});
}

// alpaca-lora's batch_size is the whole step's, micro_batch_size a GPU's.
void read_alpaca_lora(const Setting& root, FactSheet& sheet) {
    if (!root.has("base_model") || !root.has("micro_batch_size")) {
        return;
    }
    sheet.word(Fact::model, root, {"base_model"});
    sheet.whole(Fact::micro_batch, root, {"micro_batch_size"});
    sheet.whole(Fact::global_batch, root, {"batch_size"});
}

// Trainers of one's own: GaLore's counts the sequences of a step beside those of a process, open_lm's the
// step's and its micro-steps.
void read_own_batches(const Setting& root, FactSheet& sheet) {
    if (root.has("total_batch_size") && root.has("batch_size")) {
        sheet.whole(Fact::micro_batch, root, {"batch_size"});
        sheet.whole(Fact::global_batch, root, {"total_batch_size"});
        sheet.word(Fact::optimizer, root, {"optimizer"});
        read_precision_word(root, sheet, {"dtype"});
    } else if (root.has("accum_freq")) {
        sheet.whole(Fact::global_batch, root, {"global_batch_size"});
        sheet.whole(Fact::accumulation, root, {"accum_freq"});
        sheet.whole(Fact::sequence, root, {"seq_len"});
        read_precision_word(root, sheet, {"precision"});
        read_checkpointing_switch(root, sheet, {"grad_checkpointing"});
    }
    sheet.whole(Fact::micro_batch, root, {"batch_size_training", "batch_size_per_device"});
    // Beside the steps that accumulate, a batch is what one of them takes.
    const bool said = sheet.has(Fact::micro_batch) || root.has("micro_batch_size") ||
                      root.has("per_device_train_batch_size");
    const bool accumulates = points(root,
                                    {"gradient_accumulation_steps", "grad_accum_steps",
                                     "grad_accumulation_steps", "grad_acc_steps", "grad_accum"},
                                    1) > 0;
    if (root.has("$program") && accumulates && !said) {
        sheet.whole(Fact::micro_batch, root, {"batch_size"});
    }
    if (is_on(root, "enable_fsdp")) {
        sheet.state(Fact::zero, std::int64_t{3}, *root.at("enable_fsdp"));
    }
    if (is_on(root, "fsdp_config.pure_bf16") || is_on(root, "pure_bf16")) {
        sheet.state(Fact::precision, "bf16", *first_of(root, {"fsdp_config.pure_bf16", "pure_bf16"}));
    }
}

// QLoRA's own program: bits of the base, and a prompt with its answer.
void read_qlora(const Setting& root, FactSheet& sheet) {
    if (const Setting* bits = first_of(root, {"bits"}); bits != nullptr && !sheet.has(Fact::quantization)) {
        const std::int64_t width = as_whole(*bits).value_or(16);
        if (width == 4 || width == 8) {
            sheet.state(Fact::quantization, bits->text + "-bit", *bits);
        }
    }
    const Setting* source = first_of(root, {"source_max_len"});
    const Setting* target = first_of(root, {"target_max_len"});
    if (source != nullptr && target != nullptr && as_whole(*source) && as_whole(*target)) {
        sheet.derive(Fact::sequence, *as_whole(*source) + *as_whole(*target),
                     source->where() + " + " + target->name);
    }
}

}  // namespace

void read_hf_arguments(const Setting& root, FactSheet& sheet) {
    if (const Setting* unpacked = root.peek("$unpacked")) {
        sheet.assumes = false;  // more may be said there
        sheet.remark(*unpacked, "arguments that nothing here says");
    }
    const bool openrlhf = read_openrlhf(root, sheet);
    if (!openrlhf) {
        read_alpaca_lora(root, sheet);
        read_own_batches(root, sheet);
        sheet.whole(
            Fact::micro_batch, root,
            {"per_device_train_batch_size", "per_gpu_train_batch_size", "train.per_device_train_batch_size"});
        sheet.whole(Fact::accumulation, root,
                    {"gradient_accumulation_steps", "accumulation_steps", "grad_accum_steps",
                     "grad_accumulation_steps", "grad_acc_steps", "grad_accum"});
        sheet.whole(Fact::sequence, root,
                    {"model_max_length", "max_seq_length", "max_seq_len", "max_length", "cutoff_len",
                     "cutoff", "block_size", "model_max_len", "seq_length", "context_length"});
        sheet.word(Fact::model, root,
                   {"model_name_or_path", "base_model", "base_model_name_or_path", "base_model_name",
                    "model_name", "model_id", "model_path", "actor_model_name_or_path", "model_checkpoint",
                    "pretrained_model_name", "pretrained_model_name_or_path"});
        if (const Setting* model = root.at("model");
            model != nullptr && model->is_scalar() && !sheet.has(Fact::model)) {
            sheet.word(Fact::model, root, {"model"});
        }
    }
    read_16_bit_switches(root, sheet, {"bf16"}, {"fp16"});
    if (!sheet.has(Fact::precision)) {
        read_precision_word(root, sheet, {"param_dtype", "ds.param_dtype", "mixed_precision", "torch_dtype"});
    }
    read_checkpointing_switch(
        root, sheet,
        {"gradient_checkpointing", "use_gradient_checkpointing", "actor.gradient_checkpoint",
         "ds.gradient_checkpointing", "model.gradient_checkpointing_enable"});
    read_config_overrides(root, sheet);
    sheet.word(Fact::optimizer, root, {"optim"});
    sheet.word(Fact::attention, root, {"attn_implementation", "ds.attn_implementation"});
    for (const std::string_view key :
         {"use_flash_attn", "flash_attn", "use_flash_attention", "use_flash_attention_2"}) {
        if (!sheet.has(Fact::attention) && is_on(root, key)) {
            sheet.state(Fact::attention, "flash", *root.at(key));
        }
    }
    sheet.truth(Fact::compile, root, {"torch_compile"});
    read_fsdp_sharding(root, sheet);
    read_lora(root, sheet);
    read_qlora(root, sheet);
    for (const std::string_view key : {"adam_offload", "ds.adam_offload", "offload"}) {
        if (is_on(root, key)) {
            sheet.state(Fact::offload, "cpu (optimizer)", *root.at(key));
        }
    }
    sheet.whole(
        Fact::tp, root,
        {"tensor_parallel_size", "ds.tensor_parallel_size", "ds_tensor_parallel_size", "tp_size", "tp"});
    sheet.whole(Fact::cp, root, {"ring_attn_size", "ds.ring_attn_size"});
    assume_data_parallel_only(sheet, "the trainer");
    if (!openrlhf && root.has("per_device_train_batch_size")) {
        sheet.assume(Fact::accumulation, std::int64_t{1}, "gradient_accumulation_steps");
        sheet.assume(Fact::recompute, "none", "gradient_checkpointing");
    }
}

}  // namespace traincost
