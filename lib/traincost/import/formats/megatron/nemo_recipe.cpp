// NeMo 2's recipes in Python, and the command that overrides one.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/adapter_words.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"
#include "traincost/import/settings/python/python_made.hpp"

namespace traincost {

namespace {

/// "llama3_8b" of "llm.llama3_8b.pretrain_recipe"; nothing where a call is no recipe.
std::string recipe_of(const Setting& root) {
    const std::string_view text = class_path(root);
    const std::size_t end = text.rfind('.');
    if (end == std::string::npos || !text.ends_with("_recipe")) {
        return {};
    }
    return last_part(text.substr(0, end));
}

const Setting* nemo_command(const Setting& root) {
    const Setting* program = root.peek("$program");
    return program != nullptr && program->text.starts_with("nemo llm") ? program : nullptr;
}

/// The class that run.Config configures, or that is made.
const Setting* configured(const Setting& root, std::string_view path) {
    const Setting* at = root.at(path);
    if (at == nullptr || !at->is_map()) {
        return nullptr;
    }
    const Setting* arguments = at->at("$arguments");
    return arguments != nullptr && !arguments->items.empty() && arguments->items.front().is_scalar()
               ? &arguments->items.front()
               : at->at("$class");
}

/// The dimensions of a configuration that is made in place: below "config", or the model's first argument.
void read_made_model(const Setting& root, FactSheet& sheet) {
    const Setting* config = root.peek("model.config");
    const Setting* arguments = root.peek("model.$arguments");
    if (config == nullptr && arguments != nullptr && !arguments->items.empty()) {
        config = &arguments->items.front();
    }
    const bool changed = config != nullptr && config->has_any({"num_layers", "hidden_size"});
    if (config == nullptr || !config->is_map() || (class_name(*config).empty() && !changed)) {
        return;
    }
    ModelDimensions dimensions;
    add_dimension(dimensions, "layers", *config, {"num_layers"});
    add_dimension(dimensions, "hidden", *config, {"hidden_size"});
    add_dimension(dimensions, "heads", *config, {"num_attention_heads"});
    add_dimension(dimensions, "kv_heads", *config, {"num_query_groups"});
    add_dimension(dimensions, "ffn", *config, {"ffn_hidden_size"});
    state_dimensions(sheet, dimensions, *config, {"num_layers", "hidden_size"});
    if (!sheet.has(Fact::model) && !class_name(*config).empty() && class_name(*config) != "Config") {
        sheet.state(Fact::model, std::string(class_name(*config)), *config->at("$class"));
    }
}

void read_recipe_model(const Setting& root, FactSheet& sheet) {
    if (sheet.word(Fact::model, root, {"factory"}) != nullptr) {
        return;
    }
    read_made_model(root, sheet);
    if (sheet.has(Fact::model)) {
        return;
    }
    if (const std::string recipe = recipe_of(root); !recipe.empty()) {
        sheet.state(Fact::model, recipe, *root.at("$class"));
    } else if (const Setting* config = configured(root, "model.config")) {
        sheet.state(Fact::model, last_part(config->text), *config);
    } else if (const Setting* model = configured(root, "model")) {
        sheet.remark(*model, "a model that is made elsewhere");
    }
}

/// The optimizer's settings: below the recipe's optimizer, or an object of their own.
const Setting* optimizer_of(const Setting& root) {
    if (const Setting* config = root.at("optim.config"); config != nullptr && config->is_map()) {
        return config;
    }
    for (const SettingMember& m : root.members) {
        if (class_name(m.value) == "OptimizerConfig") {
            return &m.value;
        }
    }
    return nullptr;
}

void read_recipe_sharding(const Setting& root, FactSheet& sheet) {
    const Setting* sharded = first_of(root, {"trainer.strategy.ddp.use_distributed_optimizer"});
    if (const Setting* optimizer = optimizer_of(root); optimizer != nullptr) {
        sharded = sharded != nullptr ? sharded : first_of(*optimizer, {"use_distributed_optimizer"});
        sheet.word(Fact::optimizer, *optimizer, {"optimizer"});
    }
    if (sharded != nullptr && as_truth(*sharded)) {
        sheet.state(Fact::zero, std::int64_t{*as_truth(*sharded) ? 1 : 0}, *sharded);
    }
    if (const Setting* fsdp = first_of(root, {"trainer.strategy.fsdp"}); fsdp != nullptr) {
        sheet.state(Fact::zero, std::int64_t{3}, *fsdp);
    }
}

}  // namespace

int recognise_nemo_recipe(const Setting& root) {
    return points(root,
                  {"trainer.strategy.tensor_model_parallel_size",
                   "trainer.strategy.pipeline_model_parallel_size"},
                  30) +
           points(root, {"data.global_batch_size", "data.micro_batch_size", "trainer.num_nodes"}, 10) +
           (recipe_of(root).empty() ? 0 : 40) + (nemo_command(root) != nullptr ? 60 : 0);
}

void read_nemo_recipe(const Setting& root, FactSheet& sheet) {
    sheet.assumes = false;  // what is not said, the recipe or its class decides
    read_recipe_model(root, sheet);
    sheet.whole(Fact::nodes, root, {"trainer.num_nodes", "num_nodes"});
    sheet.whole(Fact::gpus_per_node, root,
                {"trainer.devices", "num_gpus_per_node", "trainer.num_gpus_per_node"});
    const std::string strategy = "trainer.strategy.";
    // The recipe's function takes some of them, too, and so does the one that makes its trainer.
    const auto degree = [&](Fact fact, std::string_view of_strategy, std::string_view of_function) {
        const std::string in_strategy = strategy + std::string(of_strategy);
        const std::string in_trainer = "trainer." + std::string(of_function);
        sheet.whole(fact, root, {in_strategy, of_function, in_trainer});
    };
    degree(Fact::tp, "tensor_model_parallel_size", "tensor_parallelism");
    degree(Fact::pp, "pipeline_model_parallel_size", "pipeline_parallelism");
    degree(Fact::cp, "context_parallel_size", "context_parallelism");
    degree(Fact::ep, "expert_model_parallel_size", "expert_parallelism");
    degree(Fact::vp, "virtual_pipeline_model_parallel_size", "virtual_pipeline_parallelism");
    if (const Setting* at = first_of(
            root, {strategy + "sequence_parallel", "sequence_parallelism", "trainer.sequence_parallelism"});
        at != nullptr && as_truth(*at)) {
        state_sequence_parallel(*at, *as_truth(*at), sheet);
    }
    sheet.truth(Fact::tp_overlap, root, {"comm_overlap.tp_comm_overlap", "tp_comm_overlap"});
    sheet.whole(Fact::micro_batch, root, {"data.micro_batch_size", "micro_batch_size"});
    sheet.whole(Fact::global_batch, root, {"data.global_batch_size", "global_batch_size"});
    sheet.whole(Fact::sequence, root, {"data.seq_length", "model.config.seq_length"});
    for (const SettingMember& m : root.members) {
        if (class_name(m.value).ends_with("Config") && m.value.has("num_layers") &&
            !sheet.has(Fact::sequence)) {
            sheet.whole(Fact::sequence, m.value, {"seq_length"});  // of the model that it makes
        }
    }
    const Setting* trainer = root.peek("trainer");
    if (trainer != nullptr && class_name(*trainer) == "Trainer" && sheet.has(Fact::gpus_per_node) &&
        !trainer->has("num_nodes") && !root.has("factory")) {
        sheet.assume_as(
            Fact::nodes,
            {.value = std::int64_t{1}, .where = "default of trainer.num_nodes", .how = How::by_default});
    }
    sheet.word(Fact::recompute, root, {"model.config.recompute_granularity"});
    for (const std::string_view path : {"model.config.fp8", "trainer.plugins.fp8"}) {
        const Setting* at = root.at(path);
        if (at != nullptr && !sheet.has(Fact::precision) && as_word(*at) && as_truth(*at) != false) {
            sheet.state(Fact::precision, "fp8", *at);
            read_fp8_scaling(root, sheet, {"model.config.fp8_recipe", "trainer.plugins.fp8_recipe"});
        }
    }
    for (const std::string_view path : {"trainer.plugins.precision", "trainer.precision"}) {
        if (root.has(path) && !sheet.has(Fact::precision)) {
            read_precision_word(root, sheet, {path});
            break;
        }
    }
    if (const Setting* plugin = configured(root, "trainer.plugins");
        plugin != nullptr && !sheet.has(Fact::precision)) {
        if (const auto word = precision_word(plugin->text)) {
            sheet.state(Fact::precision, *word, *plugin);
        }
    }
    sheet.whole(Fact::lora_rank, root, {"peft.dim"});
    read_adapter_words(root, sheet, {.targets = {"peft.target_modules"}, .dropout = {"peft.dropout"}});
    read_recipe_sharding(root, sheet);
}

}  // namespace traincost
