// The fields of StackSpec in JSON: one line each, for reading, showing and writing. A new field is one line
// here and one in each data/stacks record without a "base". Internal to io/.
#pragma once

#include "traincost/io/provenance_fields.hpp"
#include "traincost/io/run_fields.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// The choices of a stack, in the order of spec/stack.hpp.
template <class Io, io::Is<StackSpec> T>
void describe_choices(Io& io, T& x) {
    // One layer
    io.required("norm", x.norm);
    io.required("rotary", x.rotary);
    io.required("activation", x.activation);
    io.required("written_out_gelu", x.written_out_gelu);
    io.required("inplace_backward", x.inplace_backward);
    io.required("attention", x.attention);
    io.required("softmax_fused", x.softmax_fused);
    io.required("attention_generation", x.attention_generation);
    io.required("window_masks", x.window_masks);
    io.required("fused_qkv", x.fused_qkv);
    io.required("fused_gate_up", x.fused_gate_up);
    io.required("bias", x.bias);
    io.required("bias_dropout_fused", x.bias_dropout_fused);
    io.required("dropout", x.dropout);
    io.required("sequence_parallel", x.sequence_parallel);
    io.required("copies_parallel_inputs", x.copies_parallel_inputs);
    io.required("save_sharded_input", x.save_sharded_input);
    io.required("compile", x.compile);
    io.required("selective", x.selective);
    io.required("amp", x.amp);
    io.required("sharded_autocast", x.sharded_autocast);
    io.required("narrow_head", x.narrow_head);

    // Head and loss
    io.required("loss", x.loss);
    io.required("loss_chunks", x.loss_chunks);
    io.required("compiled_loss", x.compiled_loss);
    io.required("vocab_parallel", x.vocab_parallel);
    io.required("vocab_multiple", x.vocab_multiple);
    io.required("metric_losses", x.metric_losses);
    io.required("logits_copies_fp32", x.logits_copies_fp32);

    // Quantised bases
    io.required("quantised_head", x.quantised_head);
    io.required("quantised_keeps_inputs", x.quantised_keeps_inputs);

    io.required("narrow_input", x.narrow_input);

    // Model states
    io.required("gradients", x.gradients);
    io.optional("reduce", x.reduce);
    io.required("gradient_bucket_view", x.gradient_bucket_view);
    io.required("model_gradients_kept", x.model_gradients_kept);
    io.required("frozen_in_flat_parameters", x.frozen_in_flat_parameters);
    io.required("shard", x.shard);
    io.required("optimizer", x.optimizer);
    io.required("gradient_passes", x.gradient_passes);
    io.required("optimizer_temporary_copies", x.optimizer_temporary_copies);
    io.required("flat_optimizer", x.flat_optimizer);
    io.required("flat_gradient_copies", x.flat_gradient_copies);
    io.required("gradient_bucket_bytes", x.gradient_bucket);
    io.required("bucket_copies", x.bucket_copies);
    io.required("buckets_kept", x.buckets_kept);
    io.required("root_sharded_apart", x.root_sharded_apart);
    io.required("prefetched_blocks", x.prefetched_blocks);

    io.optional("lacks", x.lacks);
    io.required("ends_count_as_blocks", x.ends_count_as_blocks);
    io.required("balanced_stages", x.balanced_stages);
    io.required("repeats_kv", x.repeats_kv);
    io.required("copies_attention_layout", x.copies_attention_layout);
    io.required("extra_saved_hidden", x.extra_saved_hidden);
    io.required("gathered_blocks_ahead", x.gathered_blocks_ahead);
    io.required("held_gathers_limit", x.held_gathers_limit);
    io.required("held_gathers_stuck", x.held_gathers_stuck);
    io.required("pipeline_keeps_outputs", x.pipeline_keeps_outputs);
    io.required("receive_buffers_per_micro_batch", x.receive_buffers_per_micro_batch);

    // Time
    io.required("pipeline", x.pipeline);
    io.required("overlap_grad_reduce", x.overlap_grad_reduce);
    io.required("overlap_param_gather", x.overlap_param_gather);
    io.required("overlap_slowdown", x.overlap_slowdown);
    io.required("recompute_stops_early", x.recompute_stops_early);
    io.required("host_per_dispatched_kernel_s", x.host_per_dispatched_kernel);
    io.required("tp_overlap", x.tp_overlap);
    io.required("token_dispatch", x.token_dispatch);
    io.required("dispatch_permutes", x.dispatch_permutes);
    io.required("per_expert_launch_s", x.per_expert_launch);
    io.required("clamped_glu_passes", x.clamped_glu_passes);
    io.required("expert_walks", x.expert_walks);
    io.required("compiled_attention_mask", x.compiled_attention_mask);
    io.required("ring_merge_bytes", x.ring_merge_bytes);
    io.required("compiled_ring_merge_bytes", x.compiled_ring_merge_bytes);
    io.required("compiled_ring_waits", x.compiled_ring_waits);
    io.required("ring_launches", x.ring_launches);
    io.required("ring_gathers", x.ring_gathers);
    io.required("ring_sends_gradients", x.ring_sends_gradients);
    io.required("ep_overlap", x.ep_overlap);
    io.required("overlap_p2p", x.overlap_p2p);
    io.required("sharded_sends", x.sharded_sends);
    io.required("pipeline_keeps_gathered", x.pipeline_keeps_gathered);
    io.required("recompute_keeps_gradients", x.recompute_keeps_gradients);
    io.required("reduce_every_micro_batch", x.reduce_every_micro_batch);
    io.required("replicas_reduce_every_micro_batch", x.replicas_reduce_every_micro_batch);
    io.required("broadcasts_updates", x.broadcasts_updates);
    io.required("sharded_messages", x.sharded_messages);
    io.required("host_per_block_slice_s", x.host_per_block_slice);
    io.required("tensor_parallel", x.tensor_parallel);
    io.required("host_per_kernel_s", x.host_per_kernel);
    io.required("host_per_parallel_block_s", x.host_per_parallel_block);
    io.required("host_per_starved_block_rank_s", x.host_per_starved_block_rank);
    io.required("host_per_step_s", x.host_per_step);
    io.required("norm_sync_per_domain_s", x.norm_sync_per_domain);
    io.required("cuda_graphs", x.cuda_graphs);
    io.required("quantise_bytes", x.quantise_bytes);
    io.required("eager_quantise_bytes", x.eager_quantise_bytes);
    io.required("quantises_weights", x.quantises_weights);
    io.required("host_per_sharded_block_s", x.host_per_sharded_block);
    io.required("host_per_checkpoint_s", x.host_per_checkpoint);
    io.required("host_per_adapter_s", x.host_per_adapter);
    io.required("host_per_narrow_product_s", x.host_per_narrow_product);
    io.required("adapter_fused", x.adapter_fused);
    io.required("gemm_factor", x.gemm_factor);

    // Allocator and device
    io.required("expandable_segments", x.expandable_segments);
    io.required("fragmentation", x.fragmentation);
    io.required("fragmentation_recompute", x.fragmentation_recompute);
    io.required("context_bytes", x.context);
    io.required("per_communicator_bytes", x.per_communicator);
    io.required("workspace_bytes", x.workspace);
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
