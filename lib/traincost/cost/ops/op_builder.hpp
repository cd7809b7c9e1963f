#pragma once

#include "traincost/cost/ops.hpp"
#include "traincost/spec/adapter_format.hpp"

namespace traincost {

/// The low-rank pairs beside one product: `pairs` of them read its input side by side, and write `width` of
/// its outputs (0: all) of `tokens` tokens (0: all), fewer where the sum over ranks leaves each a part of the
/// sequence. No pairs: the product is not adapted.
struct LowRank {
    double pairs = 0.0;
    double width = 0.0;
    double tokens = 0.0;
};

/// One pair over all outputs of a product, where it is `adapted`, added for `tokens` of them (0: all).
inline LowRank low_rank_pair(bool adapted, double tokens = 0.0) {
    return {adapted ? 1.0 : 0.0, 0.0, tokens};
}

/// Appends operators to a list in the words of a layer; internal to cost/.
class OpBuilder {
public:
    OpBuilder(const Job& job, const Shape& shape, OpList& list) : job_(job), shape_(shape), list_(list) {
    }

    const Job& job() const {
        return job_;
    }
    const ModelSpec& model() const {
        return job_.model;
    }
    const StackSpec& stack() const {
        return job_.stack;
    }
    const Shape& shape() const {
        return shape_;
    }

    /// Whether a norm is eager operators of its own, not one kernel.
    bool written_out(bool input_is_residual, bool of_heads) const;
    /// Whether a compiler makes a GPU's kernels of whole blocks: casts and sums become part of their
    /// neighbours.
    bool compiles_walks() const;
    /// A norm over `rows` vectors of `width`: residual stream in, compute format out; `of_heads`: of queries
    /// or keys.
    void norm(std::string_view name, double rows, double width, bool input_is_residual,
              bool of_heads = false);

    /// A projection of `m` tokens from `k` to `n` features, `saved_input` bytes of its input kept for the
    /// weight gradient. `adapted` adds the run's low-rank pairs beside it. `readers` projections, of which
    /// this is the first, read the same output of a norm; 0: another one's, or not of a norm. Returns the
    /// product.
    Operator& linear(std::string_view name, Module module, double m, double n, double k, Bytes saved_input,
                     LowRank adapted = {}, bool bias = false, int readers = 0);

    /// The bias of the product just made, over `elements` of its output, where a kernel of its own adds it
    /// and none that follows takes it along.
    void add_bias(double elements, bool taken_along);

    /// A bandwidth-bound operator: bytes read and written forward and backward.
    Operator& memory(std::string_view name, Module module, Bytes forward, Bytes backward, int forward_kernels,
                     int backward_kernels);

    /// A collective over `group`; `message` is the full buffer.
    void communicate(std::string_view name, Module module, Group group, Collective forward,
                     Bytes forward_message, Collective backward, Bytes backward_message);

    /// Residual add, with dropout and its mask when the run has dropout.
    void residual_add(std::string_view name, Module module);

    /// Entry of a tensor-parallel region: all-gather under sequence parallelism, else only the backward
    /// all-reduce. `readers` column-parallel products read what enters.
    void enter_tensor_parallel(std::string_view name, Module module, int readers = 1);
    /// Exit of a tensor-parallel region: reduce-scatter under sequence parallelism, else the forward
    /// all-reduce.
    void leave_tensor_parallel(std::string_view name, Module module);

    /// What a gather of `message` compute elements carries: a stack that quantises before it gathers sends
    /// the narrow format.
    Bytes gathered_bytes(Bytes message, Module module) const;

    /// Bytes of a projection's saved input when `consumers` unfused projections read the same norm output of
    /// `width` features.
    Bytes saved_norm_output(double width, int consumers) const;

    /// Bytes of an element of an input that only products read: FP8 products keep what they were fed.
    double saved_input_element(bool compiled) const;

    /// Whether the norms' own weights get gradients.
    bool trains_norms() const;

    Operator& last() {
        return list_.back();
    }
    OpList& list() {
        return list_;
    }

private:
    void enter_once(std::string_view name, Module module);
    /// What DTensor moves beside a collective, whose parts lie one behind the other: it gathers and scatters
    /// along the sequence, whichever sequence of the micro-batch is first.
    void rearrange(std::string_view name, Module module, Bytes forward, Bytes backward);
    /// Gathered parts made sequences: a copy, of one sequence a view [PyTorch, functional collectives].
    Bytes joined_bytes(Bytes message) const;
    /// Sequences made parts: a copy. An eager one of several sequences joins strided chunks and takes three
    /// times a streaming copy (1.33 to 1.42 TB/s for 4.15 in 2, 4 and 8 parts, compiled 2.6 to 4.3: H200,
    /// torch 2.11, 2026-11-28).
    Bytes parted_bytes(Bytes message) const;
    /// A norm of `n` elements of `in` bytes, compiled: it writes the products' format, and its gradients'
    /// kernel adds that of the stream beside the branch.
    void compile_norm(Operator& op, double n, double in, bool input_is_residual) const;
    /// The pairs beside the product just made, of `m` tokens from `k` to `n` features.
    void low_rank_products(Module module, double m, double n, double k, LowRank adapted);
    /// A pair in `format`, of `inputs` elements of its input and `outputs` of its output.
    void widen_pair(Operator& a, Operator& b, AdapterFormat format, double inputs, double outputs);

    const Job& job_;
    const Shape& shape_;
    OpList& list_;
};

/// Self-attention (or cross-attention over `memory_tokens` keys when positive) of one block.
/// Without `own_keys` an earlier layer's keys and values are read.
void attention_ops(OpBuilder& build, double span, bool causal, double memory_sequence, bool own_keys = true);
/// The mixer of one block that keeps a state.
void recurrent_ops(OpBuilder& build);
/// Multi-head latent attention of one block.
void mla_ops(OpBuilder& build, double span);
/// Dense MLP of width `ffn`.
void mlp_ops(OpBuilder& build, double ffn);
/// Router, dispatch, experts and combine of one expert layer.
void moe_ops(OpBuilder& build);
/// The non-linearity between two projections over `rows` tokens of `width` features (a rank's part).
void activation_ops(OpBuilder& build, Module module, double rows, double width, bool gated);

}  // namespace traincost
