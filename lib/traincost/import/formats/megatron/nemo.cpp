// NeMo 1: the launcher's YAML, or Hydra overrides of a command. Megatron-Bridge: overrides of a recipe.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/adapter_words.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"
#include "traincost/import/formats/megatron/recomputed_parts.hpp"
#include "traincost/import/settings/python/python_made.hpp"

namespace traincost {

namespace {

/// The launcher's command says everything below "training".
const Setting& below_training(const Setting& root) {
    const Setting* training = root.peek("training");
    const bool launched =
        training != nullptr && training->is_map() && (training->has("model") || training->has("trainer"));
    return launched ? *training : root;
}

}  // namespace

int recognise_nemo(const Setting& whole) {
    const Setting& root = below_training(whole);
    if (&root != &whole) {
        return 20 + recognise_nemo(root) + points(root, {"model"}, named(whole, {"launcher_scripts/"}, 20));
    }
    const bool launched = named(whole, {"launcher_scripts/main.py", "megatron_gpt"}, 1) > 0;
    const Paths own = {"model.encoder_seq_length", "model.peft.peft_scheme",
                       "model.activations_checkpoint_granularity", "model.data.train_ds"};
    if (!launched && !root.has("trainer") && !root.has_any(own)) {
        return 0;
    }
    return (launched
                ? 20 + points(root,
                              {"trainer.precision", "model.restore_from_path", "model.peft.peft_scheme"}, 5)
                : 0) +
           points(root, {"trainer.devices", "trainer.num_nodes", "model.encoder_seq_length"}, 15) +
           points(root, {"model.peft.peft_scheme", "model.activations_checkpoint_granularity"}, 10) +
           points(root,
                  {"model.tensor_model_parallel_size", "model.micro_batch_size", "model.global_batch_size",
                   "exp_manager"},
                  15);
}

namespace {

/// "qwen3_8b" of "qwen3_8b_pretrain_config"; nothing where the name is no recipe's.
std::string model_of_recipe(std::string_view name) {
    for (const std::string_view end :
         {"_pretrain_config", "_finetune_config", "_sft_config", "_peft_config", "_lora_config"}) {
        if (name.ends_with(end)) {
            return std::string(name.substr(0, name.size() - end.size()));
        }
    }
    return {};
}

/// That of a function that is called.
std::string bridge_recipe(const Setting& root) {
    return model_of_recipe(class_name(root));
}

/// Whether "--recipe" names one.
bool names_recipe(const Setting& root) {
    const Setting* at = root.peek("recipe");
    return at != nullptr && at->is_scalar() && !model_of_recipe(at->text).empty();
}

}  // namespace

namespace {

/// Its first releases called each block "model_config", "train_config" and so on.
std::optional<Setting> with_new_names(const Setting& root) {
    constexpr std::string_view end = "_config";
    if (!root.has("train_config") || !root.has("model_config")) {
        return std::nullopt;
    }
    Setting named = root;
    for (SettingMember& m : named.members) {
        if (m.key.ends_with(end) && m.value.is_map()) {
            m.key.resize(m.key.size() - end.size());
        }
    }
    return named;
}

/// What scripts/performance of Megatron-Bridge is told: its own names, where recipes have a block each.
bool is_performance_script(const Setting& root) {
    return root.has("compute_dtype") &&
           (root.has("num_gpus") || root.has("model_size") || root.has("model_recipe_name"));
}

/// Whether a recipe runs without what the performance scripts set.
bool is_recipe_as_it_stands(const Setting& root) {
    const Setting* overlap = root.peek("comm_overlap");
    const bool overlaps = overlap != nullptr && overlap->is_map();
    return !is_performance_script(root) && !overlaps;
}

}  // namespace

int recognise_megatron_bridge(const Setting& root) {
    if (const auto named = with_new_names(root)) {
        return recognise_megatron_bridge(*named);
    }
    if (root.has("trainer") || root.has("system")) {
        return 0;
    }
    const Setting* model = root.peek("model");
    const bool bridged = model != nullptr && class_path(*model).ends_with("AutoBridge.from_hf_pretrained");
    const Setting* framework = root.peek("framework");  // as AMD's launcher names it
    const bool named = framework != nullptr && framework->text == "megatron_bridge";
    return (bridged ? 30 : 0) + (named ? 40 : 0) + (bridge_recipe(root).empty() ? 0 : 40) +
           points(root,
                  {"train.micro_batch_size", "train.global_batch_size", "model.tensor_model_parallel_size",
                   "train.train_iters", "model.pipeline_model_parallel_size"},
                  20) +
           points(root,
                  {"ddp", "dataset.seq_length", "model.seq_length", "checkpoint", "scheduler", "dataset"},
                  6) +
           (is_performance_script(root) || names_recipe(root) ? 40 : 0);
}

namespace {

void read_model_degrees(const Setting& model, FactSheet& sheet, const std::string& framework,
                        bool whole_file) {
    sheet.whole(Fact::tp, model, {"tensor_model_parallel_size"});
    sheet.whole(Fact::pp, model, {"pipeline_model_parallel_size"});
    sheet.whole(Fact::cp, model, {"context_parallel_size"});
    sheet.whole(Fact::ep, model, {"expert_model_parallel_size"});
    sheet.whole(Fact::vp, model, {"virtual_pipeline_model_parallel_size"});
    sheet.truth(Fact::tp_overlap, model, {"ub_tp_comm_overlap", "tp_comm_overlap"});
    if (const Setting* at = first_of(model, {"sequence_parallel"})) {
        state_sequence_parallel(*at, as_truth(*at).value_or(false), sheet);
    }
    if (whole_file) {
        for (const Fact fact : {Fact::tp, Fact::pp, Fact::cp, Fact::ep, Fact::vp}) {
            sheet.assume(fact, std::int64_t{1}, framework + "'s " + std::string(fact_name(fact)));
        }
    }
}

void read_dimensions(const Setting& model, FactSheet& sheet) {
    ModelDimensions dimensions;
    add_dimension(dimensions, "layers", model, {"num_layers"});
    add_dimension(dimensions, "hidden", model, {"hidden_size"});
    add_dimension(dimensions, "heads", model, {"num_attention_heads"});
    add_dimension(dimensions, "kv_heads", model, {"num_query_groups"});
    add_dimension(dimensions, "ffn", model, {"ffn_hidden_size"});
    add_dimension(dimensions, "experts", model, {"num_moe_experts"});
    add_dimension(dimensions, "experts_per_token", model, {"moe_router_topk"});
    add_dimension(dimensions, "head_dim", model, {"kv_channels"});
    read_tokenizer(model, sheet, {"tokenizer.type"});
    state_dimensions(sheet, dimensions, model, {"num_layers", "hidden_size"});
}

void read_nemo_sharding(const Setting& model, FactSheet& sheet) {
    const Setting* optim = first_of(model, {"optim.name"});
    if (optim != nullptr) {
        sheet.state(Fact::optimizer, optim->text, *optim);
    }
    if (is_on(model, "fsdp")) {
        const Setting* strategy = first_of(model, {"fsdp_sharding_strategy"});
        const std::string word = strategy == nullptr ? "full" : lower(strategy->text);
        sheet.state(Fact::zero, std::int64_t{word == "grad" ? 2 : 3},
                    strategy != nullptr ? *strategy : *model.at("fsdp"));
    } else if (optim != nullptr) {
        const bool shards =
            optim->text == "mcore_distributed_optim" || optim->text == "distributed_fused_adam";
        sheet.state(Fact::zero, std::int64_t{shards ? 1 : 0}, *optim);
    }
}

void read_peft(const Setting& model, FactSheet& sheet) {
    const Setting* scheme = first_of(model, {"peft.peft_scheme"});
    if (scheme == nullptr) {
        return;
    }
    if (lower(scheme->text) == "lora" || lower(scheme->text) == "qlora") {
        sheet.whole(Fact::lora_rank, model, {"peft.lora_tuning.adapter_dim", "peft.lora_tuning.r"});
    } else {
        sheet.remark(*scheme, "'" + scheme->text + "' is not a known adapter");
    }
}

}  // namespace

void read_nemo(const Setting& whole, FactSheet& sheet) {
    const Setting& root = below_training(whole);
    if (&root != &whole) {
        sheet.assumes = false;  // the launcher's own file holds the rest
    }
    static const Setting nothing;
    const Setting* found = root.at("model");
    const Setting& model = found != nullptr ? *found : nothing;
    sheet.whole(Fact::nodes, root, {"trainer.num_nodes"});
    const Setting* devices = first_of(root, {"trainer.devices"});
    if (devices != nullptr && devices->is_list()) {
        sheet.state(Fact::gpus_per_node, static_cast<std::int64_t>(devices->items.size()), *devices);
    } else if (devices != nullptr && as_whole(*devices).value_or(-1) > 0) {
        sheet.whole(Fact::gpus_per_node, root, {"trainer.devices"});
    }
    root.at("trainer.accumulate_grad_batches");
    read_model_degrees(model, sheet, "NeMo", true);
    read_dimensions(model, sheet);
    if (!sheet.has(Fact::model)) {
        sheet.word(Fact::model, model, {"restore_from_path"});
    }
    const Setting* chosen = &root != &whole ? first_of(root, {"$group"}) : nullptr;  // "training=gpt3/5b"
    if (chosen != nullptr && !sheet.has(Fact::model) && chosen->text.find('/') != std::string::npos) {
        sheet.state(Fact::model, chosen->text.substr(chosen->text.starts_with('=') ? 1 : 0), *chosen);
    }
    sheet.whole(Fact::micro_batch, model, {"micro_batch_size"});
    sheet.whole(Fact::global_batch, model, {"global_batch_size"});
    sheet.whole(Fact::sequence, model, {"encoder_seq_length", "data.train_ds.max_seq_length"});
    read_nemo_sharding(model, sheet);
    if (sheet.word(Fact::recompute, model, {"activations_checkpoint_granularity"}) == nullptr) {
        if (const Setting* none = model.at("activations_checkpoint_granularity");
            none != nullptr && says_nothing(*none)) {
            sheet.state(Fact::recompute, "none", *none);
        }
    }
    read_recomputed_parts(model, sheet,
                          {.method = {"activations_checkpoint_method"},
                           .layers = {"activations_checkpoint_num_layers"},
                           .modules = {}});
    sheet.assume(Fact::recompute, "none", "activations_checkpoint_granularity");
    if (is_on(model, "fp8")) {
        sheet.state(Fact::precision, "fp8", *model.at("fp8"));
        read_fp8_scaling(model, sheet, {"fp8_recipe"});
        first_of(root, {"trainer.precision"});
    } else {
        read_precision_word(root, sheet, {"trainer.precision", "model.precision"});
        if (!sheet.has(Fact::precision)) {
            read_16_bit_switches(model, sheet, {"bf16"}, {"fp16"});
        }
    }
    if (const Setting* at = first_of(model, {"use_flash_attention"});
        at != nullptr && as_truth(*at).value_or(false)) {
        sheet.state(Fact::attention, "flash", *at);
    }
    read_peft(model, sheet);
}

namespace {

void read_bridge_optimizer(const Setting& root, FactSheet& sheet) {
    sheet.word(Fact::optimizer, root, {"optimizer.optimizer"});
    // distributed_fused_adam_with_cosine_annealing(...): what it makes is its optimizer and its schedule.
    if (const Setting* made = root.at("optimizer.$class"); made != nullptr && !sheet.has(Fact::optimizer)) {
        for (const std::string_view name : {"muon", "adam", "sgd"}) {
            if (made->text.find(name) != std::string::npos && !sheet.has(Fact::optimizer)) {
                sheet.state(Fact::optimizer, std::string(name), *made);
            }
        }
    }
}

}  // namespace

void read_megatron_bridge(const Setting& root, FactSheet& sheet) {
    if (const auto named = with_new_names(root)) {
        read_megatron_bridge(*named, sheet);
        list_unread(*named, sheet.reading.unread);
        mark_read(root);
        return;
    }
    static const Setting nothing;
    sheet.reading.as_recipe = is_recipe_as_it_stands(root);
    const Setting* found = root.at("model");
    const Setting& model = found != nullptr && found->is_map() ? *found : nothing;
    read_model_degrees(found != nullptr && found->is_map() ? model : root, sheet, "Megatron-Bridge", false);
    if (const std::string recipe = bridge_recipe(root); !recipe.empty()) {
        read_model_degrees(root, sheet, "Megatron-Bridge", false);  // its function takes them, too
        sheet.word(Fact::model, root, {"hf_path"});
        if (!sheet.has(Fact::model)) {
            sheet.state(Fact::model, recipe, *root.at("$class"));
        }
    }
    read_dimensions(model, sheet);
    sheet.word(Fact::model, root,
               {"hf_path", "model_name", "hf_model_name_or_path", "recipe", "model_recipe_name"});
    if (const Setting* degrees = root.at("parallelism"); degrees != nullptr && degrees->is_map()) {
        read_model_degrees(*degrees, sheet, "Megatron-Bridge", false);
    }
    if (class_name(model).ends_with("from_hf_pretrained") && !sheet.has(Fact::model)) {
        const Setting* arguments = model.at("$arguments");
        if (arguments != nullptr && !arguments->items.empty() && arguments->items.front().quoted) {
            sheet.state(Fact::model, arguments->items.front().text, arguments->items.front());
        }
    }
    sheet.whole(Fact::micro_batch, root,
                {"train.micro_batch_size", "training.micro_batch_size", "micro_batch_size"});
    sheet.whole(Fact::global_batch, root,
                {"train.global_batch_size", "training.global_batch_size", "global_batch_size"});
    sheet.whole(Fact::sequence, root,
                {"model.seq_length", "dataset.seq_length", "dataset.sequence_length", "data.seq_length",
                 "seq_length"});
    sheet.whole(Fact::gpus, root, {"num_gpus"});
    sheet.whole(Fact::gpus_per_node, root, {"gpus_per_node"});
    if (const Setting* at =
            first_of(root, {"ddp.use_megatron_fsdp", "dist.use_megatron_fsdp", "use_megatron_fsdp"});
        at != nullptr && as_truth(*at).value_or(false)) {
        read_megatron_fsdp(*at, first_of(root, {"ddp.data_parallel_sharding_strategy"}), sheet);
    } else if (const Setting* sharded =
                   first_of(root, {"ddp.use_distributed_optimizer", "optimizer.use_distributed_optimizer"})) {
        sheet.state(Fact::zero, std::int64_t{as_truth(*sharded).value_or(false) ? 1 : 0}, *sharded);
    }
    const Setting* granularity = model.at("recompute_granularity");
    if (granularity != nullptr && says_nothing(*granularity)) {
        sheet.state(Fact::recompute, "none", *granularity);
    } else {
        sheet.word(Fact::recompute, model, {"recompute_granularity"});
    }
    read_recomputed_parts(model, sheet,
                          {.method = {"recompute_method"},
                           .layers = {"recompute_num_layers"},
                           .modules = {"recompute_modules"}});
    if (const Setting* narrow = first_of(model, {"fp8"}); narrow != nullptr && as_word(*narrow)) {
        sheet.state(Fact::precision, "fp8", *narrow);
        read_fp8_scaling(model, sheet, {"fp8_recipe"});
    }
    const bool called = root.has("mixed_precision.$class");
    read_precision_word(sheet.has(Fact::precision) ? nothing : root, sheet,
                        {"compute_dtype", called ? "mixed_precision.$class" : "mixed_precision"});
    if (!sheet.has(Fact::precision)) {
        read_16_bit_switches(model, sheet, {"bf16"}, {"fp16"});
    }
    if (!sheet.has(Fact::precision)) {
        read_16_bit_switches(root, sheet, {"optimizer.bf16", "precision.bf16"},
                             {"optimizer.fp16", "precision.fp16"});
    }
    read_bridge_optimizer(root, sheet);
    const Setting* optimizer = root.at("optimizer");
    read_kept_aside(model, optimizer != nullptr && optimizer->is_map() ? *optimizer : nothing, sheet);
    sheet.whole(Fact::lora_rank, root, {"peft.dim", "lora.lora_rank"});
    read_adapter_words(root, sheet, {.targets = {"peft.target_modules"}, .dropout = {"peft.dropout"}});
    sheet.word(Fact::attention, model, {"attention_backend"});
}

}  // namespace traincost
