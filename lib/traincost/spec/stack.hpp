#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/quantity.hpp"
#include "traincost/spec/attention_model.hpp"
#include "traincost/spec/provenance.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

/// Who writes a norm: `fused` saves its input and the statistics; `composite` is written out in eager mode
/// with an fp32 upcast.
enum class NormKernel : std::uint8_t { fused, composite };

/// Rotary embedding: `fused` in one pass; `composite` as eager multiply-adds with rotated copies.
enum class RotaryKernel : std::uint8_t { fused, composite };

/// The MLP's non-linearity: `fused` saves the pre-activations only, `eager` one tensor per elementary
/// operator.
enum class ActivationKernel : std::uint8_t { fused, eager };

/// A product's bias: `fused` has it added, and its gradient summed, by the product's own kernels;
/// `gradient_apart` sums the gradient in one more walk over the output's gradient (cuBLASLt epilogues of
/// PyTorch); `apart` also adds it in a kernel of its own where no later kernel takes it along.
enum class BiasKernel : std::uint8_t { fused, gradient_apart, apart };

/// Where gradients live between micro-batches.
enum class GradientStore : std::uint8_t {
    parameter,  ///< one tensor a parameter in the weights' format, allocated in the first backward (PyTorch)
    main_buffer,  ///< persistent flat buffer in `Precision::gradients` beside the weights' own 16-bit
                  ///< gradients' lifetime (Megatron, nanotron)
};

/// Who shards model states over data-parallel ranks.
enum class ShardEngine : std::uint8_t { none, zero_redundancy, deepspeed, fsdp1, fsdp2, megatron, xla };

/// What a product in a narrower format than the compute format keeps of its input.
enum class NarrowInput : std::uint8_t {
    narrow,   ///< its narrow copy (Transformer Engine)
    compute,  ///< the input itself, cast again for the weight gradient (torchao); a compiler that made it by
              ///< pointwise operators and casts it to fp8 makes it again instead
};

/// A tensor-parallel implementation: Megatron's explicit layers or PyTorch DTensor's dispatched ones.
enum class TensorParallelKind : std::uint8_t { megatron, dtensor, xla };

/// A kind of parallelism that a stack cannot launch.
enum class Lack : std::uint8_t {
    tp,
    pp,
    vp,  ///< virtual stages: no interleaved schedule
    cp,
    ep,
    zero_beside_pp,  ///< ZeRO 2 and 3 beside a pipeline
};

/// What a software stack does with a model: the choices that decide saved tensors, copies, kernels and
/// overlap.
struct StackSpec {
    std::string id;
    std::vector<std::string> aliases;
    std::string title;

    // One layer
    NormKernel norm;
    RotaryKernel rotary;
    ActivationKernel activation;
    AttentionGeneration
        attention_generation;  ///< of the flash kernel; an older one where the accelerator lacks it
    bool written_out_gelu;  ///< the tanh approximation of GELU is written out where the model asks for it by
                            ///< formula (gelu_new), not one kernel
    bool inplace_backward;  ///< gradients overwrite what they are made of, and the MLP's product is made
                            ///< again for its low-rank pair
    AttentionKernel attention;  ///< default kernel
    bool softmax_fused;  ///< of attention that writes its scores: scale, mask and softmax are one 16-bit
                         ///< kernel, dropout another; else eager operators in fp32
    bool window_masks;   ///< attention in a window narrower than the sequence is given a mask of its own in
                         ///< the compute format, which it keeps
    bool fused_qkv;      ///< one projection for q, k and v
    bool fused_gate_up;  ///< one projection for gate and up
    BiasKernel bias;
    bool bias_dropout_fused;      ///< bias + dropout + residual add in one kernel
    double dropout;               ///< default hidden and attention dropout
    bool sequence_parallel;       ///< default when tp > 1
    bool copies_parallel_inputs;  ///< where tp > 1 each column-parallel product saves a copy of its own of
                                  ///< the input it shares with others
    bool save_sharded_input;      ///< under sequence parallelism the gathered layer input is re-gathered in
                                  ///< backward, not saved
    bool compile;                 ///< default: pointwise operators are fused by a compiler
    RecomputeModules selective;   ///< what selective recompute drops where the run names nothing
    CastMode amp;                 ///< how fp32 weights become 16-bit compute copies
    bool sharded_autocast;        ///< autocast stays on over fully sharded weights: norms run in fp32
    bool narrow_head;             ///< an untied head multiplies in the narrow format too, where there is one

    // Head and loss
    LossKernel loss;
    std::int64_t loss_chunks;     ///< pieces of a micro-batch that a loss taken in chunks takes in turn
    bool compiled_loss;           ///< a compiler, where it is used, covers the loss too
    bool vocab_parallel;          ///< embedding and head sharded by tp
    std::int64_t vocab_multiple;  ///< vocabulary padded to this multiple times tp (1: not padded)
    double metric_losses;         ///< training metrics that take the loss of whole logits again in every
                                  ///< micro-batch, without gradients
    double logits_copies_fp32;    ///< fp32 tensors of logits' size alive at the loss beside the model-format
                                  ///< logits

    // Quantised bases
    bool quantised_head;          ///< the output head is quantised too
    bool quantised_keeps_inputs;  ///< products with a quantised weight keep their input though it is frozen

    NarrowInput narrow_input;  ///< of products in fp8 and narrower

    // Model states
    GradientStore gradients;
    std::optional<DataType> reduce;  ///< format gradients are reduced in whatever the recipe; absent: its own
    bool
        gradient_bucket_view;  ///< reduction buckets are the gradients' own memory and outlive the step (DDP)
    bool model_gradients_kept;       ///< 16-bit gradients stay beside the main buffer
    bool frozen_in_flat_parameters;  ///< FSDP1 wraps frozen weights with trained ones: gradients for both
    ShardEngine shard;
    OptimizerKernel optimizer;
    double gradient_passes;  ///< times an optimizer step reads or writes all gradients (norm, clip, zero,
                             ///< unscale, update)
    double optimizer_temporary_copies;  ///< trainable-shard-size fp32 temporaries alive in the optimizer step
    bool flat_optimizer;  ///< the step works on one flat tensor a group: a widened copy of 16-bit gradients,
                          ///< and blocks too big for the room activations left
    double flat_gradient_copies;  ///< 16-bit copies of a rank's gradients beside the widened one
    Bytes gradient_bucket;        ///< reduction bucket; 0: no buckets
    double bucket_copies;         ///< buckets alive beside the gradients
    bool buckets_kept;  ///< the buckets of replicas, as large as all gradients, stay beside them (DDP whose
                        ///< gradients are not views of its buckets)
    bool root_sharded_apart;         ///< embedding and head are shard groups of their own under FSDP
    std::int64_t prefetched_blocks;  ///< gathered ZeRO-3 blocks alive beside the one in use

    std::vector<Lack> lacks;  ///< kinds of parallelism it cannot launch

    bool ends_count_as_blocks;  ///< a pipeline that does not divide the blocks counts embedding and head as
                                ///< one each, if it divides them then
                                ///< (account_for_embedding_in_pipeline_split)
    bool balanced_stages;  ///< stages hold equal cost, the head included, rather than equal numbers of blocks
    bool repeats_kv;       ///< keys and values are copied out to the query heads before the kernel
    bool copies_attention_layout;  ///< activations lie sequence first: what a flash kernel reads is copied
                                   ///< batch first, its output and that one's gradient back
    double extra_saved_hidden;     ///< tensors of tokens × hidden / tp a block keeps beside its operators'
                                   ///< (layout copies)
    double gathered_blocks_ahead;  ///< blocks by which a host that is not the slower side runs ahead (the
                                   ///< launch queue's depth), where gathers of sequence parallelism run on a
                                   ///< side stream: the allocator cannot reuse their memory until the device
                                   ///< is through. 0: gathers in stream order
    double held_gathers_limit;  ///< largest share of device memory that waits so: asking the driver for more
                                ///< costs the host its lead
    double held_gathers_stuck;  ///< of it, what does not come back when memory runs out: live tensors lie
                                ///< among it
    bool pipeline_keeps_outputs;  ///< the last stage keeps every micro-batch's logits and joins them at the
                                  ///< end
    bool receive_buffers_per_micro_batch;  ///< a pipeline receive buffer for each micro-batch, not a pair

    // Time
    Schedule pipeline;          ///< default schedule with vp = 1
    bool overlap_grad_reduce;   ///< data-parallel reduction runs under the backward pass
    bool overlap_param_gather;  ///< ZeRO gathers run under the forward pass
    double overlap_slowdown;  ///< share of hidden data-parallel traffic by which compute slows down beside it
    bool recompute_stops_early;  ///< a recomputed block ends before its last product, whose output its
                                 ///< backward pass does not need
    Seconds host_per_dispatched_kernel;  ///< host time of a kernel behind a distributed-tensor dispatcher (tp
                                         ///< > 1 under DTensor)
    double tp_overlap;                   ///< share of tensor-parallel traffic hidden under GEMMs
    bool token_dispatch;     ///< a routed token travels once to each rank, and between domains once to each
                             ///< domain (DeepEP, HybridEP), not once for each expert it chose
    bool dispatch_permutes;  ///< the exchange leaves tokens grouped by expert: no pass of its own
    Seconds per_expert_launch;  ///< of each local expert in a grouped product: its own launch, set-up and
                                ///< quantisation. 0: one kernel for all experts
    double clamped_glu_passes;  ///< walks over the hidden activations, forward and backward together, where a
                                ///< clamped SwiGLU with biases is written out. 0: fused
    double expert_walks;  ///< walks over a routed token's input and hidden activation, both passes together,
                          ///< by kernels that an eager expert layer runs beside its products, permutations
                          ///< and non-linearity: masks, strided halves, sorts. 0: none
    bool compiled_attention_mask;  ///< a compiled model writes its causal mask out, and attention computes
                                   ///< the masked scores too
    double ring_merge_bytes;  ///< bytes an element of attention's output to join one block around a ring to
                              ///< the blocks before, twice that backward. 0: inside the kernel
    double compiled_ring_merge_bytes;  ///< the same where a compiler fuses it
    bool compiled_ring_waits;  ///< a compiled model waits for each exchange around a ring where it is issued
    double ring_launches;  ///< kernels that join a block around a ring to the blocks before, where none is
                           ///< compiled; 0: one kernel attends to all keys
    bool ring_gathers;     ///< keys and values are gathered by a collective; else they pass from rank to rank
    bool ring_sends_gradients;  ///< gradients of keys and values go around the ring in fp32, a send to the
                                ///< next rank for each block; else they are reduced with the gather
    double ep_overlap;          ///< share of expert all-to-all hidden under compute
    bool overlap_p2p;           ///< pipeline sends run under compute
    bool sharded_sends;         ///< each tensor-parallel rank sends its part of a boundary tensor, which is
                                ///< gathered inside the domain; else every rank sends all of it
    bool pipeline_keeps_gathered;    ///< where pp > 1, fully sharded weights stay gathered over the step, and
                                     ///< whole gradients wait for its last micro-batch
    bool recompute_keeps_gradients;  ///< gradients that stage 2 shards stay whole where blocks are recomputed
                                     ///< in full: the hooks that free them do not see a nested backward pass
    bool reduce_every_micro_batch;   ///< sharded gradients (ZeRO 2 and 3) are reduced after each micro-batch,
                                     ///< not only the last
    bool replicas_reduce_every_micro_batch;  ///< replicated gradients are all-reduced after each micro-batch:
                                             ///< data parallelism without no_sync
    bool broadcasts_updates;  ///< a sharded optimizer's rank owns whole tensors and broadcasts them after the
                              ///< step, one rank after the other; else all gather at once
    double sharded_messages;  ///< collectives in which a fully sharded block's weights are gathered, and its
                              ///< gradients reduced: 1 where a block is one flat buffer, else its matrices
    Seconds host_per_block_slice;  ///< host time to cut, join and copy back one rank's slices of one block's
                                   ///< tensors where a sharded optimizer splits every tensor over its group
    TensorParallelKind tensor_parallel;
    Seconds host_per_kernel;              ///< host time to launch one kernel
    Seconds host_per_parallel_block;      ///< host time of one block, both passes, where tp > 1: a floor
    Seconds host_per_starved_block_rank;  ///< and for each tensor-parallel rank on nodes whose processors are
                                          ///< overcommitted (`hosts_starved`)
    Seconds host_per_step;         ///< fixed host time a step (data loading, logging, optimizer dispatch)
    Seconds norm_sync_per_domain;  ///< of each norm a step, for each boundary between domains that its
                                   ///< tensor-parallel group spans: with sequence parallelism its gradient
                                   ///< is summed over the group by a collective of its own. 0: with others
    bool cuda_graphs;              ///< launch costs are replayed away
    double quantise_bytes;         ///< bytes moved to make an element's narrow copies for a product, both
                            ///< orientations; gathers then carry the narrow format. 0: as the kernel data
    double eager_quantise_bytes;  ///< the same where no compiler fuses the scale, the cast and the transposed
                                  ///< copy. 0: `quantise_bytes`
    bool quantises_weights;  ///< weights are scaled and cast too, in every forward pass; else their narrow
                             ///< copies are made once a step
    Seconds host_per_sharded_block;  ///< host time of a sharded block's gathers and reductions in one
                                     ///< micro-batch, their launches included
    Seconds host_per_checkpoint;     ///< host time of running a checkpointed block again, beside its launches
    Seconds host_per_adapter;  ///< host time of a product's low-rank pair, both passes, beside its launches
    Seconds
        host_per_narrow_product;  ///< host time of a linear layer in FP8, both passes, beside its launches
    bool adapter_fused;           ///< a low-rank pair's output is scaled and added by its product
    double gemm_factor;           ///< GEMM time in a training step over an isolated kernel's

    // Allocator and device
    bool expandable_segments;  ///< the allocator maps pages into address ranges (expandable_segments:True)
                               ///< rather than keep blocks of the driver's
    double fragmentation;      ///< gaps the allocator reserves over what comes and goes in a step
    double fragmentation_recompute;  ///< the same where blocks are recomputed: their tensors churn
    Bytes context;                   ///< driver context, kernels and libraries outside the allocator
    Bytes per_communicator;          ///< collective library buffers of one communicator
    Bytes workspace;                 ///< matrix-library workspaces inside the allocator

    Provenance provenance;
    bool operator==(const StackSpec&) const = default;
};

void validate(const StackSpec& stack, std::vector<Problem>& problems);

/// Whether the stack cannot launch the kind of parallelism.
bool lacks(const StackSpec& stack, Lack kind);

/// "litgpt has no pipeline parallelism".
std::string lack_text(const StackSpec& stack, Lack kind);

/// Format of a run's gradients when nothing states another: `.grad` has its parameter's.
DataType usual_gradients(const StackStates& states, const Precision& precision);

/// The recipe as the stack has it: gradients in the parameters' format or the recipe's, reduced in the
/// stack's format, and no 16-bit copy of weights beside fp32 ones where FSDP casts what it gathers.
Precision stack_precision(const StackStates& states, const Precision& recipe);

}  // namespace traincost
