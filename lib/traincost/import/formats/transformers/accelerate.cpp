// Accelerate's YAML, and the flags of `accelerate launch`, which have the same names.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

namespace {

/// How a trainer shards, in a file of its own: its words beside the block that they go with.
bool shards_alone(const Setting& root) {
    const Setting* words = root.peek("fsdp");
    const Setting* block = root.peek("fsdp_config");
    return words != nullptr && !words->is_map() && block != nullptr && block->is_map();
}

}  // namespace

int recognise_accelerate(const Setting& root) {
    const Setting* program = root.peek("$program");
    const bool launches = program != nullptr && program->text == "accelerate launch";
    if (program != nullptr && !launches) {
        return 0;  // a trainer's arguments of these names
    }
    return (launches ? 100 : 0) + points(root, {"compute_environment", "distributed_type"}, 40) +
           points(root, {"num_processes", "num_machines", "machine_rank", "main_training_function"}, 15) +
           points(root, {"fsdp_config", "deepspeed_config", "mixed_precision", "rdzv_backend"}, 10) +
           (shards_alone(root) ? 30 : 0);
}

namespace {

void read_deepspeed_part(const Setting& part, FactSheet& sheet) {
    if (const Setting* file = first_of(part, {"deepspeed_config_file"})) {
        refer_to_file(*file, sheet);
    }
    sheet.whole(Fact::zero, part, {"zero_stage"}, 0);
    const Setting* optimizer = part.at("offload_optimizer_device");
    const Setting* parameters = part.at("offload_param_device");
    const auto is_moved = [](const Setting* s) { return s != nullptr && as_word(*s).has_value(); };
    const auto says_none = [](const Setting* s) { return s != nullptr && lower(s->text) == "none"; };
    if (is_moved(optimizer)) {
        sheet.state(Fact::offload,
                    optimizer->text + (is_moved(parameters) ? " (optimizer, parameters)" : " (optimizer)"),
                    *optimizer);
    } else if (is_moved(parameters)) {
        sheet.state(Fact::offload, parameters->text + " (parameters)", *parameters);
    } else if (says_none(optimizer) || says_none(parameters)) {
        sheet.state(Fact::offload, "none", says_none(optimizer) ? *optimizer : *parameters);
    }
    const Setting* accumulation = first_of(part, {"gradient_accumulation_steps"});
    if (accumulation != nullptr && lower(accumulation->text) != "auto") {
        sheet.whole(Fact::accumulation, part, {"gradient_accumulation_steps"});
    }
}

void read_megatron_part(const Setting& part, FactSheet& sheet) {
    sheet.whole(Fact::tp, part, {"megatron_lm_tp_degree"});
    sheet.whole(Fact::pp, part, {"megatron_lm_pp_degree"});
    sheet.truth(Fact::sequence_parallel, part, {"megatron_lm_sequence_parallelism"});
    if (const Setting* at = first_of(part, {"megatron_lm_recompute_activations"})) {
        sheet.state(Fact::recompute, as_truth(*at).value_or(false) ? "selective" : "none", *at);
    }
    if (const Setting* at = first_of(part, {"megatron_lm_use_distributed_optimizer"})) {
        sheet.state(Fact::zero, std::int64_t{as_truth(*at).value_or(false) ? 1 : 0}, *at);
    }
}

// Weights are sharded over dp_shard and cp; dp counts shards and replicas.
void read_meshes(const Setting& root, FactSheet& sheet) {
    const Setting* mesh = root.at("parallelism_config");
    const Setting& at = mesh != nullptr && mesh->is_map() ? *mesh : root;
    sheet.whole(Fact::tp, at, {"parallelism_config_tp_size", "tp_size"});
    sheet.whole(Fact::cp, at, {"parallelism_config_cp_size", "cp_size", "parallelism_config_sp_size"});
    const Setting* shard = first_of(at, {"parallelism_config_dp_shard_size", "dp_shard_size"});
    const Setting* replicate = first_of(at, {"parallelism_config_dp_replicate_size", "dp_replicate_size"});
    if (shard != nullptr || replicate != nullptr) {
        const auto size = [](const Setting* s) { return s == nullptr ? 1 : as_whole(*s).value_or(0); };
        if (size(shard) > 0 && size(replicate) > 0) {
            sheet.state(Fact::dp, size(shard) * size(replicate), shard != nullptr ? *shard : *replicate);
        }
    }
}

}  // namespace

void read_accelerate(const Setting& root, FactSheet& sheet) {
    root.at("$program");
    if (shards_alone(root)) {
        read_fsdp_block(*root.at("fsdp_config"), sheet);
        if (!sheet.has(Fact::zero)) {
            read_fsdp_words(root.at("fsdp"), sheet);
        }
        mark_read(*root.at("fsdp"));
        return;
    }
    if (const Setting* file = first_of(root, {"config_file"})) {
        refer_to_file(*file, sheet);
    }
    sheet.whole(Fact::gpus, root, {"num_processes"});
    sheet.whole(Fact::nodes, root, {"num_machines"});
    const Setting* kind = first_of(root, {"distributed_type"});
    const std::string type = kind == nullptr ? std::string() : lower(kind->text);
    const Setting* fsdp = root.at("fsdp_config");
    if (type == "fsdp" || is_on(root, "use_fsdp")) {
        read_fsdp_block(fsdp != nullptr && fsdp->is_map() ? *fsdp : root, sheet);
        if (!sheet.has(Fact::zero) && !root.has("fsdp_config.fsdp_sharding_strategy")) {
            sheet.assume(Fact::zero, std::int64_t{3}, "fsdp_sharding_strategy");
        }
    } else if (type == "deepspeed" || is_on(root, "use_deepspeed")) {
        const Setting* part = root.at("deepspeed_config");
        read_deepspeed_part(part != nullptr && part->is_map() ? *part : root, sheet);
        // DeepSpeed's own keys may stand beside Accelerate's, or among them.
        if (part != nullptr && part->is_map()) {
            read_deepspeed_statements(*part, sheet);
        }
        read_deepspeed_statements(root, sheet);
    } else if (type == "megatron_lm") {
        const Setting* part = root.at("megatron_lm_config");
        read_megatron_part(part != nullptr ? *part : root, sheet);
    } else if (type == "multi_gpu" || type == "no") {
        sheet.state(Fact::zero, std::int64_t{0}, *kind);
    }
    read_meshes(root, sheet);
    sheet.word(Fact::attention, root, {"parallelism_config.parallelism_config_cp_attn_implementation"});
    read_precision_word(root, sheet, {"mixed_precision"});
    sheet.whole(Fact::accumulation, root, {"gradient_accumulation_steps"});
    if (const Setting* at = first_of(root, {"dynamo_config.dynamo_backend", "dynamo_backend"})) {
        sheet.state(Fact::compile, lower(at->text) != "no", *at);
    }
    if (type != "megatron_lm") {
        for (const Fact fact : {Fact::tp, Fact::pp, Fact::cp}) {
            sheet.assume(fact, std::int64_t{1}, "parallelism_config in Accelerate");
        }
    }
}

}  // namespace traincost
