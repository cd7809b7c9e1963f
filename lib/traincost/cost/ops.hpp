#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/collectives.hpp"
#include "traincost/cost/kernels/kernel_shapes.hpp"
#include "traincost/cost/params.hpp"
#include "traincost/spec/job.hpp"
#include "traincost/spec/kernels/bandwidth_model.hpp"

namespace traincost {

/// What limits an operator: matrix units, the attention kernel, memory bandwidth, or a network.
enum class OpKind : std::uint8_t { gemm, grouped_gemm, attention, memory, communication };

/// The ranks a collective joins.
enum class Group : std::uint8_t { tensor, context, expert, expert_tensor, data, expert_data, pipeline };

/// One operator of a layer on one rank and one micro-batch. The same list feeds memory (saved, transient) and
/// time (all else).
struct Operator {
    std::string_view name;
    Module module;
    OpKind kind;
    GemmShape gemm{};            ///< gemm and grouped_gemm: the forward product
    AttentionShape attention{};  ///< attention
    Flops forward_flops{};  ///< matrix FLOPs, 2 a multiply-add; causal attention counts visible keys only
    Flops backward_flops{};
    Bytes forward_bytes{};  ///< memory kind: read and written
    Bytes backward_bytes{};
    MemoryAccess forward_access = MemoryAccess::stream;  ///< how the bytes are walked
    MemoryAccess backward_access = MemoryAccess::stream;
    int forward_kernels = 0;  ///< launches
    int backward_kernels = 0;
    Bytes saved{};  ///< kept from this operator's forward to its backward
    double weights =
        0.0;  ///< matrix elements on this rank (cast copies and gradients appear as they are used)
    Bytes forward_transient{};    ///< alive only while its forward runs, beside everything saved so far
    Bytes backward_transient{};   ///< alive only while its backward runs: gradients of outputs and inputs,
                                  ///< temporaries
    bool input_gradient = true;   ///< dgrad runs
    bool weight_gradient = true;  ///< wgrad runs (false where the weight is frozen)
    bool selective =
        false;  ///< dropped after forward and recomputed in backward under the run's selective recompute
    bool with_block = false;  ///< what it saves is dropped and made again with its whole block, before the
                              ///< block's backward begins
    Bytes cached{};           ///< with_block: output kept all the same, so that it is not computed again
    Bytes returned{};         ///< keys and values that the forward pass returns
    Bytes pinned{};           ///< of `saved`, what stays while the graph is there
    bool adapter = false;     ///< a low-rank product beside a frozen one
    bool uncast = false;      ///< autocast leaves its weights as they are
    double adapter_weights = 0.0;  ///< trained weights of adapters in it, on this rank
    Group group = Group::tensor;   ///< communication kind
    Collective forward_collective = Collective::all_reduce;
    Collective backward_collective = Collective::all_reduce;
    Bytes forward_message{};  ///< full (unsharded) buffer; zero: no collective in this pass
    Bytes backward_message{};
};

/// A list of operators in forward order, without allocation; only the first `size` exist.
class OpList {
public:
    static constexpr std::size_t capacity = 72;

    OpList() {
    }  // NOLINT(modernize-use-equals-default): leaves the storage alone
    OpList(const OpList& other) {
        *this = other;
    }
    OpList& operator=(const OpList& other) {
        size_ = other.size_;
        std::copy(other.begin(), other.end(), items_);
        return *this;
    }

    /// Appends `op`; `Error` of kind internal where the list is full.
    void push(const Operator& op);
    std::size_t size() const {
        return size_;
    }
    Operator& operator[](std::size_t i) {
        return items_[i];
    }
    const Operator& operator[](std::size_t i) const {
        return items_[i];
    }
    Operator& back() {
        return items_[size_ - 1];
    }
    const Operator* begin() const {
        return items_;
    }
    const Operator* end() const {
        return items_ + size_;
    }

private:
    std::size_t size_ = 0;
    union {
        Operator items_[capacity];
    };
};

/// Everything of a job that shapes one rank's operators, resolved once.
struct Shape {
    double batch;      ///< sequences of a micro-batch
    double sequence;   ///< tokens of a sequence, over all cp ranks
    double tokens;     ///< batch · sequence / cp: tokens of a rank in tensor-parallel regions
    double tokens_sp;  ///< tokens of a rank between them (divided by tp under sequence parallelism)
    double e;          ///< bytes of a compute element
    double r;          ///< bytes of a residual-stream element
    double w;          ///< bytes of a stored weight
    std::int64_t tp, cp, ep, etp;
    bool sequence_parallel;
    bool compiled;        ///< pointwise chains of whole blocks are fused
    CompiledParts fused;  ///< of which parts they are
    LossKernel loss;
    double loss_chunks;   ///< of a loss taken in chunks
    double summed_wider;  ///< bytes by which FSDP sums an element's gradients wider than a product makes it
    double mlp_tiles;     ///< pieces an MLP takes in turn and runs again; 1: all at once
    double expert_imbalance;  ///< tokens the fullest rank's experts take over the mean
    bool autocast;            ///< fp32 weights, every GEMM casts its inputs
    bool widens_norms;        ///< narrow weights and residuals, but norms run in fp32 between two casts
    bool train_weights;       ///< base weights get gradients (false: only adapters do)
    double dropout;
    AttentionKernel attention;
    RecomputeModules again;  ///< what selective recompute drops; none: no selective recompute
    double vocab;            ///< rows of the padded vocabulary
    double rank_vocab;       ///< of them on one tensor-parallel rank
    bool operator==(const Shape&) const = default;
};
Shape shape_of(const Job& job);

/// Operators of one transformer block whose queries see `span` keys.
OpList layer_ops(const Job& job, const Shape& shape, Side side, bool moe, double span,
                 Mixer mixer = Mixer::attention, bool mlp = true);

/// Token and position look-ups, their dropout and norm: the start of the first stage.
OpList embedding_ops(const Job& job, const Shape& shape);

/// Final norm, output head and loss: the end of the last stage.
OpList head_ops(const Job& job, const Shape& shape);

/// Expert tensor parallelism in force: the run's, else 1 with experts over ep > 1 ranks, else tp.
std::int64_t expert_tensor_parallel(const Parallelism& parallel);

/// Bytes a matrix element brings along while its operator's micro-batch runs.
struct WeightBytes {
    Bytes cast;      ///< compute copy cached from its forward to its backward (autocast)
    Bytes gradient;  ///< gradient that first appears in its backward (not where gradients persist)
    bool operator==(const WeightBytes&) const = default;
};

/// Sums of a list. Peaks are over what is alive when the list starts forward (or has been run backward to its
/// end).
struct OpTotals {
    Flops forward_flops;
    Flops backward_flops;
    Flops selective_flops;  ///< forward FLOPs of the selectively recomputed
    Bytes saved;            ///< after selective recomputation dropped its share
    Bytes returned;         ///< keys and values that the forward pass returns
    Bytes pinned;           ///< of what is saved, what stays while the graph is there
    Bytes gathered;         ///< outputs of tensor-parallel gathers beyond this rank's own part
    Bytes cast;             ///< compute copies of all its matrices, saved for the backward pass
    Bytes cached_cast;      ///< of them those of trained matrices, which autocast caches whatever is saved
    double adapters;        ///< trained weights of adapters in it
    Bytes gradient;         ///< gradients of all its matrices, as WeightBytes::gradient counts them
    Bytes forward_peak;     ///< highest (saved and cast so far + transient) of the forward pass
    Bytes
        backward_peak;  ///< highest (saved and cast so far + gradients made + transient) of the backward pass
};
OpTotals totals(const OpList& ops, const WeightBytes& weight);

}  // namespace traincost
