// Hugging Face TrainingArguments and the trainers built on them (TRL, OpenRLHF, DeepSpeed-Chat): JSON, YAML
// or a command line.

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/adapter_words.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"
#include "traincost/import/formats/transformers/trainer_names.hpp"
#include "traincost/import/settings/key_meaning.hpp"

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
    const bool off = std::any_of(root.members.begin(), root.members.end(), [](const SettingMember& m) {
        const bool is_switch = means_adapters(m.key) && m.value.is_scalar();
        m.value.read = m.value.read || is_switch;
        return is_switch && as_truth(m.value) == std::optional(false);
    });
    const Setting* rank = first_of(root, {"lora_r", "lora_rank", "lora_dim", "lora.rank", "peft_lora_r",
                                          "ds.lora_rank", "ds.lora.rank", "lora_config.r", "peft_config.r"});
    if (rank == nullptr && root.has("$program") && root.has("alpha")) {  // alone it may be GaLore's
        rank = first_of(root, {"rank"});
    }
    if (rank != nullptr && !off && as_whole(*rank).value_or(0) > 0) {
        sheet.state(Fact::lora_rank, *as_whole(*rank), *rank);
    } else if (rank != nullptr && !off && rank->is_scalar() && !as_whole(*rank) && !says_nothing(*rank)) {
        sheet.unknown(Fact::lora_rank, *rank, "is not a number here");
    }
    read_loaded_bits(root, sheet,
                     {"load_in_4bit", "use_4bit_quantization", "load_in_4_bit", "ds.load_in_4bit", "use_4bit",
                      "load_4bit"},
                     {"load_in_8bit", "use_8bit_quantization", "use_8bit", "load_8bit"});
    for (const std::string_view key : {"use_qlora", "qlora"}) {  // whose base is of NF4
        if (!sheet.has(Fact::quantization) && !off && is_on(root, key)) {
            sheet.state(Fact::quantization, "nf4", *root.at(key));
        }
    }
}

void read_fsdp_sharding(const Setting& root, FactSheet& sheet) {
    read_fsdp_words(root.at("fsdp"), sheet);
    read_own_sharding(root, sheet);
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
    const bool lightning = root.has("accelerator") && root.has("devices");
    if (at != nullptr && at->is_scalar() && (root.has("$program") || lightning)) {
        read_strategy_word(*root.at("strategy"), sheet);
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

constexpr std::int64_t most_rows = 1 << 15;  ///< a greater batch counts tokens

/// A step's batch, in sequences, or in tokens where it is far more than any count of sequences.
void read_total_batch(const Setting& root, FactSheet& sheet) {
    if (const Setting* tokens = first_of(root, {"total_batch_tokens"})) {
        state_batch_of_tokens(Fact::global_batch, *tokens, sheet);
    }
    const Setting* at = first_of(root, {"total_batch_size", "train_total_batch_size"});
    if (at == nullptr) {
        return;
    }
    const std::int64_t total = as_whole(*at).value_or(0);
    if (total > 0 && total < most_rows) {
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
    const Setting* rows = at == nullptr ? nullptr : root.peek("device_batch_size");
    const std::int64_t of_device = rows == nullptr ? 0 : as_whole(*rows).value_or(0);
    if (of_device > 0 && as_whole(*at).value_or(0) % of_device == 0 &&
        as_whole(*at).value_or(0) < most_rows) {
        sheet.whole(Fact::global_batch, root,
                    {"batch_size"});  // of all devices, where one's has its own name
    }
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
    const bool told = config == nullptr && root.has("$program") && !sheet.has(Fact::model) &&
                      first_of(root, depth_names) != nullptr && first_of(root, width_names) != nullptr;
    config = told ? &root : config;  // "train.py --n_layer 12 --d_model 768"
    if (config == nullptr || !config->is_map()) {
        return;
    }
    ModelDimensions dimensions;
    add_dimension(dimensions, "layers", *config, depth_names);
    add_dimension(dimensions, "hidden", *config, width_names);
    add_dimension(dimensions, "heads", *config,
                  {"num_attention_heads", "n_head", "n_heads", "num_heads", "nhead", "nheads", "heads",
                   "attention_heads", "head_num"});
    add_dimension(dimensions, "kv_heads", *config,
                  {"num_key_value_heads", "n_kv_head", "n_kv_heads", "num_kv_heads"});
    add_dimension(dimensions, "ffn", *config,
                  {"intermediate_size", "n_inner", "d_ff", "ffn_dim", "ffn_hidden_size", "dim_feedforward",
                   "intermediate_dim", "dff"});
    add_dimension(dimensions, "experts", *config,
                  {"num_experts", "n_experts", "num_local_experts", "n_routed_experts"});
    add_dimension(dimensions, "experts_per_token", *config,
                  {"num_experts_per_tok", "n_experts_per_token", "num_experts_per_token", "moe_top_k"});
    add_dimension(dimensions, "expert_ffn", *config, {"moe_intermediate_size"});
    add_dimension(dimensions, "vocab", *config, {"vocab_size"});
    state_dimensions(sheet, dimensions, *config,
                     {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "depth", "nlayers",
                      "num_blocks", "layer_num", "hidden_size", "n_embd"});
    if (!told) {
        mark_read(*config);
    }
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

/// What a program of one's own is told by names that nobody else uses, where the known ones say nothing.
void read_meant(const Setting& root, FactSheet& sheet, Fact fact, bool (*means)(std::string_view)) {
    const Setting* at =
        root.has("$program") && !sheet.has(fact) && !sheet.is_unreadable(fact) ? meant(root, means) : nullptr;
    if (at != nullptr && fact == Fact::model && as_word(*at) && !as_truth(*at)) {
        sheet.state(fact, at->text, *at);
    } else if (at != nullptr && fact != Fact::model && as_whole(*at).value_or(0) > 0) {
        sheet.state(fact, *as_whole(*at), *at);
    }
}

void read_batch_and_model(const Setting& root, FactSheet& sheet) {
    read_alpaca_lora(root, sheet);
    read_first_openrlhf(root, sheet);
    read_colossal(root, sheet);
    sheet.whole(Fact::micro_batch, root, micro_batch_names);
    sheet.whole(Fact::accumulation, root, accumulation_names);
    read_meant(root, sheet, Fact::micro_batch, means_device_batch);
    read_meant(root, sheet, Fact::accumulation, means_accumulation);
    read_meant(root, sheet, Fact::global_batch, means_whole_batch);
    if (root.has("pretrained_model_name_or_path")) {  // Diffusers' trainers: of one GPU
        sheet.whole(Fact::micro_batch, root, {"train_batch_size"});
    }
    sheet.whole(Fact::sequence, root, sequence_names);
    read_total_batch(root, sheet);
    for (const auto& [fact, means] : {std::pair{Fact::micro_batch, &means_device_tokens},
                                      std::pair{Fact::global_batch, &means_step_tokens}}) {
        const Setting* at = root.has("$program") && !sheet.has(fact) ? meant(root, means) : nullptr;
        if (at != nullptr) {
            state_batch_of_tokens(fact, *at, sheet);
        }
    }
    read_training_batch(root, sheet);
    read_plain_batch(root, sheet);
    // "--pretrain huggingface" says where a model is from.
    if (const Setting* at = root.peek("pretrain");
        at == nullptr || at->text.find_first_of("/0123456789") != std::string::npos ||
        root.has_any({"model_name_or_path", "base_model", "model_name", "model_path"})) {
        sheet.word(Fact::model, root, model_names);
    }
    if (const Setting* model = root.at("model");
        model != nullptr && model->is_scalar() && !sheet.has(Fact::model))
        sheet.word(Fact::model, root, {"model"});
    read_meant(root, sheet, Fact::sequence, means_length);
    read_meant(root, sheet, Fact::model, means_model);
}

/// TRL's arguments, which recompute unless told not to since 2025: of its command, or a class of its own.
bool made_for_trl(const Setting& root) {
    const Setting* program = root.peek("$program");
    const Setting* arguments = root.has("$trains") ? root.peek("$class") : nullptr;
    const bool command = program != nullptr && program->text.starts_with("trl ");
    return command || (arguments != nullptr && arguments->text.ends_with("Config"));
}

}  // namespace

void read_hf_arguments(const Setting& root, FactSheet& sheet) {
    read_machines(root, sheet);
    read_trl_program(root, sheet);
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
    read_own_recompute(root, sheet);
    read_config_overrides(root, sheet);
    read_new_model(root, sheet);
    sheet.word(Fact::optimizer, root, {"optim", "optimizer", "optimizer_type", "optimizer_name"});
    read_trainer_attention(root, sheet);
    read_own_compilation(root, sheet);
    read_fsdp_sharding(root, sheet);
    read_strategy(root, sheet);
    read_enabled_fsdp(root, sheet);
    read_lora(root, sheet);
    read_qlora(root, sheet);
    read_adapter_words(root, sheet,
                       {.targets = {"lora_target_modules", "target_modules", "lora_config.target_modules",
                                    "peft_config.target_modules"},
                        .dropout = {"lora_dropout", "lora_config.lora_dropout", "peft_config.lora_dropout"}});
    read_packing(root, sheet, {"packing", "padding_free"});
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
    read_trainer_degrees(root, sheet);
    if (!openrlhf && root.has("per_device_train_batch_size") && !root.has("$adapted")) {
        if (!sheet.has(Fact::global_batch))  // which a program divides by itself
            sheet.assume(Fact::accumulation, std::int64_t{1}, "gradient_accumulation_steps");
        sheet.assume(Fact::recompute, made_for_trl(root) ? "full" : "none", "gradient_checkpointing");
    }
}

}  // namespace traincost
