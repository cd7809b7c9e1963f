#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/spec/data_type.hpp"
#include "traincost/spec/kernels/attention_model.hpp"

namespace traincost {

enum class Optimizer : std::uint8_t {
    adamw,
    adam8bit,
    paged_adamw,
    paged_adam8bit,
    sgd,
    sgd_momentum,
    adafactor,
    lion,
    muon
};
enum class Recompute : std::uint8_t { none, selective, full };
enum class AttentionKernel : std::uint8_t { flash, math };
enum class Schedule : std::uint8_t { gpipe, one_f_one_b, interleaved, zero_bubble, dualpipe };
enum class Offload : std::uint8_t { none, cpu, nvme };
enum class ContextKind : std::uint8_t { ring, all_to_all };
enum class Tuning : std::uint8_t { full, lora, qlora, adapter };

/// Cross-entropy over the vocabulary.
enum class LossKernel : std::uint8_t {
    fp32_logits,     ///< logits upcast to fp32, then log-softmax saved in fp32 (PyTorch eager)
    vocab_parallel,  ///< softmax computed in place over logits sharded by tp (Megatron)
    fused_softmax,   ///< one online pass, then the gradient written over the logits (Transformer Engine,
                     ///< flash-attn)
    fused_linear,    ///< head and loss in chunks by one kernel, no full logits (Liger, Apple CCE)
    logits_format,   ///< log-softmax and both gradients in the logits' own format, logits kept by the caller
    chunked,         ///< full logits in their own format, the loss chunk by chunk in fp32 (torchtune)
    chunked_linear,  ///< head and loss chunk by chunk, forward and at once backward, no full logits
                     ///< (torchtitan of 2026)
};

/// Whether the loss, and the head with it or not, is taken chunk by chunk.
bool goes_by_chunks(LossKernel loss);

/// How the optimizer walks its parameters.
enum class OptimizerKernel : std::uint8_t { fused, foreach, per_tensor };

/// What shares a scale in fp8 products: a tensor, a row or column, or a block (1x128 and 128x128).
enum class Fp8Scaling : std::uint8_t { tensorwise, rowwise, blockwise };

/// When fully sharded weights are given back between the forward and the backward pass.
enum class Reshard : std::uint8_t {
    always,     ///< after each block's forward pass
    last_kept,  ///< the last blocks stay gathered, which the backward pass starts with
    never,      ///< all stay gathered: what ZeRO stage 2 does
};

/// Parts of a model whose pointwise operators a compiler fuses.
struct CompiledParts {
    bool attention = false;  ///< rotations, copies and norms around attention's kernel
    bool mlp = false;        ///< non-linearity and product
    bool norms = false;      ///< of the residual stream, and what is added to it
    bool loss = false;
    bool operator==(const CompiledParts&) const = default;

    bool blocks() const {
        return attention && mlp && norms;
    }
};

/// The part that a framework calls `name` ("attention", "feed_forward", "norms", "loss"); null where none is.
bool CompiledParts::*compiled_part(std::string_view name);

/// Operators whose outputs selective recompute drops and recomputes (Megatron/NeMo/torchtitan/TE module
/// names).
struct RecomputeModules {
    bool core_attention = false;
    bool norm = false;
    bool activation = false;  ///< the MLP's non-linearity and product
    bool mlp = false;
    bool moe = false;     ///< whole expert layer
    bool mla_up = false;  ///< MLA up-projections
    bool per_op = false;  ///< all of a block but attention, every second product and what exchanges return
                          ///< (torchtitan's per-op policy)
    bool all_but_attention = false;  ///< all of a block but attention, whose output is kept
    /// A block runs again from its input, but for what is kept of it.
    bool by_block() const {
        return per_op || all_but_attention;
    }
    bool any() const {
        return core_attention || norm || activation || mlp || moe || mla_up || by_block();
    }
    bool operator==(const RecomputeModules&) const = default;
};

/// The module a framework calls `name` ("core_attn", "layernorm", "moe_act", ..., or the field's own name);
/// null where none is.
bool RecomputeModules::*recompute_module(std::string_view name);

/// The widest degree of tensor, pipeline, context or expert parallelism that `validate` lets through:
/// tp·pp·cp·dp stays below 2^60, so that counts of ranks and of sequences never overflow.
inline constexpr std::int64_t largest_degree = std::int64_t{1} << 12;

/// What is trained over a frozen base: low-rank pairs beside its products (LoRA), or LitGPT's adapters
/// (`Tuning::adapter`): learned prefix keys and values with a gate, and in the second version a
/// scale and a bias on every product, and the norms.
struct AdapterSpec {
    std::int64_t rank = 8;
    bool query = true, key = false, value = true, attention_out = false, mlp = false, lm_head = false;
    double dropout = 0.0;
    bool scale_and_bias = false;  ///< Tuning::adapter: the second version
    bool operator==(const AdapterSpec&) const = default;
};

/// Degrees of parallelism; accelerators = tp·cp·pp·dp. `ep` divides dp·cp·tp/etp as Megatron counts it.
struct Parallelism {
    std::int64_t tp = 1;
    std::int64_t pp = 1;
    std::int64_t vp = 1;  ///< virtual stages a rank (interleaved schedule)
    std::int64_t dp = 1;
    std::int64_t cp = 1;
    std::int64_t ep = 1;
    std::optional<std::int64_t> etp{};  ///< expert tensor parallel; absent: as the stack does (tp, or 1 under
                                        ///< Megatron-Core when ep > 1)
    std::int64_t zero = 0;              ///< 0 none, 1 optimizer states, 2 and gradients, 3 and weights
    std::optional<std::int64_t> hybrid_shard{};  ///< ranks a shard group holds (HSDP); absent: all of dp·cp
    std::optional<bool>
        sequence_parallel;             ///< activations between TP regions sharded; absent: the stack's habit
    std::optional<bool> tp_overlap{};  ///< TP collectives run beside products; absent: the stack's habit
    bool operator==(const Parallelism&) const = default;
};

/// What is trained how. Batches are in sequences.
struct RunSpec {
    std::int64_t sequence;
    std::int64_t micro_batch;    ///< sequences a rank runs at once
    std::int64_t global_batch;   ///< sequences a step, over all ranks
    std::string precision_name;  ///< the recipe `precision` came from
    Precision precision;
    Parallelism parallel;
    Optimizer optimizer = Optimizer::adamw;
    Recompute recompute = Recompute::none;
    RecomputeModules recompute_modules{};            ///< selective only; all false: the stack's own choice
    std::int64_t recompute_every = 1;                ///< full: every k-th block is recomputed
    std::optional<std::int64_t> recompute_layers{};  ///< full: only so many blocks a stage
    bool uneven_stages = false;  ///< pp·vp need not divide the blocks: the first stages hold one more
    std::optional<AttentionKernel> attention{};                 ///< absent: the stack's default
    std::optional<AttentionGeneration> attention_generation{};  ///< of the flash kernel; absent: the stack's
    std::optional<Schedule> schedule{};  ///< absent: interleaved when vp > 1, else the stack's default
    ContextKind context = ContextKind::ring;
    std::optional<std::int64_t>
        packed_length{};  ///< mean tokens of the documents packed into a sequence, each
                          ///< of which attends to itself only; absent: one document
    std::optional<std::int64_t> padded_length{};  ///< mean tokens of a micro-batch's sequences where each is
                                                  ///< padded to its longest; `sequence` is then the longest
                                                  ///< of all, which memory must hold. Absent: all are equal
    Tuning tuning = Tuning::full;
    AdapterSpec adapter{};               ///< lora, qlora, adapter only
    std::int64_t frozen_layers = 0;      ///< lowest blocks not trained
    bool optimizer_in_backward = false;  ///< each gradient is applied and freed as soon as it is made
    Offload offload_optimizer = Offload::none;
    Offload offload_parameters = Offload::none;
    double offload_activations = 0.0;  ///< share of saved activations kept in host memory
    std::optional<bool> compile{};  ///< torch.compile or an XLA stack's fusion; absent: the stack's default
    std::optional<CompiledParts> compiled_parts{};  ///< absent: all blocks as `compile` says, the loss with
                                                    ///< them where the stack compiles it
    std::optional<LossKernel> loss{};               ///< absent: the stack's
    std::optional<std::int64_t> loss_chunks{};      ///< of a loss taken in chunks; absent: the stack's
    std::optional<OptimizerKernel> optimizer_kernel{};  ///< absent: the stack's
    std::optional<Fp8Scaling> fp8_scaling{};            ///< of products in fp8; absent: tensorwise
    Reshard reshard = Reshard::always;                  ///< under FSDP
    std::int64_t kept_blocks = 1;                       ///< last_kept: so many stay gathered
    std::int64_t mlp_tiles = 1;  ///< pieces of the sequence an MLP takes in turn, run again one by one in the
                                 ///< backward pass (ALST's tiled MLP)
    std::optional<bool> expandable_segments{};  ///< of PyTorch's allocator; absent: the stack's
    std::optional<double> dropout{};            ///< hidden and attention dropout; absent: the stack's default
    bool activation_input_fp8 = false;  ///< the MLP's non-linearity keeps its input for backward in FP8
                                        ///< (Megatron-Core's activation_func_fp8_input_store)
    double expert_imbalance = 1.0;      ///< busiest rank's routed tokens over the mean; with a fixed capacity
                                        ///< an expert, that capacity over the mean
    bool neighbouring_experts = false;  ///< a token chooses experts next to each other, as gates made for
                                        ///< benchmarks deal them out
    bool expert_one_hot = false;  ///< tokens reach experts, and come back, by products with one-hot masks
    std::optional<double> host_speed{};  ///< speed of the host, single-thread at launches and of all its
                                         ///< cores at updates of offloaded states, over that of the host
                                         ///< they were measured on; absent: 1
    std::optional<double> tokens{};      ///< training tokens, for days and cost
    double headroom = 0.0;               ///< share of an accelerator's memory that must stay free
    bool operator==(const RunSpec&) const = default;
};

/// Micro-batches one rank runs a step: global_batch / (micro_batch · dp), rounded up.
std::int64_t micro_batches(const RunSpec& run);

void validate(const RunSpec& run, std::vector<Problem>& problems);

}  // namespace traincost
