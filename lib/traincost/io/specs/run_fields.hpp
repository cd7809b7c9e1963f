// The fields of RunSpec in JSON. Internal to io/.
#pragma once

#include "traincost/io/specs/fields.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

template <class Io, io::Is<RecomputeModules> T>
void describe(Io& io, T& x) {
    io.optional("core_attention", x.core_attention);
    io.optional("norm", x.norm);
    io.optional("activation", x.activation);
    io.optional("mlp", x.mlp);
    io.optional("moe", x.moe);
    io.optional("mla_up", x.mla_up);
    io.optional("per_op", x.per_op);
    io.optional("all_but_attention", x.all_but_attention);
}

template <class Io, io::Is<CompiledParts> T>
void describe(Io& io, T& x) {
    io.optional("attention", x.attention);
    io.optional("mlp", x.mlp);
    io.optional("norms", x.norms);
    io.optional("loss", x.loss);
}

template <class Io, io::Is<AdapterSpec> T>
void describe(Io& io, T& x) {
    io.optional("rank", x.rank);
    io.optional("query", x.query);
    io.optional("key", x.key);
    io.optional("value", x.value);
    io.optional("attention_out", x.attention_out);
    io.optional("mlp", x.mlp);
    io.optional("lm_head", x.lm_head);
    io.optional("dropout", x.dropout);
    io.optional("scale_and_bias", x.scale_and_bias);
}

template <class Io, io::Is<Parallelism> T>
void describe(Io& io, T& x) {
    io.optional("tp", x.tp);
    io.optional("pp", x.pp);
    io.optional("vp", x.vp);
    io.optional("dp", x.dp);
    io.optional("cp", x.cp);
    io.optional("ep", x.ep);
    io.optional("etp", x.etp);
    io.optional("zero", x.zero);
    io.optional("hybrid_shard", x.hybrid_shard);
    io.optional("sequence_parallel", x.sequence_parallel);
    io.optional("tp_overlap", x.tp_overlap);
}

/// The parts of a precision recipe.
template <class Io, io::Is<Precision> T>
void describe(Io& io, T& x) {
    io.optional("weights", x.weights);
    io.optional("gradients", x.gradients);
    io.optional("master", x.master);
    io.optional("moments", x.moments);
    io.optional("compute", x.compute);
    io.optional("gemm", x.gemm);
    io.optional("reduce", x.reduce);
    io.optional("autocast", x.autocast);
    io.optional("base", x.base);
}

/// All of a run but its precision.
template <class Io, io::Is<RunSpec> T>
void describe(Io& io, T& x) {
    io.required("sequence", x.sequence);
    io.required("micro_batch", x.micro_batch);
    io.required("global_batch", x.global_batch);
    io.optional("parallel", x.parallel);
    io.optional("optimizer", x.optimizer);
    io.optional("recompute", x.recompute);
    io.optional("recompute_modules", x.recompute_modules);
    io.optional("recompute_every", x.recompute_every);
    io.optional("recompute_layers", x.recompute_layers);
    io.optional("attention", x.attention);
    io.optional("attention_generation", x.attention_generation);
    io.optional("schedule", x.schedule);
    io.optional("context", x.context);
    io.optional("packed_length", x.packed_length);
    io.optional("padded_length", x.padded_length);
    io.optional("tuning", x.tuning);
    io.optional("adapter", x.adapter);
    io.optional("frozen_layers", x.frozen_layers);
    io.optional("optimizer_in_backward", x.optimizer_in_backward);
    io.optional("offload_optimizer", x.offload_optimizer);
    io.optional("offload_parameters", x.offload_parameters);
    io.optional("offload_activations", x.offload_activations);
    io.optional("compile", x.compile);
    io.optional("compiled_parts", x.compiled_parts);
    io.optional("loss", x.loss);
    io.optional("loss_chunks", x.loss_chunks);
    io.optional("optimizer_kernel", x.optimizer_kernel);
    io.optional("fp8_scaling", x.fp8_scaling);
    io.optional("reshard", x.reshard);
    io.optional("kept_blocks", x.kept_blocks);
    io.optional("mlp_tiles", x.mlp_tiles);
    io.optional("expandable_segments", x.expandable_segments);
    io.optional("dropout", x.dropout);
    io.optional("uneven_stages", x.uneven_stages);
    io.optional("activation_input_fp8", x.activation_input_fp8);
    io.optional("expert_imbalance", x.expert_imbalance);
    io.optional("neighbouring_experts", x.neighbouring_experts);
    io.optional("expert_one_hot", x.expert_one_hot);
    io.optional("host_speed", x.host_speed);
    io.optional("tokens", x.tokens);
    io.optional("headroom", x.headroom);
}

}  // namespace traincost
