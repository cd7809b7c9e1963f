// The fields of StackSpec in JSON: one line each, for reading, showing and writing. A new choice is one line
// here; a stack that says nothing of it has the member's default. Internal to io/.
#pragma once

#include "traincost/io/specs/provenance_fields.hpp"
#include "traincost/io/specs/run_fields.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

template <class Io, io::Is<StackLayer> T>
void describe(Io& io, T& x) {
    io.optional("norm", x.norm);
    io.optional("composite_head_norms", x.composite_head_norms);
    io.optional("narrow_stream", x.narrow_stream);
    io.optional("rotary", x.rotary);
    io.optional("activation", x.activation);
    io.optional("written_out_gelu", x.written_out_gelu);
    io.optional("inplace_backward", x.inplace_backward);
    io.optional("fused_qkv", x.fused_qkv);
    io.optional("fused_gate_up", x.fused_gate_up);
    io.optional("bias", x.bias);
    io.optional("bias_dropout_fused", x.bias_dropout_fused);
    io.optional("dropout", x.dropout);
    io.optional("compile", x.compile);
    io.optional("pads_gradients", x.pads_gradients);
    io.optional("tensor_parallel", x.tensor_parallel);
    io.optional("sequence_parallel", x.sequence_parallel);
    io.optional("copies_parallel_inputs", x.copies_parallel_inputs);
    io.optional("save_sharded_input", x.save_sharded_input);
    io.optional("selective", x.selective);
    io.optional("recompute_stops_early", x.recompute_stops_early);
    io.optional("extra_saved_hidden", x.extra_saved_hidden);
    io.optional("adapter_fused", x.adapter_fused);
}

template <class Io, io::Is<StackAttention> T>
void describe(Io& io, T& x) {
    io.optional("kernel", x.kernel);
    io.optional("generation", x.generation);
    io.optional("softmax_fused", x.softmax_fused);
    io.optional("written_out_forward_bytes", x.written_out_forward_bytes);
    io.optional("written_out_backward_bytes", x.written_out_backward_bytes);
    io.optional("narrow_softmax_forward_bytes", x.narrow_softmax_forward_bytes);
    io.optional("narrow_softmax_backward_bytes", x.narrow_softmax_backward_bytes);
    io.optional("window_masks", x.window_masks);
    io.optional("padding_masks", x.padding_masks);
    io.optional("repeats_kv", x.repeats_kv);
    io.optional("copies_layout", x.copies_layout);
    io.optional("compiled_mask", x.compiled_mask);
    io.optional("ring_merge_bytes", x.ring_merge_bytes);
    io.optional("compiled_ring_merge_bytes", x.compiled_ring_merge_bytes);
    io.optional("compiled_ring_waits", x.compiled_ring_waits);
    io.optional("ring_launches", x.ring_launches);
    io.optional("ring_gathers", x.ring_gathers);
    io.optional("ring_sends_gradients", x.ring_sends_gradients);
    io.optional("returns_caches", x.returns_caches);
}

template <class Io, io::Is<StackNarrow> T>
void describe(Io& io, T& x) {
    io.optional("head", x.head);
    io.optional("input", x.input);
    io.optional("quantise_bytes", x.quantise_bytes);
    io.optional("eager_quantise_bytes", x.eager_quantise_bytes);
    io.optional("fine_quantise_bytes", x.fine_quantise_bytes);
    io.optional("quantises_weights", x.quantises_weights);
    io.optional("quantised_head", x.quantised_head);
    io.optional("quantised_keeps_inputs", x.quantised_keeps_inputs);
}

template <class Io, io::Is<StackHead> T>
void describe(Io& io, T& x) {
    io.optional("loss", x.loss);
    io.optional("loss_chunks", x.loss_chunks);
    io.optional("compiled_loss", x.compiled_loss);
    io.optional("logits", x.logits);
    io.optional("loss_inside", x.loss_inside);
    io.optional("vocab_parallel", x.vocab_parallel);
    io.optional("vocab_multiple", x.vocab_multiple);
    io.optional("metric_losses", x.metric_losses);
    io.optional("logits_copies_fp32", x.logits_copies_fp32);
    io.optional("holds_outputs", x.holds_outputs);
}

template <class Io, io::Is<StackExperts> T>
void describe(Io& io, T& x) {
    io.optional("token_dispatch", x.token_dispatch);
    io.optional("dispatch_permutes", x.dispatch_permutes);
    io.optional("launch_s", x.launch);
    io.optional("clamped_glu_passes", x.clamped_glu_passes);
    io.optional("walks", x.walks);
    io.optional("row_passes_forward", x.row_passes_forward);
    io.optional("row_passes_backward", x.row_passes_backward);
    io.optional("compiles_rows", x.compiles_rows);
    io.optional("row_copies_kept", x.row_copies_kept);
    io.optional("exchanges_kept", x.exchanges_kept);
    io.optional("overlap", x.overlap);
}

template <class Io, io::Is<StackStates> T>
void describe(Io& io, T& x) {
    io.optional("amp", x.amp);
    io.optional("sharded_autocast", x.sharded_autocast);
    io.optional("gradients", x.gradients);
    io.optional("reduce", x.reduce);
    io.optional("model_gradients_kept", x.model_gradients_kept);
    io.optional("recompute_keeps_gradients", x.recompute_keeps_gradients);
    io.optional("frozen_in_flat_parameters", x.frozen_in_flat_parameters);
    io.optional("shard", x.shard);
    io.optional("root_sharded_apart", x.root_sharded_apart);
    io.optional("prefetched_blocks", x.prefetched_blocks);
    io.optional("pipeline_keeps_gathered", x.pipeline_keeps_gathered);
    io.optional("bf16_shards_states", x.bf16_shards_states);
    io.optional("gathers_stored", x.gathers_stored);
    io.optional("graph_keeps_weights", x.graph_keeps_weights);
    io.optional("optimizer", x.optimizer);
    io.optional("gradient_passes", x.gradient_passes);
    io.optional("optimizer_temporary_copies", x.optimizer_temporary_copies);
    io.optional("flat_optimizer", x.flat_optimizer);
    io.optional("flat_gradient_copies", x.flat_gradient_copies);
}

template <class Io, io::Is<StackTraffic> T>
void describe(Io& io, T& x) {
    io.optional("gradient_bucket_bytes", x.gradient_bucket);
    io.optional("gradient_bucket_view", x.gradient_bucket_view);
    io.optional("bucket_copies", x.bucket_copies);
    io.optional("buckets_kept", x.buckets_kept);
    io.optional("overlap_grad_reduce", x.overlap_grad_reduce);
    io.optional("overlap_param_gather", x.overlap_param_gather);
    io.optional("overlap_slowdown", x.overlap_slowdown);
    io.optional("waiting_slowdown", x.waiting_slowdown);
    io.optional("tp_overlap", x.tp_overlap);
    io.optional("tp_overlap_asked", x.tp_overlap_asked);
    io.optional("reduce_every_micro_batch", x.reduce_every_micro_batch);
    io.optional("replicas_reduce_every_micro_batch", x.replicas_reduce_every_micro_batch);
    io.optional("reduces_to_owner", x.reduces_to_owner);
    io.optional("broadcasts_updates", x.broadcasts_updates);
    io.optional("sharded_messages", x.sharded_messages);
}

template <class Io, io::Is<StackPipeline> T>
void describe(Io& io, T& x) {
    io.optional("schedule", x.schedule);
    io.optional("ends_count_as_blocks", x.ends_count_as_blocks);
    io.optional("balanced_stages", x.balanced_stages);
    io.optional("keeps_outputs", x.keeps_outputs);
    io.optional("receive_buffers_per_micro_batch", x.receive_buffers_per_micro_batch);
    io.optional("overlap_p2p", x.overlap_p2p);
    io.optional("sharded_sends", x.sharded_sends);
}

template <class Io, io::Is<StackHost> T>
void describe(Io& io, T& x) {
    io.optional("per_step_s", x.per_step);
    io.optional("per_kernel_s", x.per_kernel);
    io.optional("per_dispatched_kernel_s", x.per_dispatched_kernel);
    io.optional("per_parallel_block_s", x.per_parallel_block);
    io.optional("per_starved_block_rank_s", x.per_starved_block_rank);
    io.optional("per_sharded_block_s", x.per_sharded_block);
    io.optional("per_block_slice_s", x.per_block_slice);
    io.optional("per_checkpoint_s", x.per_checkpoint);
    io.optional("per_adapter_s", x.per_adapter);
    io.optional("per_narrow_product_s", x.per_narrow_product);
    io.optional("norm_sync_per_domain_s", x.norm_sync_per_domain);
    io.optional("cuda_graphs", x.cuda_graphs);
}

template <class Io, io::Is<StackDevice> T>
void describe(Io& io, T& x) {
    io.optional("gemm_factor", x.gemm_factor);
    io.optional("expandable_segments", x.expandable_segments);
    io.optional("fragmentation", x.fragmentation);
    io.optional("fragmentation_recompute", x.fragmentation_recompute);
    io.optional("sharded_states_pin", x.sharded_states_pin);
    io.optional("gathered_blocks_ahead", x.gathered_blocks_ahead);
    io.optional("held_gathers_limit", x.held_gathers_limit);
    io.optional("held_gathers_stuck", x.held_gathers_stuck);
    io.optional("context_bytes", x.context);
    io.optional("per_communicator_bytes", x.per_communicator);
    io.optional("workspace_bytes", x.workspace);
}

/// The choices of a stack: its groups, in the order of spec/stack.hpp, and what it lacks.
template <class Io, io::Is<StackSpec> T>
void describe_choices(Io& io, T& x) {
    io.optional("layer", x.layer);
    io.optional("attention", x.attention);
    io.optional("narrow", x.narrow);
    io.optional("head", x.head);
    io.optional("experts", x.experts);
    io.optional("states", x.states);
    io.optional("traffic", x.traffic);
    io.optional("pipeline", x.pipeline);
    io.optional("host", x.host);
    io.optional("device", x.device);
    io.optional("lacks", x.lacks);
}

template <class Io, io::Is<StackSpec> T>
void describe(Io& io, T& x) {
    io.required("id", x.id);
    io.optional("aliases", x.aliases);
    io.required("title", x.title);
    describe_choices(io, x);
    io::describe_provenance(io, x.provenance);
}

}  // namespace traincost
