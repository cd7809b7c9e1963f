// Hugging Face TrainingArguments and the trainers built on them (TRL, OpenRLHF, DeepSpeed-Chat): JSON, YAML
// or a command line.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"
#include "traincost/import/formats/trainer_names.hpp"

namespace traincost {

int recognise_hf_arguments(const Setting& root) {
    return points(root, {"per_device_train_batch_size", "$adapted", "$trains"}, 50) +
           points(root, {"model_name_or_path", "gradient_accumulation_steps", "gradient_checkpointing"}, 15) +
           points(root, {"train.micro_batch_size", "micro_train_batch_size", "pretrain"}, 40) +
           points(root,
                  {"output_dir", "num_train_epochs", "learning_rate", "lr_scheduler_type", "bf16", "fp16"},
                  4) +
           trainer_of_ones_own(root);
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
    if (const Setting* engine = root.at("$engine")) {  // deepspeed.initialize(config=...)
        read_deepspeed_statements(*engine, sheet);
    }
    sheet.whole(Fact::zero, root, {"zero_stage", "ds.zero_stage", "ds_stage", "deepspeed_stage"}, 0);
}

// llama-recipes shards everything where this is on.
void read_enabled_fsdp(const Setting& root, FactSheet& sheet) {
    if (is_on(root, "enable_fsdp")) {
        sheet.state(Fact::zero, std::int64_t{3}, *root.at("enable_fsdp"));
    }
}

// Lightning's trainer behind a command's flags.
void read_strategy(const Setting& root, FactSheet& sheet) {
    const Setting* at = root.peek("strategy");
    if (at != nullptr && at->is_scalar() && root.has("$program")) {
        read_strategy_word(*at, sheet);
    }
    const Setting* backend = root.peek("backend");  // OpenRLHF's "fsdp2"
    if (backend != nullptr && backend->is_scalar() && lower(backend->text).starts_with("fsdp")) {
        sheet.state(Fact::zero, std::int64_t{3}, *root.at("backend"));
    }
}

// OpenRLHF's train_batch_size is the whole step's; its micro batches are of one GPU.
bool read_openrlhf(const Setting& root, FactSheet& sheet) {
    if (!root.has("train.micro_batch_size") && !root.has("micro_train_batch_size")) {
        return false;
    }
    sheet.whole(Fact::micro_batch, root, {"train.micro_batch_size", "micro_train_batch_size"});
    sheet.whole(Fact::global_batch, root, {"train.batch_size", "train_batch_size"});
    sheet.whole(Fact::sequence, root, {"data.max_len", "max_len"});
    sheet.word(Fact::model, root,
               {"actor.model_name_or_path", "model.model_name_or_path", "pretrain", "model_name_or_path"});
    return true;
}

// Its first trainer stated the batch of a GPU and how many of them make a step.
void read_first_openrlhf(const Setting& root, FactSheet& sheet) {
    if (root.has("pretrain") && root.has("accumulated_gradient")) {
        sheet.whole(Fact::micro_batch, root, {"train_batch_size"});
    }
}

/// A step's batch, in sequences, or in tokens where it is far more than any count of sequences.
void read_total_batch(const Setting& root, FactSheet& sheet) {
    constexpr std::int64_t most_sequences = 1 << 15;
    const Setting* at = first_of(root, {"total_batch_size", "train_total_batch_size"});
    if (at == nullptr) {
        return;
    }
    const std::int64_t total = as_whole(*at).value_or(0);
    if (total > 0 && total < most_sequences) {
        sheet.state(Fact::global_batch, total, *at);
    } else {
        state_batch_of_tokens(Fact::global_batch, *at, sheet);
    }
}

// "--train_batch_size 8" beside an accumulation is a GPU's, but the first trainers of BERT divide it.
void read_training_batch(const Setting& root, FactSheet& sheet) {
    const bool divides = root.has("bert_model") || root.has("do_lower_case") || root.has("bert_config") ||
                         root.has("micro_train_batch_size");
    if (root.has("$program") && sheet.has(Fact::accumulation) && !divides) {
        sheet.whole(Fact::micro_batch, root, {"train_batch_size"});
    }
}

// "--batch_size 8" alone may be a GPU's or the whole step's; beside an accumulation, or beside a batch that
// is named global, it is a GPU's.
void read_plain_batch(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::global_batch, root, {"global_batch_size", "effective_batch_size"});
    const Setting* at = root.peek("batch_size");
    if (at == nullptr || sheet.has(Fact::micro_batch) || root.has("micro_batch_size")) {
        sheet.whole(Fact::micro_batch, root, {"micro_batch_size"});
    } else if (sheet.has(Fact::accumulation) || sheet.has(Fact::global_batch)) {
        sheet.whole(Fact::micro_batch, root, {"batch_size"});
    } else {
        sheet.unknown(Fact::micro_batch, *root.at("batch_size"), "unclear whether per GPU or in total");
    }
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

}  // namespace

void read_new_model(const Setting& root, FactSheet& sheet) {
    const Setting* config = root.at("$config");
    if (config == nullptr || !config->is_map()) {
        return;
    }
    ModelDimensions dimensions;
    add_dimension(
        dimensions, "layers", *config,
        {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "depth", "nlayers", "num_blocks"});
    add_dimension(dimensions, "hidden", *config,
                  {"hidden_size", "n_embd", "n_embed", "d_model", "dim", "hidden_dim", "embed_dim",
                   "model_dim", "embedding_dim", "emb_dim"});
    add_dimension(dimensions, "heads", *config,
                  {"num_attention_heads", "n_head", "n_heads", "num_heads", "nhead", "nheads", "heads"});
    add_dimension(dimensions, "kv_heads", *config,
                  {"num_key_value_heads", "n_kv_head", "n_kv_heads", "num_kv_heads"});
    add_dimension(dimensions, "ffn", *config,
                  {"intermediate_size", "n_inner", "d_ff", "ffn_dim", "ffn_hidden_size", "dim_feedforward",
                   "intermediate_dim", "dff"});
    add_dimension(dimensions, "vocab", *config, {"vocab_size"});
    state_dimensions(sheet, dimensions, *config,
                     {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "depth", "nlayers",
                      "num_blocks", "hidden_size", "n_embd"});
    mark_read(*config);
}

namespace {

// alpaca-lora's batch_size is the whole step's, micro_batch_size a GPU's.
void read_alpaca_lora(const Setting& root, FactSheet& sheet) {
    if (!root.has("base_model") || !root.has("micro_batch_size")) {
        return;
    }
    sheet.word(Fact::model, root, {"base_model"});
    sheet.whole(Fact::micro_batch, root, {"micro_batch_size"});
    sheet.whole(Fact::global_batch, root, {"batch_size"});
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

// Colossal-AI's examples shard by a plug-in: zero2, gemini, 3d; a batch is a GPU's, of 3d's pipeline a
// rank's.
void read_colossal(const Setting& root, FactSheet& sheet) {
    const Setting* plugin = first_of(root, {"plugin", "p"});
    const bool unnamed = plugin == nullptr && measures_colossal(root);
    if (!unnamed && (plugin == nullptr || !plugin->is_scalar())) {
        return;
    }
    sheet.word(Fact::model, root, {"pretrained", "c"});
    sheet.whole(Fact::sequence, root, {"max_length", "l"});
    read_checkpointing_switch(root, sheet, {"g"});
    if (is_on(root, "x")) {
        sheet.state(Fact::attention, "flash", *root.at("x"));
    }
    if (unnamed) {
        sheet.assume(Fact::zero, std::int64_t{3}, "plugin");
        sheet.whole(Fact::micro_batch, root, {"b"});
        return;
    }
    const std::string& name = plugin->text;
    if (name.ends_with("_cpu")) {
        sheet.state(Fact::offload, "cpu (optimizer)", *plugin);
    }
    if (name.starts_with("zero1") || name.starts_with("zero2")) {
        sheet.state(Fact::zero, std::int64_t{name[4] - '0'}, *plugin);
    } else if (name.starts_with("gemini") || name.find("fsdp") != std::string::npos) {
        sheet.state(Fact::zero, std::int64_t{3}, *plugin);
    } else if (name.starts_with("3d") || name == "hybrid_parallel") {
        sheet.whole(Fact::zero, root, {"zero"}, 0);
        sheet.whole(Fact::micro_batch, root, {"mbs", "microbatch_size"});
        return;
    } else {
        return;
    }
    sheet.whole(Fact::micro_batch, root, {"batch_size", "b"});
}

void read_batch_and_model(const Setting& root, FactSheet& sheet) {
    read_alpaca_lora(root, sheet);
    read_first_openrlhf(root, sheet);
    read_colossal(root, sheet);
    sheet.whole(Fact::micro_batch, root, micro_batch_names);
    sheet.whole(Fact::accumulation, root, accumulation_names);
    if (root.has("pretrained_model_name_or_path")) {  // Diffusers' trainers: of one GPU
        sheet.whole(Fact::micro_batch, root, {"train_batch_size"});
    }
    sheet.whole(Fact::sequence, root, sequence_names);
    read_total_batch(root, sheet);
    read_training_batch(root, sheet);
    read_plain_batch(root, sheet);
    sheet.word(Fact::model, root, model_names);
    if (const Setting* model = root.at("model");
        model != nullptr && model->is_scalar() && !sheet.has(Fact::model)) {
        sheet.word(Fact::model, root, {"model"});
    }
}

// Trainers that start their own processes are told of nodes and GPUs.
void read_machines(const Setting& root, FactSheet& sheet) {
    const auto take = [&](Fact fact, Paths names) {
        const Setting* at = root.has("$program") ? first_of(root, names) : nullptr;
        if (at != nullptr && as_whole(*at).value_or(0) > 0) {
            sheet.state(fact, *as_whole(*at), *at);
        }
    };
    take(Fact::gpus_per_node, {"gpus_per_node", "num_gpus_per_node", "devices", "num_gpus"});
    take(Fact::nodes, {"num_nodes"});
    if (const Setting* devices = root.peek("devices");
        devices != nullptr && root.has("$program") && as_whole(*devices).value_or(0) > 0) {
        sheet.assume(Fact::nodes, std::int64_t{1}, "num_nodes");
    }
}

void read_trainer_precision(const Setting& root, FactSheet& sheet) {
    read_16_bit_switches(root, sheet, {"bf16", "use_bf16", "pure_bf16", "fsdp_config.pure_bf16"},
                         {"fp16", "use_fp16"});
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

void read_trainer_attention(const Setting& root, FactSheet& sheet) {
    sheet.word(Fact::attention, root, {"attn_implementation", "ds.attn_implementation"});
    for (const std::string_view key :
         {"use_flash_attn", "flash_attn", "use_flash_attention", "use_flash_attention_2",
          "enable_flash_attention", "flash_attention"}) {
        if (!sheet.has(Fact::attention) && is_on(root, key)) {
            sheet.state(Fact::attention, "flash", *root.at(key));
        }
    }
}

}  // namespace

void read_hf_arguments(const Setting& root, FactSheet& sheet) {
    read_machines(root, sheet);
    if (const Setting* unpacked = root.peek("$unpacked")) {
        sheet.assumes = false;  // more may be said there
        sheet.remark(*unpacked, "arguments that are not in these files");
    }
    const bool openrlhf = read_openrlhf(root, sheet);
    if (!openrlhf) {
        read_batch_and_model(root, sheet);
    }
    read_trainer_precision(root, sheet);
    read_checkpointing_switch(root, sheet, checkpointing_names);
    read_config_overrides(root, sheet);
    read_new_model(root, sheet);
    sheet.word(Fact::optimizer, root, {"optim", "optimizer", "optimizer_type", "optimizer_name"});
    read_trainer_attention(root, sheet);
    sheet.truth(Fact::compile, root, {"torch_compile"});
    read_fsdp_sharding(root, sheet);
    read_strategy(root, sheet);
    read_enabled_fsdp(root, sheet);
    read_lora(root, sheet);
    read_qlora(root, sheet);
    const Setting* states = first_of(root, {"offload_optimizer_device"});
    const Setting* weights = first_of(root, {"offload_param_device"});
    if (states != nullptr && as_word(*states)) {
        sheet.state(Fact::offload,
                    states->text + (weights != nullptr ? " (optimizer, parameters)" : " (optimizer)"),
                    *states);
    }
    for (const std::string_view key : {"adam_offload", "ds.adam_offload", "offload"}) {
        if (is_on(root, key) && !sheet.has(Fact::offload)) {
            sheet.state(Fact::offload, "cpu (optimizer)", *root.at(key));
        }
    }
    sheet.whole(Fact::tp, root, tensor_names);
    sheet.whole(Fact::pp, root, pipeline_names);
    sheet.whole(Fact::cp, root, sequence_parallel_names);
    assume_data_parallel_only(sheet, "the trainer");
    if (!openrlhf && root.has("per_device_train_batch_size") && !root.has("$adapted")) {
        sheet.assume(Fact::accumulation, std::int64_t{1}, "gradient_accumulation_steps");
        sheet.assume(Fact::recompute, "none", "gradient_checkpointing");
    }
}

}  // namespace traincost
