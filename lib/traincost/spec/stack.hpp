#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/quantity.hpp"
#include "traincost/spec/kernels/attention_model.hpp"
#include "traincost/spec/provenance.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

/// Who writes a norm: `fused` saves its input and the statistics; `composite` is written out in eager mode
/// with an fp32 upcast, but for PyTorch's own LayerNorm; `written_out` is all by hand, LayerNorm too.
enum class NormKernel : std::uint8_t { fused, composite, written_out };

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

/// Where logits are when the loss is taken of them.
enum class LogitsPlace : std::uint8_t {
    apart,     ///< the loss is a function of its own, whose caller holds the logits
    inside,    ///< the model returns its loss alone
    returned,  ///< the model returns both: compiled, it is given a gradient of zeros for the logits
};

/// What a product in a narrower format than the compute format keeps of its input.
enum class NarrowInput : std::uint8_t {
    narrow,   ///< its narrow copy (Transformer Engine)
    compute,  ///< the input itself, cast again for the weight gradient (torchao); a compiler that made it by
              ///< pointwise operators and casts it to fp8 makes it again instead
};

/// A tensor-parallel implementation: Megatron's explicit layers or PyTorch DTensor's dispatched ones.
enum class TensorParallelKind : std::uint8_t { megatron, dtensor, xla };

/// A kind of parallelism, or of features together, that a stack cannot launch.
enum class Lack : std::uint8_t {
    tp,
    pp,
    vp,  ///< virtual stages: no interleaved schedule
    cp,
    ep,
    zero_beside_pp,            ///< ZeRO 2 and 3 beside a pipeline
    narrow_compile_sharded,    ///< products in fp8 and narrower that are compiled under ZeRO 3
    narrow_recompute_sharded,  ///< the same of recomputed blocks
};

/// What one block is written as: its kernels, and what they keep.
struct StackLayer {
    NormKernel norm = NormKernel::fused;
    bool composite_head_norms = false;  ///< those of queries and keys are written out all the same
    bool narrow_stream = false;         ///< autocast's residual stream begins and stays in the compute format
    RotaryKernel rotary = RotaryKernel::fused;
    ActivationKernel activation = ActivationKernel::fused;
    /// GELU's tanh approximation is written out where the model asks for it by formula (gelu_new).
    bool written_out_gelu = false;
    /// Gradients overwrite what they are made of, and the MLP's product is made again for its low-rank pair.
    bool inplace_backward = false;
    bool fused_qkv = false;      ///< one projection for q, k and v
    bool fused_gate_up = false;  ///< one projection for gate and up
    BiasKernel bias = BiasKernel::fused;
    bool bias_dropout_fused = false;  ///< bias + dropout + residual add in one kernel
    double dropout = 0.0;             ///< default hidden and attention dropout
    bool compile = false;             ///< default: pointwise operators are fused by a compiler
    bool pads_gradients = true;       ///< which pads products off the 16-byte grid in the backward pass too
    TensorParallelKind tensor_parallel = TensorParallelKind::megatron;
    bool sequence_parallel = false;  ///< default when tp > 1
    /// Where tp > 1 each column-parallel product copies what it shares, and reduces its gradient by itself.
    bool copies_parallel_inputs = false;
    /// Under sequence parallelism the gathered layer input is re-gathered in backward, not saved.
    bool save_sharded_input = false;
    RecomputeModules selective{};  ///< what selective recompute drops where the run names nothing
    /// A recomputed block ends before its last product, whose output its backward pass does not need.
    bool recompute_stops_early = false;
    /// Tensors of tokens × hidden / tp a block keeps beside its operators' (layout copies).
    double extra_saved_hidden = 0.0;
    bool adapter_fused = false;  ///< a low-rank pair's output is scaled and added by its product
    bool operator==(const StackLayer&) const = default;
};

/// The attention kernel and what stands around it; `ring_*` where keys and values go around a ring of ranks.
struct StackAttention {
    AttentionKernel kernel = AttentionKernel::flash;  ///< default kernel
    /// Of the flash kernel; an older one where the accelerator lacks it.
    AttentionGeneration generation = AttentionGeneration::flash2;
    /// Of attention that writes its scores: scale, mask and softmax are one 16-bit kernel, dropout another;
    /// else eager operators in fp32.
    bool softmax_fused = false;
    /// Bytes a score, products included, of attention that is written out in a stack's own eager operators on
    /// 16-bit inputs, forward and backward. 0: PyTorch's math kernel, as the kernel data say.
    double written_out_forward_bytes = 0.0;
    double written_out_backward_bytes = 0.0;
    /// The same where the softmax of 16-bit scores stays in 16 bits, as it does without autocast in code that
    /// widens nothing. 0: the softmax is widened to fp32.
    double narrow_softmax_forward_bytes = 0.0;
    double narrow_softmax_backward_bytes = 0.0;
    /// Attention in a window is given a mask of its own in the compute format, which it keeps.
    bool window_masks = false;
    /// So are the samples of a micro-batch that are padded to its longest.
    bool padding_masks = false;
    /// Keys and values are copied out to the query heads before the kernel.
    bool repeats_kv = false;
    /// Activations lie sequence first: what a flash kernel reads is copied batch first, its output and that
    /// one's gradient back.
    bool copies_layout = false;
    /// A compiled model writes its causal mask out, and attention computes the masked scores too.
    bool compiled_mask = false;
    /// Bytes an element of attention's output to join one block around a ring to the blocks before, twice
    /// that backward. 0: inside the kernel.
    double ring_merge_bytes = 0.0;
    double compiled_ring_merge_bytes = 0.0;  ///< the same where a compiler fuses it
    /// A compiled model waits for each exchange around a ring where it is issued.
    bool compiled_ring_waits = false;
    /// Kernels that join a block around a ring to the blocks before, where none is compiled; 0: one kernel
    /// attends to all keys.
    double ring_launches = 0.0;
    /// Keys and values are gathered by a collective; else they pass from rank to rank.
    bool ring_gathers = false;
    /// Gradients of keys and values go around the ring in fp32, a send to the next rank for each block; else
    /// they are reduced with the gather.
    bool ring_sends_gradients = false;
    bool returns_caches = false;  ///< the forward pass returns keys and values of recomputed blocks too
    bool operator==(const StackAttention&) const = default;
};

/// Products in formats narrower than the compute format, and quantised bases.
struct StackNarrow {
    bool head = false;  ///< an untied head multiplies in the narrow format too, where there is one
    NarrowInput input = NarrowInput::narrow;  ///< of products in fp8 and narrower
    /// Bytes moved to make an element's narrow copies for a product, both orientations; gathers then carry
    /// the narrow format. 0: as the kernel data.
    double quantise_bytes = 0.0;
    /// The same where no compiler fuses the scale, the cast and the transposed copy. 0: `quantise_bytes`.
    double eager_quantise_bytes = 0.0;
    /// The same where rows or blocks have scales of their own: gathers are then in the compute format, and
    /// weights are cast in every pass. 0: `quantise_bytes`.
    double fine_quantise_bytes = 0.0;
    /// Weights are scaled and cast too, in every forward pass; else their narrow copies are made once a step.
    bool quantises_weights = false;
    bool quantised_head = false;  ///< the output head is quantised too
    /// Products with a quantised weight keep their input though it is frozen.
    bool quantised_keeps_inputs = false;
    bool operator==(const StackNarrow&) const = default;
};

/// Output head and loss.
struct StackHead {
    LossKernel loss = LossKernel::fp32_logits;
    /// Pieces of a micro-batch that a loss taken in chunks takes in turn.
    std::int64_t loss_chunks = 1;
    bool compiled_loss = false;  ///< a compiler, where it is used, covers the loss too
    LogitsPlace logits = LogitsPlace::apart;
    /// The model's forward pass computes the loss, unless a compiler leaves it out: FSDP2 gives the root's
    /// group back behind it.
    bool loss_inside = false;
    bool vocab_parallel = false;  ///< embedding and head sharded by tp
    /// Vocabulary padded to this multiple times tp (1: not padded).
    std::int64_t vocab_multiple = 1;
    /// Training metrics that take the loss of whole logits again in every micro-batch, without gradients.
    double metric_losses = 0.0;
    /// Fp32 tensors of logits' size alive at the loss beside the model-format logits, where it widens them.
    double logits_copies_fp32 = 0.0;
    bool holds_outputs = false;  ///< by the loop, and the graph behind them, until the next are there
    bool operator==(const StackHead&) const = default;
};

/// Layers of routed experts.
struct StackExperts {
    /// A routed token travels once to each rank, and between domains once to each domain (DeepEP, HybridEP),
    /// not once for each expert it chose.
    bool token_dispatch = false;
    /// The exchange leaves tokens grouped by expert: no pass of its own.
    bool dispatch_permutes = false;
    /// Of each local expert in a grouped product: its own launch, set-up and quantisation. 0: one kernel for
    /// all experts.
    Seconds launch{};
    /// Walks over the hidden activations, forward and backward together, where a clamped SwiGLU with biases
    /// is written out. 0: fused.
    double clamped_glu_passes = 0.0;
    /// Walks over a routed token's input and hidden activation, both passes together, by kernels that an
    /// eager expert layer runs beside its products, permutations and non-linearity: masks, strided halves,
    /// sorts. 0: none.
    double walks = 0.0;
    /// Passes at streaming rate over the rows of all routed tokens by a layer written operator by operator,
    /// beyond a permutation and a weighted sum: padding, the casts of the weighting, scattered sums.
    double row_passes_forward = 0.0;
    double row_passes_backward = 0.0;  ///< the same, in the backward pass
    bool compiles_rows = true;         ///< compilation covers those passes, and fuses them away
    /// Copies of the experts' outputs, in the compute format, kept for the gradients of routing weights and
    /// of the sum over a token's experts, unless they are compiled.
    double row_copies_kept = 1.0;
    /// Recomputation operator by operator keeps what an exchange of tokens returns.
    bool exchanges_kept = true;
    double overlap = 0.0;  ///< share of expert all-to-all hidden under compute
    bool operator==(const StackExperts&) const = default;
};

/// Weights, gradients and optimizer states: formats, who shards them, the step that updates them.
struct StackStates {
    CastMode amp = CastMode::none;  ///< how fp32 weights become 16-bit compute copies
    /// Autocast stays on over fully sharded weights: norms run in fp32.
    bool sharded_autocast = false;
    GradientStore gradients = GradientStore::parameter;
    /// Format gradients are reduced in whatever the recipe; absent: its own.
    std::optional<DataType> reduce{};
    bool model_gradients_kept = false;  ///< 16-bit gradients stay beside the main buffer
    /// Gradients that stage 2 shards stay whole where blocks are recomputed in full: the hooks that free them
    /// do not see a nested backward pass.
    bool recompute_keeps_gradients = false;
    /// FSDP1 wraps frozen weights with trained ones: gradients for both.
    bool frozen_in_flat_parameters = false;
    ShardEngine shard = ShardEngine::none;
    /// Embedding and head are shard groups of their own under FSDP.
    bool root_sharded_apart = false;
    std::int64_t prefetched_blocks = 0;  ///< gathered ZeRO-3 blocks alive beside the one in use
    /// Where pp > 1, fully sharded weights stay gathered over the step, and whole gradients wait for its last
    /// micro-batch.
    bool pipeline_keeps_gathered = false;
    /// In bf16 the optimizer shards its states at stage 0 too (DeepSpeed's BF16_Optimizer).
    bool bf16_shards_states = false;
    bool gathers_stored = false;  ///< fully sharded weights are cast where autocast reads them, not before
    bool graph_keeps_weights = false;  ///< gathered for blocks that are not run again, until they are read
    OptimizerKernel optimizer = OptimizerKernel::fused;
    /// Times an optimizer step reads or writes all gradients (norm, clip, zero, unscale, update).
    double gradient_passes = 1.0;
    /// Trainable-shard-size fp32 temporaries alive in the optimizer step.
    double optimizer_temporary_copies = 0.0;
    /// The step works on one flat tensor a group: a widened copy of 16-bit gradients, and blocks too big for
    /// the room activations left.
    bool flat_optimizer = false;
    /// 16-bit copies of a rank's gradients beside the widened one.
    double flat_gradient_copies = 0.0;
    bool operator==(const StackStates&) const = default;
};

/// Data-parallel and tensor-parallel traffic: buckets, what is reduced when, what runs under what.
struct StackTraffic {
    Bytes gradient_bucket{};  ///< reduction bucket; 0: no buckets
    /// Reduction buckets are the gradients' own memory and outlive the step (DDP).
    bool gradient_bucket_view = false;
    double bucket_copies = 0.0;  ///< buckets alive beside the gradients
    /// The buckets of replicas, as large as all gradients, stay beside them (DDP whose gradients are not
    /// views of its buckets).
    bool buckets_kept = false;
    bool overlap_grad_reduce = false;   ///< data-parallel reduction runs under the backward pass
    bool overlap_param_gather = false;  ///< ZeRO gathers run under the forward pass
    /// Share of hidden data-parallel traffic by which compute slows down beside it.
    double overlap_slowdown = 0.0;
    /// The same for what a message between nodes takes longer than one inside a node would: its kernels wait.
    double waiting_slowdown = 0.0;
    double tp_overlap = 0.0;        ///< share of tensor-parallel traffic hidden under GEMMs as it is usual
    double tp_overlap_asked = 0.0;  ///< the same where a job asks for it
    /// Sharded gradients (ZeRO 2 and 3) are reduced after each micro-batch, not only the last.
    bool reduce_every_micro_batch = false;
    /// Replicated gradients are all-reduced after each micro-batch: data parallelism without no_sync.
    bool replicas_reduce_every_micro_batch = false;
    /// Stage 2 reduces each tensor's gradient by itself, to the rank that owns it; else it scatters buckets.
    bool reduces_to_owner = false;
    /// A sharded optimizer's rank owns whole tensors, broadcast in turn after the step; else one gather.
    bool broadcasts_updates = false;
    /// Collectives in which a fully sharded block's weights are gathered, and its gradients reduced: 1 where
    /// a block is one flat buffer, else its matrices.
    double sharded_messages = 1.0;
    bool operator==(const StackTraffic&) const = default;
};

/// The pipeline schedule, how blocks are dealt to stages, what passes between them.
struct StackPipeline {
    Schedule schedule = Schedule::one_f_one_b;  ///< default schedule with vp = 1
    /// A pipeline that does not divide the blocks counts embedding and head as one each, if it divides them
    /// then (account_for_embedding_in_pipeline_split).
    bool ends_count_as_blocks = false;
    /// Stages hold equal cost, the head included, rather than equal numbers of blocks.
    bool balanced_stages = false;
    /// The last stage keeps every micro-batch's logits and joins them at the end.
    bool keeps_outputs = false;
    /// A pipeline receive buffer for each micro-batch, not a pair.
    bool receive_buffers_per_micro_batch = false;
    bool overlap_p2p = false;  ///< pipeline sends run under compute
    /// Each tensor-parallel rank sends its part of a boundary tensor, which is gathered inside the domain;
    /// else every rank sends all of it.
    bool sharded_sends = false;
    bool operator==(const StackPipeline&) const = default;
};

/// Times of the host that runs the stack; launches and what comes on top of them.
struct StackHost {
    Seconds per_step{};    ///< fixed host time a step (data loading, logging, optimizer dispatch)
    Seconds per_kernel{};  ///< host time to launch one kernel
    /// Host time of a kernel behind a distributed-tensor dispatcher (tp > 1 under DTensor).
    Seconds per_dispatched_kernel{};
    Seconds per_parallel_block{};  ///< host time of one block, both passes, where tp > 1: a floor
    /// And for each tensor-parallel rank on nodes whose processors are overcommitted (`hosts_starved`).
    Seconds per_starved_block_rank{};
    /// Host time of a sharded block's gathers and reductions in one micro-batch, their launches included.
    Seconds per_sharded_block{};
    /// Host time to cut, join and copy back one rank's slices of one block's tensors where a sharded
    /// optimizer splits every tensor over its group.
    Seconds per_block_slice{};
    /// Host time of running a checkpointed block again, beside its launches.
    Seconds per_checkpoint{};
    /// Host time of a product's low-rank pair, both passes, beside its launches.
    Seconds per_adapter{};
    /// Host time of a linear layer in FP8, both passes, beside its launches.
    Seconds per_narrow_product{};
    /// Of each norm a step, for each boundary between domains that its tensor-parallel group spans: with
    /// sequence parallelism its gradient is summed over the group by a collective of its own. 0: with others.
    Seconds norm_sync_per_domain{};
    bool cuda_graphs = false;  ///< launch costs are replayed away
    bool operator==(const StackHost&) const = default;
};

/// The accelerator as the stack uses it: clock, allocator, what lies outside the allocator.
struct StackDevice {
    double gemm_factor = 1.0;  ///< GEMM time in a training step over an isolated kernel's
    /// The allocator maps pages into address ranges (expandable_segments:True) rather than keep blocks of the
    /// driver's.
    bool expandable_segments = false;
    double fragmentation = 0.0;  ///< gaps the allocator reserves over what comes and goes in a step
    /// The same where blocks are recomputed: their tensors churn.
    double fragmentation_recompute = 0.0;
    /// Under full sharding, bytes of a loss that are reserved anew for each byte of a rank's gradients, since
    /// the optimizer's states, made after the first step's loss, lie where its blocks were. 0: counted by the
    /// gaps. Under Megatron's optimizer, bytes reserved for each byte of one of a rank's moments.
    double sharded_states_pin = 0.0;
    /// Blocks by which a host that is not the slower side runs ahead (the launch queue's depth), where
    /// gathers of sequence parallelism run on a side stream: the allocator cannot reuse their memory until
    /// the device is through. 0: gathers in stream order.
    double gathered_blocks_ahead = 0.0;
    /// Largest share of device memory that waits so: asking the driver for more costs the host its lead.
    double held_gathers_limit = 0.0;
    /// Of it, what does not come back when memory runs out: live tensors lie among it.
    double held_gathers_stuck = 0.0;
    Bytes context{};           ///< driver context, kernels and libraries outside the allocator
    Bytes per_communicator{};  ///< collective library buffers of one communicator
    Bytes workspace{};         ///< matrix-library workspaces inside the allocator
    bool operator==(const StackDevice&) const = default;
};

/// What a software stack does with a model: the choices that decide saved tensors, copies, kernels and
/// overlap, in groups by who reads them. A default means "nothing special", so that a stack names what
/// differs.
struct StackSpec {
    std::string id;  ///< of a release "torchtitan@2024"
    std::vector<std::string> aliases;
    std::string title;
    StackLayer layer;
    StackAttention attention;
    StackNarrow narrow;
    StackHead head;
    StackExperts experts;
    StackStates states;
    StackTraffic traffic;
    StackPipeline pipeline;
    StackHost host;
    StackDevice device;
    std::vector<Lack> lacks;  ///< kinds of parallelism it cannot launch
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
