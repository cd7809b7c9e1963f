#include "traincost/cost/ops/core_attention.hpp"

#include <algorithm>

#include "traincost/cost/kernels/kernel_choice.hpp"

namespace traincost {

double mean_keys(const AttentionShape& shape) {
    if (!shape.causal)
        return std::min(shape.span, shape.keys);
    // A causal query at position i sees min(i + 1, W) keys. Kernels count the continuous triangle, as the
    // FLOP conventions do.
    const double window = std::min(shape.span, shape.keys);
    return window - window * window / (2.0 * shape.keys);
}

bool given_mask(const Job& job, const AttentionShape& a) {
    if (asks_for_flash(job.run))
        return false;
    const auto& window = job.model.window;
    const bool as_long = a.causal && window && window->size && a.span == static_cast<double>(*window->size);
    const bool padded = job.run.padded_length && job.run.micro_batch > 1;
    return (job.stack.attention.window_masks && (a.span < a.keys || as_long)) ||
           (job.stack.attention.padding_masks && padded);
}

void core_attention(OpBuilder& build, const AttentionShape& a, bool keep_inputs) {
    const Shape& s = build.shape();
    Operator op{.name = "core_attention", .module = Module::attention, .kind = OpKind::attention};
    op.attention = a;
    // Q·Kᵀ and P·V over visible keys; backward recomputes nothing in this count: dV, dP, dQ, dK.
    op.forward_flops = Flops{2.0 * a.batch * a.heads * a.queries * mean_keys(a) * (a.qk_dim + a.v_dim)};
    op.backward_flops = op.forward_flops * 2.0;
    const bool widened = attention_in_fp32(build.job()) || a.trained_bias;
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
    if (s.attention == AttentionKernel::flash && !a.trained_bias) {
        op.attention.masked = given_mask(build.job(), a);
        const Bytes statistics{4.0 * a.batch * a.heads * a.queries};
        op.saved = kept + output + statistics;
        const int blocks = ring && build.stack().attention.ring_launches > 0.0 ? static_cast<int>(s.cp) : 1;
        op.forward_kernels = blocks;
        op.backward_kernels = (a.kv_heads < a.heads ? 5 : 3) * blocks;
        op.backward_transient =
            output + inputs + Bytes{4.0 * q};  // gradient of the output, dq dk dv, fp32 accumulator of dq
        if (op.attention.masked && !s.fused.attention)
            op.saved += Bytes{a.batch * a.queries * a.keys * s.e};
    } else {
        const double scores = a.batch * a.heads * a.queries * a.keys;
        // Probabilities, and with dropout its mask and the dropped copy [Korthikanti22, §4.1]: 5 bytes a
        // score in 16 bits.
        // Written out by eager operators the softmax is kept in fp32 beside its narrow copy, of which dropout
        // keeps its own output alone; a softmax over learned sinks stays narrow but under autocast. A tanh
        // that bounds the scores keeps its output.
        const bool eager = !build.stack().attention.softmax_fused && !s.fused.attention;
        const bool narrow =
            build.model().attention_sinks > 0 ? !s.autocast : softmax_stays_narrow(build.job());
        const bool upcast = eager && e < fp32 && !narrow;
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

void hold_exchanged(OpBuilder& build, double kv_bytes, double q_bytes) {
    if (build.shape().cp == 1)
        return;
    const bool ring = build.job().run.context == ContextKind::ring;
    // A ring has what it sends and what arrives; where all ranks' keys and values are gathered, all of them.
    const double passing =
        build.stack().attention.ring_gathers ? 1.0 + static_cast<double>(build.shape().cp) : 2.0;
    build.last().forward_transient += Bytes{ring ? passing * kv_bytes : q_bytes + kv_bytes};
    build.last().backward_transient += Bytes{ring ? (passing + 2.0) * kv_bytes : 2.0 * q_bytes + kv_bytes};
}

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

}  // namespace traincost
