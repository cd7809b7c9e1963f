#include <algorithm>

#include "traincost/cost/kernels/kernel_choice.hpp"
#include "traincost/cost/ops/op_builder.hpp"

namespace traincost {

double mean_keys(const AttentionShape& shape) {
    if (!shape.causal)
        return std::min(shape.span, shape.keys);
    // A causal query at position i sees min(i + 1, W) keys. Kernels count the continuous triangle, as the
    // FLOP conventions do.
    const double window = std::min(shape.span, shape.keys);
    return window - window * window / (2.0 * shape.keys);
}

namespace {

/// Whether the fused kernel is handed the window as a mask. Transformers leaves out only the mask of a window
/// longer than the sequence.
bool given_window_mask(const OpBuilder& build, const AttentionShape& a) {
    const auto& window = build.model().window;
    return build.stack().attention.window_masks && a.causal && window && window->size &&
           a.span == static_cast<double>(*window->size);
}

/// The attention kernel with its saved tensors; q, k, v of a rank's heads. `keep_inputs` is false where they
/// are rebuilt in backward.
void core_attention(OpBuilder& build, const AttentionShape& a, bool keep_inputs) {
    const Shape& s = build.shape();
    Operator op{.name = "core_attention", .module = Module::attention, .kind = OpKind::attention};
    op.attention = a;
    // Q·Kᵀ and P·V over visible keys; backward recomputes nothing in this count: dV, dP, dQ, dK.
    op.forward_flops = Flops{2.0 * a.batch * a.heads * a.queries * mean_keys(a) * (a.qk_dim + a.v_dim)};
    op.backward_flops = op.forward_flops * 2.0;
    const bool widened = attention_in_fp32(build.job());
    constexpr double fp32 = 4.0;
    const double e = widened ? fp32 : s.e;
    const double q = a.batch * a.queries * a.heads * a.qk_dim;
    // Around a ring a rank keeps its own keys and values; the others' pass by.
    const bool ring = s.cp > 1 && build.job().run.context == ContextKind::ring;
    const double keys = ring ? a.keys / static_cast<double>(s.cp) : a.keys;
    const double kv = a.batch * keys * a.kv_heads * (a.qk_dim + a.v_dim);
    const double out = a.batch * a.queries * a.heads * a.v_dim;
    const Bytes inputs{(q + kv) * e};
    const Bytes kept = keep_inputs ? inputs : Bytes{};
    const Bytes output{out * s.e};
    if (s.attention == AttentionKernel::flash) {
        const bool window_mask = given_window_mask(build, a);
        if (window_mask) {  // every score is computed, those masked too
            op.attention.causal = false;
            op.attention.span = a.keys;
        }
        const Bytes statistics{4.0 * a.batch * a.heads * a.queries};
        op.saved = kept + output + statistics;
        const int blocks = ring && build.stack().attention.ring_launches > 0.0 ? static_cast<int>(s.cp) : 1;
        op.forward_kernels = blocks;
        op.backward_kernels = (a.kv_heads < a.heads ? 5 : 3) * blocks;
        op.backward_transient =
            output + inputs + Bytes{4.0 * q};  // gradient of the output, dq dk dv, fp32 accumulator of dq
        if (window_mask && !s.fused.attention)
            op.saved += Bytes{a.batch * a.queries * a.keys * s.e};
    } else {
        const double scores = a.batch * a.heads * a.queries * a.keys;
        // Probabilities, and with dropout its mask and the dropped copy [Korthikanti22, §4.1]: 5 bytes a
        // score in 16 bits.
        // Written out by eager operators the softmax is kept in fp32 beside its narrow copy, of which dropout
        // keeps its own output alone; a softmax over learned sinks stays narrow. A tanh that bounds the
        // scores keeps its output.
        const bool eager = !build.stack().attention.softmax_fused && !s.fused.attention;
        const bool upcast = eager && e < fp32 && build.model().attention_sinks == 0;
        const double softmax = upcast ? fp32 : e;
        const double dropped = s.dropout > 0.0 ? e + 1.0 : upcast ? e : 0.0;
        const double softcap = build.model().attention_softcap && !s.fused.attention ? s.e : 0.0;
        op.saved = kept + output + Bytes{scores * (softmax + dropped + softcap)};
        op.forward_bytes = Bytes{scores * s.e * (s.dropout > 0.0 ? 6.0 : 4.0)};
        op.backward_bytes = Bytes{scores * s.e * (s.dropout > 0.0 ? 8.0 : 6.0)};
        op.forward_kernels = s.dropout > 0.0 ? 4 : 3;
        op.backward_kernels = s.dropout > 0.0 ? 6 : 5;
        op.forward_transient = Bytes{scores * e};
        // Gradients of the probabilities and of the scores; the masked ones beside them where widened.
        op.backward_transient = output + inputs + Bytes{(widened ? 3.0 : 2.0) * scores * e};
    }
    op.selective = s.again.core_attention;
    if (op.selective) {  // q, k, v and the output stay; only what the kernel keeps between them is dropped
        op.saved -= kept + output;
        build.list().push({.name = "attention_inputs",
                           .module = Module::attention,
                           .kind = OpKind::memory,
                           .saved = kept + output});
    }
    build.list().push(op);
}

/// Context-parallel exchange of keys and values around the ring, or all-to-all of heads against sequence.
void context_exchange(OpBuilder& build, double kv_bytes, double q_out_bytes) {
    const Shape& s = build.shape();
    if (s.cp == 1)
        return;
    const double cp = static_cast<double>(s.cp);
    if (build.job().run.context == ContextKind::ring) {
        // Forward gathers everyone's keys and values, backward also returns their gradients [Liu23].
        const Bytes all{kv_bytes * cp};
        const bool sends = build.stack().attention.ring_sends_gradients;
        build.communicate("kv_ring", Module::attention, Group::context, Collective::all_gather, all,
                          sends ? Collective::all_gather : Collective::all_reduce, all);
        constexpr double fp32 = 4.0;
        if (sends)
            build.communicate("key_gradients", Module::attention, Group::context, Collective::send_recv,
                              Bytes{}, Collective::send_recv, all * (fp32 / s.e));
    } else {
        build.communicate("head_exchange", Module::attention, Group::context, Collective::all_to_all,
                          Bytes{q_out_bytes + kv_bytes}, Collective::all_to_all,
                          Bytes{q_out_bytes + kv_bytes});
    }
}

/// Joining what attention made of a block around the ring to the blocks before.
void merge_ring(OpBuilder& build, double out_elements) {
    const Shape& s = build.shape();
    const StackAttention& attention = build.stack().attention;
    const double each = s.compiled ? attention.compiled_ring_merge_bytes : attention.ring_merge_bytes;
    if (s.cp == 1 || build.job().run.context != ContextKind::ring || attention.ring_launches == 0.0)
        return;
    const Bytes merged{each * out_elements * static_cast<double>(s.cp - 1)};
    const int kernels = s.compiled ? 1 : static_cast<int>(attention.ring_launches);
    const int steps = static_cast<int>(s.cp - 1);
    build.memory("ring_merge", Module::attention, merged, merged * 2.0, kernels * steps, kernels * steps);
}

/// What the exchange holds while the kernel, the last operator, runs: around the ring a block of keys and
/// values that comes and one that goes, in backward with their gradients [Liu23, §3.2]; else the tensors as
/// they were before heads were changed for sequence.
void hold_exchanged(OpBuilder& build, double kv_bytes, double q_bytes) {
    if (build.shape().cp == 1)
        return;
    const bool ring = build.job().run.context == ContextKind::ring;
    build.last().forward_transient += Bytes{ring ? 2.0 * kv_bytes : q_bytes + kv_bytes};
    build.last().backward_transient += Bytes{ring ? 4.0 * kv_bytes : 2.0 * q_bytes + kv_bytes};
}

/// Copies between activations that lie sequence first and a flash kernel that reads them batch first: of
/// queries, keys and values, of its output and of that one's gradient. With one sequence the two orders are
/// one, and only what was cut out of a joined product has gaps to close: all three, or the values alone where
/// a rotation has made queries and keys anew. The product after it keeps its own copy of the output.
void copy_layouts(OpBuilder& build, double query_elements, double kv_elements, bool joined) {
    const Shape& s = build.shape();
    if (!build.stack().attention.copies_layout || s.attention != AttentionKernel::flash || s.compiled)
        return;
    const bool rotated = build.model().position.kind == PositionKind::rope;
    const bool one = s.batch <= 1.0;
    const double gaps =
        joined ? kv_elements / 2.0 + (rotated ? 0.0 : query_elements + kv_elements / 2.0) : 0.0;
    const double forward = one ? gaps : 2.0 * query_elements + kv_elements;
    const double backward = one ? 0.0 : query_elements;
    if (forward == 0.0)
        return;
    const int kernels = one ? (rotated ? 1 : 3) : 4;
    Operator& op = build.memory("attention_layout", Module::attention, Bytes{2.0 * forward * s.e},
                                Bytes{2.0 * backward * s.e}, kernels, one ? 0 : 1);
    op.forward_access = op.backward_access = MemoryAccess::transpose;
    if (!one && s.train_weights)
        op.saved = Bytes{query_elements * s.e};
}

/// What layouts make eager attention, the last operator, keep beside its tensors. Values cut out of one
/// projection keep all of it, `rest` elements more, where rotation makes queries and keys anew. A rotation of
/// a part of each head joins it to the rest head by head, attention's output of `out` elements comes in that
/// layout, and the product after it reads a copy.
void keep_layouts(OpBuilder& build, double out, double rest) {
    const Shape& s = build.shape();
    const ModelSpec& m = build.model();
    const bool written_out = build.stack().layer.rotary == RotaryKernel::composite && !s.fused.attention;
    if (!written_out || m.position.kind != PositionKind::rope)
        return;
    double elements = 0.0;
    if (m.fused_qkv && !build.stack().layer.fused_qkv)
        elements += rest;
    if (m.fused_qkv || m.position.rope_fraction < 1.0)
        elements += out;
    build.last().saved += Bytes{elements * s.e};
}

}  // namespace

void attention_ops(OpBuilder& build, double span, bool causal, double memory_sequence, bool own_keys) {
    const Shape& s = build.shape();
    const ModelSpec& m = build.model();
    const StackSpec& stack = build.stack();
    const AdapterSpec& adapter = build.job().run.adapter;
    const double tp = static_cast<double>(s.tp);
    const double h = static_cast<double>(m.hidden);
    const double in = static_cast<double>(m.attention_input.value_or(m.hidden));
    const double d = static_cast<double>(m.head_dim);
    const double dv = static_cast<double>(value_width(m));
    const double heads = static_cast<double>(m.heads) / tp;
    double kv_heads = std::max(1.0, static_cast<double>(m.kv_heads) / tp);
    const bool cross = memory_sequence > 0.0;
    // A decoder whose own attention reads the encoder's output makes keys and values of that too.
    const double merged = m.merged_cross_attention && causal ? s.tokens : 0.0;
    const double key_tokens = cross ? s.batch * memory_sequence : s.tokens + merged;

    build.enter_tensor_parallel("attention_in", Module::attention);
    if ((stack.layer.fused_qkv || m.fused_qkv) && !cross && own_keys && !m.grouped_latent && merged == 0.0) {
        // All of q, k and v have one pair beside them; some of them have one each, whose outputs are
        // scattered into the width of all; the scatter keeps them.
        const double adapted =
            (adapter.query ? heads : 0.0) + (adapter.key ? kv_heads : 0.0) + (adapter.value ? kv_heads : 0.0);
        const int targets = adapter.query + adapter.key + adapter.value;
        const LowRank pairs =
            targets == 3 ? low_rank_pair(true) : LowRank{static_cast<double>(targets), adapted * d, 0.0};
        const double width = (heads + kv_heads) * d + (m.keys_are_values ? 0.0 : kv_heads * dv);
        build.linear("qkv", Module::attention, s.tokens, width, in, build.saved_norm_output(in, 1), pairs,
                     m.bias.qkv, 1);
        const bool low_rank =
            build.job().run.tuning == Tuning::lora || build.job().run.tuning == Tuning::qlora;
        if (low_rank && adapted > 0.0 && adapted < heads + 2.0 * kv_heads)
            build.last().saved += Bytes{s.tokens * adapted * d * s.e};
        if (m.bias.qkv)
            build.add_bias(s.tokens * width, false);
        if (s.train_weights && !s.compiled) {  // gradients of q, k and v are joined
            Operator& op = build.memory("qkv_gradient", Module::attention, Bytes{},
                                        Bytes{s.tokens * width * s.e * 2.0}, 0, 1);
            if (stack.attention.copies_layout && s.attention == AttentionKernel::flash && s.batch > 1.0)
                op.backward_access = MemoryAccess::transpose;  // they come back batch first
        }
    } else {
        const int readers = cross || !own_keys ? 1 : 3;
        if (m.grouped_latent) {
            const double rank = static_cast<double>(m.grouped_latent->query_rank);
            build.linear("query_down", Module::attention, s.tokens, rank, in, build.saved_norm_output(in, 2),
                         {}, false, 2);
            build.norm("query_down_norm", s.tokens, rank, false);
            build.linear("query", Module::attention, s.tokens, heads * d, rank, Bytes{s.tokens * rank * s.e},
                         low_rank_pair(adapter.query), m.bias.qkv);
        } else {
            build.linear("query", Module::attention, s.tokens, heads * d, in, build.saved_norm_output(in, 3),
                         low_rank_pair(adapter.query), m.bias.qkv, readers);
        }
        const Bytes memory_input = cross ? Bytes{key_tokens * h * s.e} : Bytes{};
        if (own_keys) {
            build.linear("key", Module::attention, key_tokens, kv_heads * d, in, memory_input,
                         low_rank_pair(adapter.key), m.bias.qkv);
            if (!m.keys_are_values)
                build.linear("value", Module::attention, key_tokens, kv_heads * dv, in, Bytes{},
                             low_rank_pair(adapter.value), m.bias.qkv);
        }
        if (m.bias.qkv)
            build.add_bias((s.tokens * heads + key_tokens * 2.0 * kv_heads) * d, false);
    }
    const bool gated = m.attention_gate && !cross;
    if (gated) {
        build.linear("output_gate", Module::attention, s.tokens, heads * d, h, Bytes{}, {}, false);
        build.last().saved += Bytes{s.tokens * heads * d * s.e};
    }
    if (m.norm.qk != QkNorm::none) {
        build.norm("query_norm", s.tokens * heads, d, false);
        if (own_keys)
            build.norm("key_norm", s.tokens * kv_heads, d, false);
    }
    if (m.position.kind == PositionKind::rope) {
        const double rotated =
            s.tokens * (heads + (own_keys ? kv_heads : 0.0)) * d * m.position.rope_fraction;
        const bool composite = stack.layer.rotary == RotaryKernel::composite && !s.fused.attention;
        // Composite: two products, a negation, a join and a sum over full tensors; autocast's fp32 tables
        // widen them all and the kernel's inputs are narrowed again.
        const double width = composite ? (s.autocast ? 10.0 * 4.0 - 4.0 : 10.0 * s.e) : 2.0 * s.e;
        // Backward each half's gradient is put into zeros of the whole and both are added up: per layer of a
        // Llama-like model 230 us of 460 in all (H200, torch 2.11, 2026-11-25).
        const bool halves = composite && has_pointwise_kernels(build.job().cluster.accelerator);
        const double back = halves ? 1.7 : 1.0;
        Operator& op = build.memory("rotary", Module::attention, Bytes{rotated * width},
                                    Bytes{rotated * width * back}, composite ? 10 : 2,
                                    halves      ? 20
                                    : composite ? 10
                                                : 2);
        if (composite)  // heads lie across the product's rows, tables are broadcast, autocast mixes formats
            op.forward_access = op.backward_access =
                s.autocast ? MemoryAccess::widen : MemoryAccess::transpose;
        op.forward_transient = Bytes{rotated * s.e * (composite ? 2.0 : 1.0)};
        op.backward_transient = Bytes{rotated * s.e * (composite ? 2.0 : 1.0)};
    }
    const double kv_before = kv_heads;
    if (attention_repeats_kv(build.job()))
        kv_heads = heads;
    const double kv_bytes = key_tokens * kv_heads * (d + dv) * s.e;
    const double q_bytes = s.tokens * heads * d * s.e;
    const double out_bytes = s.tokens * heads * dv * s.e;
    context_exchange(build, kv_bytes, q_bytes + out_bytes);

    const double cp = static_cast<double>(s.cp);
    AttentionShape a{s.batch, heads, kv_heads, s.sequence / cp, cross ? memory_sequence : s.sequence,
                     span,    d,     dv,       causal};
    if (build.job().run.context == ContextKind::all_to_all && s.cp > 1) {
        a.heads /= cp;
        a.kv_heads = std::max(1.0, a.kv_heads / cp);
        a.queries = s.sequence;
    }
    if (const auto& packed = build.job().run.packed_length; packed && !cross) {
        const double documents = std::max(1.0, s.sequence / static_cast<double>(*packed));
        a.batch *= documents;
        a.queries /= documents;
        a.keys /= documents;
    }
    copy_layouts(build, s.tokens * heads * d, key_tokens * kv_heads * (d + dv),
                 (stack.layer.fused_qkv || m.fused_qkv) && !cross && own_keys);
    core_attention(build, a, true);
    if (merged > 0.0) {
        AttentionShape encoded = a;
        encoded.causal = false;
        encoded.span = encoded.keys;
        core_attention(build, encoded, false);
    }
    hold_exchanged(build, kv_bytes, q_bytes);
    merge_ring(build, s.tokens * heads * dv);
    keep_layouts(build, s.tokens * dv * heads, s.tokens * d * (heads + kv_before));
    if (build.job().run.tuning == Tuning::adapter) {  // the prefix's own attention output, times its gate
        constexpr double prefix = 10.0;               // tokens: LitGPT's adapter_prompt_length
        build.last().saved += Bytes{out_bytes};
        build.last().adapter_weights = prefix * h + heads;
    }
    if (gated) {  // the gated output is what the projection keeps
        const Bytes out{out_bytes};
        build.memory("gated_output", Module::attention, out * 3.0, out * 5.0, 1, 1).saved = out;
    }
    // The kernel keeps its output; a narrower product keeps its own copy of it.
    const double narrow = build.saved_input_element(s.fused.attention);
    const Bytes out_input{narrow < s.e && s.train_weights ? s.tokens * heads * dv * narrow : 0.0};
    double out_width = heads * dv;
    if (m.grouped_latent) {
        const double groups = static_cast<double>(m.grouped_latent->output_groups) / tp;
        out_width = groups * static_cast<double>(m.grouped_latent->output_rank);
        build.linear("out_down", Module::attention, s.tokens, out_width, heads * dv / groups, Bytes{});
    }
    build.linear("attention_out", Module::attention, s.tokens, h, out_width,
                 m.grouped_latent ? Bytes{s.tokens * out_width * s.e} : out_input,
                 low_rank_pair(adapter.attention_out, s.tokens_sp), m.bias.attention_out);
    if (m.bias.attention_out)
        build.add_bias(s.tokens * h, stack.layer.bias_dropout_fused);
    build.leave_tensor_parallel("attention_sum", Module::attention);
}

void mla_ops(OpBuilder& build, double span) {
    const Shape& s = build.shape();
    const ModelSpec& m = build.model();
    const MlaSpec& mla = *m.mla;
    const double tp = static_cast<double>(s.tp);
    const double h = static_cast<double>(m.hidden);
    const double heads = static_cast<double>(m.heads) / tp;
    const double nope = static_cast<double>(mla.qk_nope_dim);
    const double rope = static_cast<double>(mla.qk_rope_dim);
    const double v = static_cast<double>(mla.v_head_dim);
    const double kv_rank = static_cast<double>(mla.kv_lora_rank);
    const bool drop_up = s.again.mla_up;
    const auto up = [&](std::string_view name, double width, double from, Bytes input, LowRank adapted) {
        const std::size_t first = build.list().size();
        build.linear(name, Module::attention, s.tokens, width, from, input, adapted);
        for (std::size_t i = first; i < build.list().size(); ++i)
            build.list()[i].selective = drop_up;
    };

    // Down-projections are repeated on every tensor-parallel rank; up-projections are sharded over heads
    // [DeepSeekV2, §2.1].
    const AdapterSpec& adapter = build.job().run.adapter;
    const LowRank of_query = low_rank_pair(adapter.query);
    const LowRank of_latent = low_rank_pair(adapter.key || adapter.value);
    double query_width = h;
    if (mla.q_lora_rank) {
        const double q_rank = static_cast<double>(*mla.q_lora_rank);
        build.linear("query_down", Module::attention, s.tokens_sp, q_rank, h, build.saved_norm_output(h, 2),
                     of_query, false, 2);
        build.norm("query_down_norm", s.tokens_sp, q_rank, false);
        query_width = q_rank;
        build.linear("kv_down", Module::attention, s.tokens_sp, kv_rank + rope, h, Bytes{}, of_latent);
    } else {
        build.linear("kv_down", Module::attention, s.tokens_sp, kv_rank + rope, h,
                     build.saved_norm_output(h, 2), of_latent, false, 2);
    }
    build.norm("kv_down_norm", s.tokens_sp, kv_rank, false);
    build.enter_tensor_parallel("attention_in", Module::attention);
    const Bytes up_input{s.tokens * query_width * s.e};
    up("query_up", heads * (nope + rope), query_width, mla.q_lora_rank ? up_input : Bytes{}, of_query);
    up("kv_up", heads * (nope + v), kv_rank, Bytes{s.tokens * kv_rank * s.e}, of_latent);
    const double assembled = s.tokens * heads * (2.0 * (nope + rope));
    Operator& op = build.memory("rotary", Module::attention, Bytes{assembled * s.e * 2.0},
                                Bytes{assembled * s.e * 2.0}, 4, 4);
    op.backward_transient = Bytes{assembled * s.e};
    if (m.indexer) {
        const double ih = static_cast<double>(m.indexer->heads);
        const double id = static_cast<double>(m.indexer->head_dim);
        build.linear("indexer_query", Module::attention, s.tokens_sp, ih * id, query_width, Bytes{});
        build.linear("indexer_key", Module::attention, s.tokens_sp, id, h, Bytes{});
        build.linear("indexer_weights", Module::attention, s.tokens_sp, ih, h, Bytes{});
        Operator scores{.name = "indexer_scores", .module = Module::attention, .kind = OpKind::attention};
        scores.attention = {s.batch, ih,  1.0, s.sequence / static_cast<double>(s.cp), s.sequence, s.sequence,
                            id,      0.0, true};
        scores.forward_flops =
            Flops{2.0 * s.batch * ih * scores.attention.queries * mean_keys(scores.attention) * id};
        scores.backward_flops = scores.forward_flops * 2.0;
        scores.forward_kernels = 2;
        scores.backward_kernels = 3;
        build.list().push(scores);
    }
    const double kv_bytes = s.tokens * heads * (nope + rope + v) * s.e;
    context_exchange(build, kv_bytes, s.tokens * heads * (nope + rope + v) * s.e);
    const double visible = m.indexer ? std::min(span, static_cast<double>(m.indexer->top_k)) : span;
    core_attention(build,
                   {s.batch, heads, heads, s.sequence / static_cast<double>(s.cp), s.sequence, visible,
                    nope + rope, v, true},
                   !drop_up);
    hold_exchanged(build, kv_bytes, s.tokens * heads * (nope + rope) * s.e);
    build.linear("attention_out", Module::attention, s.tokens, h, heads * v, Bytes{},
                 low_rank_pair(adapter.attention_out, s.tokens_sp));
    build.leave_tensor_parallel("attention_sum", Module::attention);
}

}  // namespace traincost
