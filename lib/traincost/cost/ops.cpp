#include "traincost/cost/ops.hpp"

#include <algorithm>
#include <cmath>

#include "traincost/base/error.hpp"
#include "traincost/cost/blocks.hpp"
#include "traincost/cost/kernels/kernel_choice.hpp"
#include "traincost/cost/ops/op_builder.hpp"
#include "traincost/cost/ops/unit_bound.hpp"

namespace traincost {

void OpList::push(const Operator& op) {
    if (size_ == capacity)
        throw Error(ErrorKind::internal, "a block has more than " + std::to_string(capacity) + " operators");
    items_[size_++] = op;
}

std::int64_t expert_tensor_parallel(const Parallelism& parallel) {
    return parallel.etp.value_or(parallel.ep > 1 ? 1 : parallel.tp);
}

Shape shape_of(const Job& job) {
    const RunSpec& run = job.run;
    const Parallelism& p = run.parallel;
    const double vocab_ranks = static_cast<double>(job.stack.head.vocab_parallel ? p.tp : 1);
    const double multiple = static_cast<double>(job.stack.head.vocab_multiple) * vocab_ranks;
    const double vocab = static_cast<double>(job.model.vocab);
    Shape s{};
    s.batch = static_cast<double>(run.micro_batch);
    s.sequence = static_cast<double>(run.sequence);
    s.tokens = s.batch * s.sequence / static_cast<double>(p.cp);
    s.tp = p.tp;
    s.cp = p.cp;
    s.ep = p.ep;
    s.etp = expert_tensor_parallel(p);
    s.sequence_parallel = p.tp > 1 && p.sequence_parallel.value_or(job.stack.layer.sequence_parallel);
    s.tokens_sp = s.sequence_parallel ? s.tokens / static_cast<double>(p.tp) : s.tokens;
    s.e = bytes_per_element(run.precision.compute).value();
    s.w = bytes_per_element(run.precision.weights).value();
    // Fully sharded weights are cast when they are gathered, whatever the stack does with replicated ones,
    // unless they are gathered as they are stored.
    const bool autocast = runs_under_autocast(job);
    const bool sharded = fully_sharded(job) && !job.stack.states.gathers_stored;
    s.autocast = autocast && !sharded;
    const bool wide_stream = run.precision.weights != run.precision.compute && !job.stack.layer.narrow_stream;
    // A branch in one format and a stream in another add up to fp32.
    s.r = s.autocast && wide_stream ? fp32_bytes : s.e;
    s.widens_norms = autocast && sharded && job.stack.states.sharded_autocast && s.w > s.e;
    const bool compile = is_compiled(run, job.stack);
    s.fused = run.compiled_parts.value_or(
        CompiledParts{compile, compile, compile, compile && job.stack.head.compiled_loss});
    s.compiled = s.fused.blocks();
    s.loss = run.loss.value_or(job.stack.head.loss);
    // Encoders and encoder-decoders of stacks whose decoders widen their logits take the loss of theirs as
    // they are.
    if (!run.loss && s.loss == LossKernel::fp32_logits && job.model.architecture != Architecture::decoder)
        s.loss = LossKernel::logits_format;
    s.loss_chunks = static_cast<double>(run.loss_chunks.value_or(job.stack.head.loss_chunks));
    // Liger's pieces: as many tokens as keep a piece's logits the size of the head's input.
    if (s.loss == LossKernel::fused_linear && !run.loss_chunks)
        s.loss_chunks = std::ceil(vocab / static_cast<double>(job.model.hidden));
    if (fully_sharded(job))
        s.summed_wider = std::max(0.0, bytes_per_element(run.precision.reduce).value() - s.e);
    s.mlp_tiles = static_cast<double>(run.mlp_tiles);
    s.expert_imbalance = run.expert_imbalance;
    s.train_weights = run.tuning == Tuning::full;
    s.dropout = run.dropout.value_or(job.stack.layer.dropout);
    s.attention = attention_in_force(job).kernel;
    if (run.recompute == Recompute::selective)
        s.again = run.recompute_modules.any() ? run.recompute_modules : job.stack.layer.selective;
    s.vocab = std::ceil(vocab / multiple) * multiple;
    s.rank_vocab = s.vocab / vocab_ranks;
    return s;
}

namespace {

/// Recompute of a block from its input, before its backward begins, but for what is cached: attention, and
/// per op every second product and what reductions and exchanges between ranks return (torchtitan,
/// activation_checkpoint.selective_ac_option = "op").
void recompute_by_block(const Shape& s, double hidden, bool exchanges_kept, OpList& list) {
    int products = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        Operator& op = list[i];
        op.with_block = true;
        op.selective = true;
        op.cached = Bytes{};
        const bool within_scan = op.module == Module::recurrent && op.weights == 0.0;
        if (op.kind == OpKind::gemm && op.module != Module::router && !op.adapter && !within_scan) {
            ++products;
            op.selective = !s.again.per_op || products % 2 == 0;
            op.cached = Bytes{op.selective ? 0.0 : op.gemm.m * op.gemm.n * s.e};
        } else if (op.kind == OpKind::attention) {
            op.selective = false;
            op.cached = Bytes{op.attention.batch * op.attention.heads * op.attention.queries *
                              (op.attention.v_dim * s.e + 4.0)};
        } else if (s.again.per_op && op.kind == OpKind::communication &&
                   (op.forward_collective == Collective::reduce_scatter ||
                    (op.forward_collective == Collective::all_to_all && exchanges_kept))) {
            const double ranks = op.forward_collective == Collective::reduce_scatter
                                     ? static_cast<double>(op.group == Group::tensor ? s.tp : s.etp)
                                     : 1.0;
            op.selective = false;
            op.cached = op.forward_message / ranks;
        }
    }
    list[0].cached = Bytes{s.tokens_sp * hidden * s.r};  // the block's input
}

}  // namespace

namespace {

/// What mixes a block's tokens: attention, a mixer that keeps a state, or both side by side.
void mixer_ops(OpBuilder& build, Mixer mixer, double span, bool causal) {
    if (mixer == Mixer::recurrent || mixer == Mixer::both)
        recurrent_ops(build);
    if (mixer == Mixer::recurrent)
        return;
    if (build.model().mla) {
        mla_ops(build, span);
    } else {
        attention_ops(build, span, causal, 0.0, mixer != Mixer::shared_attention);
    }
}

/// Copies that a stack's layout of activations makes of a block's tensors.
void layout_copies(OpBuilder& build) {
    const Shape& s = build.shape();
    if (build.stack().layer.extra_saved_hidden <= 0.0)
        return;
    Operator copies{.name = "layout_copies", .module = Module::attention, .kind = OpKind::memory};
    copies.saved = Bytes{s.tokens * static_cast<double>(build.model().hidden) / static_cast<double>(s.tp) *
                         s.e * build.stack().layer.extra_saved_hidden};
    // Each is made by two strided copies, and its gradient goes the same way back.
    copies.forward_bytes = copies.backward_bytes = copies.saved * 4.0;
    copies.forward_access = copies.backward_access = MemoryAccess::transpose;
    copies.forward_kernels = copies.backward_kernels = 4;
    build.list().push(copies);
}

}  // namespace

OpList layer_ops(const Job& job, const Shape& shape, Side side, bool moe, double span, Mixer mixer,
                 bool mlp) {
    OpList list;
    OpBuilder build(job, shape, list);
    const ModelSpec& m = job.model;
    const double h = static_cast<double>(m.hidden);
    // Two norms sit before mixer and MLP (or after, at the same cost), one where a layer is only one of them;
    // sandwich placement adds two on the outputs.
    const std::int64_t norms = m.norm.per_layer;
    // Of decoders that norm a branch's output alone (OLMo 2), not its sum with the stream as BERT does.
    const bool of_outputs = m.norm.placement == NormPlacement::post && m.norm.kind == NormKind::rmsnorm;
    if (mixer != Mixer::none) {
        build.norm("attention_norm", shape.tokens_sp, h, !of_outputs);
        mixer_ops(build, mixer, span, side != Side::encoder);
        if (norms >= 4)
            build.norm("attention_post_norm", shape.tokens_sp, h, false);
        layout_copies(build);
        if (!m.parallel_attention || !mlp)
            build.residual_add("attention_add", Module::attention);
    }
    if (side == Side::cross_decoder) {
        build.norm("cross_norm", shape.tokens_sp, h, true);
        attention_ops(build, shape.sequence, false, shape.sequence);
        build.residual_add("cross_add", Module::attention);
    }
    if (mlp) {
        if (norms >= 2 || mixer == Mixer::none) {
            build.norm("mlp_norm", shape.tokens_sp, h, !of_outputs);
            // Side by side with attention it reads the tensor that the attention norm keeps.
            const bool written_out =
                job.stack.layer.norm == NormKernel::written_out ||
                (job.stack.layer.norm == NormKernel::composite && m.norm.kind == NormKind::rmsnorm);
            if (m.parallel_attention && mixer != Mixer::none && !written_out)
                build.last().saved = Bytes{};
        }
        if (moe) {
            moe_ops(build);
        } else {
            mlp_ops(build, static_cast<double>(m.ffn));
        }
        if (norms >= 4)
            build.norm("mlp_post_norm", shape.tokens_sp, h, false);
        build.residual_add("mlp_add", Module::mlp);
    }
    if (shape.again.by_block())
        recompute_by_block(shape, h, job.stack.experts.exchanges_kept, list);
    return list;
}

OpTotals totals(const OpList& ops, const WeightBytes& weight) {
    OpTotals t{};
    Bytes grown;  // gradients of this operator's matrix and of all after it
    for (const Operator& op : ops) {
        if (op.weight_gradient)
            t.gradient += weight.gradient * op.weights;
    }
    grown = t.gradient;
    Bytes kept;   // alive while the backward pass of this list runs
    Bytes saved;  // of it and of caches, survives to the backward pass
    Bytes cast;
    for (const Operator& op : ops) {
        t.forward_flops += op.forward_flops;
        t.backward_flops += op.backward_flops;
        if (op.selective)
            t.selective_flops += op.forward_flops;
        if (op.kind == OpKind::communication && op.group == Group::tensor &&
            op.forward_collective == Collective::all_gather)
            t.gathered += op.forward_message;
        const Bytes narrowed = op.uncast ? Bytes{} : weight.cast * op.weights;
        cast += narrowed;
        if (op.weight_gradient)
            t.cached_cast += narrowed;
        t.adapters += op.adapter_weights;
        t.returned += op.returned;
        t.pinned += op.pinned;
        t.forward_peak = std::max(t.forward_peak, kept + op.saved + cast + op.forward_transient);
        const bool alone = op.selective && !op.with_block;
        if (!alone)
            kept += op.saved;
        saved += op.cached + (op.selective || op.with_block ? Bytes{} : op.saved);
        // Going backwards, everything before this operator is still there, its own tensors are (made again
        // and) alive, and the gradients of everything after it have been made.
        t.backward_peak = std::max(
            t.backward_peak, kept + (alone ? op.saved : Bytes{}) + cast + op.backward_transient + grown);
        if (op.weight_gradient)
            grown -= weight.gradient * op.weights;
    }
    t.saved = saved;
    t.cast = cast;
    return t;
}

}  // namespace traincost
