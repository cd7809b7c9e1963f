#include "traincost/spec/draft/job_draft.hpp"

#include "traincost/spec/draft/everyday_names.hpp"
#include "traincost/spec/draft/job_fields.hpp"

namespace traincost {

namespace {

/// Takes out of `base` what `over` says in another form, or makes stale.
void drop_superseded(JobDraft& base, const JobDraft& over) {
    if (over.model || over.model_spec) {
        base.model.reset();
        base.model_spec.reset();
    }
    if (over.gpu || over.accelerator_spec) {
        base.gpu.reset();
        base.accelerator_spec.reset();
        base.cluster.reset();
    }
    if (over.gpu || over.accelerator_spec || over.cluster) {
        for (Stated<double>* figure :
             {&base.bus_GBps, &base.network_Gbps, &base.bus_latency_us, &base.network_latency_us})
            figure->reset();         // of another network
        base.power_limit_w.reset();  // of another node
        base.price_of_other_nodes.reset();
    }
    if (over.stack || over.stack_spec) {
        base.stack.reset();
        base.stack_spec.reset();
        if (stated_zero(over))
            base.zero.reset();
    }
    if (over.global_batch || over.accumulation) {
        base.global_batch.reset();
        base.accumulation.reset();
    }
    if (over.sequence)
        base.sequence_as_given.reset();
    if (over.compile || over.compiled_parts) {
        base.compile.reset();
        base.compiled_parts.reset();
    }
    if (over.loss)
        base.loss_chunks.reset();
    if (over.reshard)
        base.kept_blocks.reset();
    if (over.precision || over.recipe) {
        base.precision.reset();
        base.recipe.reset();
    }
    if (over.gpus || over.tp || over.pp || over.cp)
        base.dp.reset();
    if ((over.lora_rank || over.lora_targets) && base.tuning.value == Tuning::full)
        base.tuning.reset();
    if (over.failure_rate || over.between_failures) {
        base.failure_rate.reset();
        base.between_failures.reset();
    }
    if (over.price || over.gpu_hour) {
        base.price.reset();
        base.gpu_hour.reset();
    }
    if (over.grid || over.grid_grams_per_kwh) {
        base.grid.reset();
        base.grid_grams_per_kwh.reset();
    }
}

/// Copies what was said over what nobody said.
template <class T, class U>
void take(const Stated<T>& said, U& field) {
    if (said)
        field = *said;
}

void apply_recompute(const RecomputeChoice& choice, RunSpec& run) {
    run.recompute = choice.kind;
    run.recompute_every = choice.every;
    run.recompute_modules = choice.modules;
    run.recompute_layers = choice.layers;
}

void apply_kernels(const JobDraft& draft, RunSpec& run) {
    take(draft.compile, run.compile);
    take(draft.compiled_parts, run.compiled_parts);
    take(draft.loss, run.loss);
    take(draft.loss_chunks, run.loss_chunks);
    take(draft.optimizer_kernel, run.optimizer_kernel);
    take(draft.fp8_scaling, run.fp8_scaling);
    take(draft.mlp_tiles, run.mlp_tiles);
    take(draft.expandable_segments, run.expandable_segments);
    take(draft.reduce, run.precision.reduce);
}

void apply_adapter(const JobDraft& draft, RunSpec& run) {
    if ((draft.lora_rank || draft.lora_targets) && !draft.tuning && run.tuning == Tuning::full)
        run.tuning = Tuning::lora;
    take(draft.tuning, run.tuning);
    AdapterSpec& adapter = run.adapter;
    take(draft.lora_rank, adapter.rank);
    take(draft.adapter_dropout, adapter.dropout);
    take(draft.adapter_scale_and_bias, adapter.scale_and_bias);
    if (draft.lora_targets) {
        adapter.query = draft.lora_targets->query;
        adapter.key = draft.lora_targets->key;
        adapter.value = draft.lora_targets->value;
        adapter.attention_out = draft.lora_targets->attention_out;
        adapter.mlp = draft.lora_targets->mlp;
        adapter.lm_head = draft.lora_targets->lm_head;
    }
}

void apply_layout(const JobDraft& draft, RunSpec& run) {
    Parallelism& p = run.parallel;
    take(draft.tp, p.tp);
    take(draft.pp, p.pp);
    take(draft.vp, p.vp);
    take(draft.dp, p.dp);
    take(draft.cp, p.cp);
    take(draft.ep, p.ep);
    take(draft.etp, p.etp);
    if (const std::optional<std::int64_t> zero = stated_zero(draft))
        p.zero = *zero;
    take(draft.hybrid_shard, p.hybrid_shard);
    take(draft.reshard, run.reshard);
    take(draft.kept_blocks, run.kept_blocks);
    take(draft.sequence_parallel, p.sequence_parallel);
    take(draft.tp_overlap, p.tp_overlap);
    take(draft.uneven_stages, run.uneven_stages);
    take(draft.schedule, run.schedule);
    take(draft.context, run.context);
}

}  // namespace

JobDraft overlaid(JobDraft base, const JobDraft& over) {
    drop_superseded(base, over);
    for (const JobField& field : job_fields())
        field.copy(base, over);
    const auto copy = [](auto& to, const auto& from) {
        if (from)
            to = from;
    };
    copy(base.model_spec, over.model_spec);
    copy(base.accelerator_spec, over.accelerator_spec);
    copy(base.stack_spec, over.stack_spec);
    copy(base.recipe, over.recipe);
    copy(base.sequence_as_given, over.sequence_as_given);
    return base;
}

std::optional<std::int64_t> stated_zero(const JobDraft& draft) {
    return draft.zero || !draft.stack ? draft.zero.value : zero_meant_by(*draft.stack);
}

void apply(const JobDraft& draft, RunSpec& run) {
    take(draft.sequence, run.sequence);
    take(draft.micro_batch, run.micro_batch);
    take(draft.global_batch, run.global_batch);
    take(draft.packed_length, run.packed_length);
    take(draft.padded_length, run.padded_length);
    take(draft.tokens, run.tokens);
    if (draft.recipe) {
        run.precision_name = draft.recipe->name;
        run.precision = draft.recipe->precision;
    }
    take(draft.optimizer, run.optimizer);
    if (draft.recompute)
        apply_recompute(*draft.recompute, run);
    take(draft.attention, run.attention);
    take(draft.attention_generation, run.attention_generation);
    apply_kernels(draft, run);
    take(draft.dropout, run.dropout);
    take(draft.optimizer_in_backward, run.optimizer_in_backward);
    take(draft.activation_input_fp8, run.activation_input_fp8);
    take(draft.expert_imbalance, run.expert_imbalance);
    take(draft.neighbouring_experts, run.neighbouring_experts);
    take(draft.expert_one_hot, run.expert_one_hot);
    take(draft.host_speed, run.host_speed);
    take(draft.offload_optimizer, run.offload_optimizer);
    take(draft.offload_parameters, run.offload_parameters);
    take(draft.offload_activations, run.offload_activations);
    take(draft.headroom, run.headroom);
    take(draft.frozen_layers, run.frozen_layers);
    apply_adapter(draft, run);
    apply_layout(draft, run);
}

Operation operation_of(const JobDraft& draft) {
    return {.failure_rate = draft.failure_rate.value,
            .between_failures = draft.between_failures.value,
            .storage = draft.storage.value,
            .restart = draft.restart.value,
            .price = draft.price.value,
            .gpu_hour = draft.gpu_hour.value,
            .whole_nodes = draft.whole_nodes.value,
            .gpu_purchase = draft.gpu_purchase.value,
            .kwh = draft.kwh.value,
            .life = draft.life.value,
            .utilization = draft.utilization.value,
            .power_share = draft.power_share.value,
            .pue = draft.pue.value,
            .grid = draft.grid.value,
            .grid_grams_per_kwh = draft.grid_grams_per_kwh.value,
            .price_of_other_nodes = draft.price_of_other_nodes.value,
            .bus_GBps = draft.bus_GBps.value,
            .network_Gbps = draft.network_Gbps.value,
            .bus_latency_us = draft.bus_latency_us.value,
            .network_latency_us = draft.network_latency_us.value,
            .power_limit_w = draft.power_limit_w.value};
}

}  // namespace traincost
