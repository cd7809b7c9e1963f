// verl: Hydra overrides of its trainers for fine-tuning and for reinforcement learning. Of the latter the
// step that trains the actor is read.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_verl(const Setting& root) {
    return named(root, {"verl.trainer.fsdp_sft", "verl.trainer.sft", "verl.trainer.main_ppo"}, 60) +
           points(root, {"actor_rollout_ref.model.path", "model.partial_pretrain"}, 30) +
           points(root,
                  {"data.train_batch_size", "data.micro_batch_size_per_gpu", "data.max_response_length",
                   "actor_rollout_ref.actor.ppo_mini_batch_size", "data.train_files"},
                  10);
}

namespace {

/// Where one of verl's trainers keeps what it trains, and how.
struct Engine {
    const Setting* block = nullptr;  ///< degrees and offloading
    bool megatron = false;
};

void read_degrees(const Engine& engine, FactSheet& sheet) {
    const Setting& block = *engine.block;
    sheet.whole(Fact::tp, block, {"tensor_model_parallel_size"});
    sheet.whole(Fact::pp, block, {"pipeline_model_parallel_size"});
    sheet.whole(Fact::vp, block, {"virtual_pipeline_model_parallel_size"});
    sheet.whole(Fact::cp, block, {"context_parallel_size", "ulysses_sequence_parallel_size"});
    sheet.whole(Fact::ep, block, {"expert_model_parallel_size"});
    sheet.word(Fact::recompute, block, {"override_transformer_config.recompute_granularity"});
    const bool parameters =
        is_on(block, "param_offload") || is_on(block, "cpu_offload") || is_on(block, "offload_params");
    const Setting* by =
        first_of(block, {"param_offload", "cpu_offload", "offload_params", "optimizer_offload"});
    const bool optimizer = is_on(block, "optimizer_offload");
    if (by != nullptr) {
        sheet.state(Fact::offload,
                    parameters && optimizer ? "cpu (parameters, optimizer)"
                    : parameters            ? "cpu (parameters)"
                    : optimizer             ? "cpu (optimizer)"
                                            : "none",
                    *by);
    }
}

void read_sharding(const Setting* strategy, const Engine& engine, FactSheet& sheet) {
    const std::string name = strategy == nullptr ? "" : lower(strategy->text);
    if (engine.megatron) {
        const Setting* sharded =
            engine.block == nullptr ? nullptr : first_of(*engine.block, {"use_distributed_optimizer"});
        if (sharded != nullptr && as_truth(*sharded)) {
            sheet.state(Fact::zero, std::int64_t{*as_truth(*sharded) ? 1 : 0}, *sharded);
        }
        sheet.assume(Fact::zero, std::int64_t{1}, "use_distributed_optimizer");
        for (const Fact fact : {Fact::tp, Fact::pp, Fact::vp, Fact::cp, Fact::ep}) {
            sheet.assume(fact, std::int64_t{1}, "Megatron's " + std::string(fact_name(fact)));
        }
        return;
    }
    if (name == "fsdp" || name == "fsdp2") {
        sheet.state(Fact::zero, std::int64_t{3}, *strategy);
    }
    sheet.assume(Fact::zero, std::int64_t{3}, "strategy");
    assume_data_parallel_only(sheet, "verl's FSDP");
}

void read_micro_batch(const Setting& block, FactSheet& sheet, Paths micro) {
    if (is_on(block, "use_dynamic_bsz")) {
        first_of(block, micro);
        sheet.unknown(Fact::micro_batch, *block.at("use_dynamic_bsz"), "as many samples as fill its tokens");
    } else {
        sheet.whole(Fact::micro_batch, block, micro);
    }
}

void read_actor_adapter(const Setting& model, FactSheet& sheet) {
    if (const Setting* rank = first_of(model, {"lora_rank", "lora.rank"});
        rank != nullptr && as_whole(*rank).value_or(0) > 0) {
        sheet.state(Fact::lora_rank, *as_whole(*rank), *rank);
    }
    read_checkpointing_switch(model, sheet, {"enable_gradient_checkpointing"});
    sheet.assume(Fact::recompute, "full", "enable_gradient_checkpointing");
}

void read_fine_tuning(const Setting& root, const Setting& model, const Setting& data, FactSheet& sheet) {
    sheet.word(Fact::model, model, {"partial_pretrain", "path"});
    sheet.word(Fact::attention, model, {"attn_implementation", "override_config.attn_implementation"});
    sheet.whole(Fact::sequence, data, {"max_length"});
    sheet.whole(Fact::global_batch, data, {"train_batch_size"});
    // Its first releases know the batch of a GPU by the shorter name.
    read_micro_batch(data, sheet, {"micro_batch_size_per_gpu", "micro_batch_size"});
    const Setting* program = root.peek("$program");
    if (program != nullptr && program->text.ends_with("fsdp_sft_trainer") && !data.has("use_dynamic_bsz")) {
        sheet.assume(Fact::sequence, std::int64_t{1024}, "data.max_length");
        sheet.assume(Fact::global_batch, std::int64_t{256}, "data.train_batch_size");
        sheet.assume(Fact::micro_batch, std::int64_t{4}, "data.micro_batch_size_per_gpu");
    }
    sheet.whole(Fact::cp, root, {"ulysses_sequence_parallel_size"});
    Engine engine{.block = first_of(root, {"engine", "model.fsdp_config"}), .megatron = false};
    if (engine.block != nullptr && engine.block->is_scalar()) {
        engine.megatron = engine.block->text == "megatron";
    }
    const Setting* groups = root.peek("engine");  // "engine=megatron engine.tensor_model_parallel_size=2"
    for (const SettingMember& m : root.members) {
        const Setting* group = m.key == "engine" ? m.value.at("$group") : nullptr;
        if (group != nullptr) {
            engine.megatron = engine.megatron || group->text == "megatron";
        }
        if (m.key == "engine" && m.value.is_scalar()) {
            m.value.read = true;
            engine.megatron = engine.megatron || m.value.text == "megatron";
        } else if (m.key == "engine" && m.value.is_map()) {
            groups = &m.value;
        }
    }
    if (groups != nullptr && groups->is_map()) {
        engine.block = groups;
    }
    if (engine.block != nullptr && engine.block->is_map()) {
        read_degrees(engine, sheet);
    }
    read_actor_adapter(model, sheet);
    read_sharding(first_of(root, {"model.strategy", "engine.strategy"}), engine, sheet);
    first_of(root, {"trainer.n_gpus_per_node", "trainer.nnodes"});  // torchrun's numbers hold
}

void read_actor(const Setting& root, const Setting& data, FactSheet& sheet) {
    const Setting& all = *root.at("actor_rollout_ref");
    static const Setting nothing;
    const Setting* found = all.at("actor");
    const Setting& actor = found == nullptr ? nothing : *found;
    if (const Setting* model = all.at("model")) {
        sheet.word(Fact::model, *model, {"path"});
        read_actor_adapter(*model, sheet);
    }
    const Setting* prompt = first_of(data, {"max_prompt_length"});
    const Setting* response = first_of(data, {"max_response_length"});
    if (prompt != nullptr && response != nullptr && as_whole(*prompt) && as_whole(*response)) {
        sheet.derive(Fact::sequence, *as_whole(*prompt) + *as_whole(*response),
                     prompt->where() + " + " + response->name);
    }
    const Setting* prompts = first_of(actor, {"ppo_mini_batch_size"});
    const Setting* each = first_of(all, {"rollout.n"});
    const auto answers = each == nullptr ? std::optional<std::int64_t>(1) : as_whole(*each);
    if (prompts != nullptr && as_whole(*prompts) && answers) {
        sheet.state(Fact::global_batch, times(*as_whole(*prompts), *answers),
                    prompts->where() + (each == nullptr ? "" : " x " + each->name),
                    each == nullptr ? How::stated : How::derived);
    }
    read_micro_batch(actor, sheet, {"ppo_micro_batch_size_per_gpu"});
    sheet.whole(Fact::cp, actor, {"ulysses_sequence_parallel_size"});
    const Setting* strategy = first_of(actor, {"strategy"});
    const bool megatron = (strategy != nullptr && strategy->text == "megatron") || actor.has("megatron");
    const Engine engine{.block = actor.at(megatron ? "megatron" : "fsdp_config"), .megatron = megatron};
    if (engine.block != nullptr) {
        read_degrees(engine, sheet);
    }
    read_sharding(strategy, engine, sheet);
    sheet.whole(Fact::gpus_per_node, root, {"trainer.n_gpus_per_node"});
    sheet.whole(Fact::nodes, root, {"trainer.nnodes"});
    sheet.remark(all, "of the loop only the actor's training step is read: generation is not");
}

}  // namespace

void read_verl(const Setting& root, FactSheet& sheet) {
    static const Setting nothing;
    const Setting* model = root.at("model");
    const Setting* data = root.at("data");
    const Setting& read_data = data == nullptr ? nothing : *data;
    if (root.has("actor_rollout_ref")) {
        read_actor(root, read_data, sheet);
    } else {
        read_fine_tuning(root, model == nullptr ? nothing : *model, read_data, sheet);
    }
    sheet.assume(Fact::precision, "bf16", "the mixed precision of verl's engines");
    sheet.assume(Fact::optimizer, "adamw", "optim");
}

}  // namespace traincost
