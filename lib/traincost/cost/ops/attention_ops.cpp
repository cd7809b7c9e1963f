#include <algorithm>

#include "traincost/cost/kernels/kernel_choice.hpp"
#include "traincost/cost/ops/core_attention.hpp"
#include "traincost/cost/ops/unit_bound.hpp"

namespace traincost {

namespace {

/// Sizes of one attention on a rank, and whose keys it reads.
struct AttentionSizes {
    double input;  ///< width of what queries, keys and values are made of
    double d;      ///< of a query's and a key's head
    double dv;     ///< of a value's head
    double heads;  ///< a rank's
    double kv_heads;
    double memory;  ///< tokens of the encoder's output that a sequence reads; 0: attention to itself
    double merged;  ///< decoder tokens whose own attention reads the encoder's output too
    double key_tokens;
    bool own_keys;
    bool cross() const {
        return memory > 0.0;
    }
};

AttentionSizes sizes_of(const OpBuilder& build, bool causal, double memory_sequence, bool own_keys) {
    const Shape& s = build.shape();
    const ModelSpec& m = build.model();
    const double tp = static_cast<double>(s.tp);
    // A decoder whose own attention reads the encoder's output makes keys and values of that too.
    const double merged = m.merged_cross_attention && causal ? s.tokens : 0.0;
    return {.input = static_cast<double>(m.attention_input.value_or(m.hidden)),
            .d = static_cast<double>(m.head_dim),
            .dv = static_cast<double>(value_width(m)),
            .heads = static_cast<double>(m.heads) / tp,
            .kv_heads = std::max(1.0, static_cast<double>(m.kv_heads) / tp),
            .memory = memory_sequence,
            .merged = merged,
            .key_tokens = memory_sequence > 0.0 ? s.batch * memory_sequence : s.tokens + merged,
            .own_keys = own_keys};
}

/// Whether queries, keys and values are one product.
bool is_joined(const OpBuilder& build, const AttentionSizes& x) {
    return (build.stack().layer.fused_qkv || build.model().fused_qkv) && !x.cross() && x.own_keys;
}

void project_joined(OpBuilder& build, const AttentionSizes& x) {
    const Shape& s = build.shape();
    const ModelSpec& m = build.model();
    const AdapterSpec& adapter = build.job().run.adapter;
    // All of q, k and v have one pair beside them; some of them have one each, whose outputs are scattered
    // into the width of all; the scatter keeps them.
    const double adapted = (adapter.query ? x.heads : 0.0) + (adapter.key ? x.kv_heads : 0.0) +
                           (adapter.value ? x.kv_heads : 0.0);
    const int targets = adapter.query + adapter.key + adapter.value;
    const LowRank pairs =
        targets == 3 ? low_rank_pair(true) : LowRank{static_cast<double>(targets), adapted * x.d, 0.0};
    const double width = (x.heads + x.kv_heads) * x.d + (m.keys_are_values ? 0.0 : x.kv_heads * x.dv);
    build.linear("qkv", Module::attention, s.tokens, width, x.input, build.saved_norm_output(x.input, 1),
                 pairs, m.bias.qkv, 1);
    const bool low_rank = build.job().run.tuning == Tuning::lora || build.job().run.tuning == Tuning::qlora;
    if (low_rank && adapted > 0.0 && adapted < x.heads + 2.0 * x.kv_heads)
        build.last().saved += Bytes{s.tokens * adapted * x.d * s.e};
    if (m.bias.qkv)
        build.add_bias(s.tokens * width, false);
    if (s.train_weights && !s.compiled) {  // gradients of q, k and v are joined
        Operator& op = build.memory("qkv_gradient", Module::attention, Bytes{},
                                    Bytes{s.tokens * width * s.e * 2.0}, 0, 1);
        if (build.stack().attention.copies_layout && s.attention == AttentionKernel::flash && s.batch > 1.0)
            op.backward_access = MemoryAccess::transpose;  // they come back batch first
    }
}

/// Products that read the block's normed input where there is one for each of query, key and value.
int readers_of(const AttentionSizes& x, const ModelSpec& m) {
    return x.cross() || !x.own_keys ? 1 : m.keys_are_values ? 2 : 3;
}

void project_apart(OpBuilder& build, const AttentionSizes& x) {
    const Shape& s = build.shape();
    const ModelSpec& m = build.model();
    const AdapterSpec& adapter = build.job().run.adapter;
    if (m.grouped_latent) {
        const double rank = static_cast<double>(m.grouped_latent->query_rank);
        build.linear("query_down", Module::attention, s.tokens, rank, x.input,
                     build.saved_norm_output(x.input, 2), {}, false, 2);
        build.norm("query_down_norm", s.tokens, rank, false);
        build.linear("query", Module::attention, s.tokens, x.heads * x.d, rank, Bytes{s.tokens * rank * s.e},
                     low_rank_pair(adapter.query), m.bias.qkv);
    } else {
        build.linear("query", Module::attention, s.tokens, x.heads * x.d, x.input,
                     build.saved_norm_output(x.input, 3), low_rank_pair(adapter.query), m.bias.qkv,
                     readers_of(x, m));
    }
    const Bytes memory_input =
        x.cross() ? Bytes{x.key_tokens * static_cast<double>(m.hidden) * s.e} : Bytes{};
    if (x.own_keys) {
        build.linear("key", Module::attention, x.key_tokens, x.kv_heads * x.d, x.input, memory_input,
                     low_rank_pair(adapter.key), m.bias.qkv);
        if (!m.keys_are_values)
            build.linear("value", Module::attention, x.key_tokens, x.kv_heads * x.dv, x.input, Bytes{},
                         low_rank_pair(adapter.value), m.bias.qkv);
    }
    if (m.bias.qkv)
        build.add_bias((s.tokens * x.heads + x.key_tokens * 2.0 * x.kv_heads) * x.d, false);
}

void rotate(OpBuilder& build, const AttentionSizes& x) {
    const Shape& s = build.shape();
    const double rotated =
        s.tokens * (x.heads + (x.own_keys ? x.kv_heads : 0.0)) * x.d * build.model().position.rope_fraction;
    const bool composite = build.stack().layer.rotary == RotaryKernel::composite && !s.fused.attention;
    // Composite: two products, a negation, a join and a sum over full tensors; autocast's fp32 tables widen
    // them all and the kernel's inputs are narrowed again.
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
        op.forward_access = op.backward_access = s.autocast ? MemoryAccess::widen : MemoryAccess::transpose;
    op.forward_transient = Bytes{rotated * s.e * (composite ? 2.0 : 1.0)};
    op.backward_transient = Bytes{rotated * s.e * (composite ? 2.0 : 1.0)};
}

/// What the attention kernel is asked for: all heads' share of the sequence, or some heads' whole one; each
/// document of a packed sequence by itself.
AttentionShape kernel_shape(const OpBuilder& build, const AttentionSizes& x, double span, bool causal) {
    const Shape& s = build.shape();
    const double cp = static_cast<double>(s.cp);
    AttentionShape a{s.batch, x.heads, x.kv_heads, s.sequence / cp, x.cross() ? x.memory : s.sequence,
                     span,    x.d,     x.dv,       causal};
    a.trained_bias = !x.cross() && trains_score_bias(build.job());
    if (build.job().run.context == ContextKind::all_to_all && s.cp > 1) {
        a.heads /= cp;
        a.kv_heads = std::max(1.0, a.kv_heads / cp);
        a.queries = s.sequence;
    }
    if (const auto& packed = build.job().run.packed_length; packed && !x.cross()) {
        const double documents = std::max(1.0, s.sequence / static_cast<double>(*packed));
        a.batch *= documents;
        a.queries /= documents;
        a.keys /= documents;
    }
    return a;
}

/// The kernel, what context parallelism exchanges around it, and copies of layouts.
void attend(OpBuilder& build, const AttentionSizes& x, double span, bool causal) {
    const Shape& s = build.shape();
    AttentionShape a = kernel_shape(build, x, span, causal);
    // Under a mask PyTorch's kernels take no grouped heads.
    const bool masked = s.attention == AttentionKernel::flash && given_mask(build.job(), a);
    const bool repeated = attention_repeats_kv(build.job()) || masked;
    const double kv_heads = repeated ? x.heads : x.kv_heads;
    if (repeated)
        a.kv_heads = a.heads;
    const double kv_bytes = x.key_tokens * kv_heads * (x.d + x.dv) * s.e;
    const double q_bytes = s.tokens * x.heads * x.d * s.e;
    const double out_bytes = s.tokens * x.heads * x.dv * s.e;
    context_exchange(build, kv_bytes, q_bytes + out_bytes);
    copy_layouts(build, s.tokens * x.heads * x.d, x.key_tokens * kv_heads * (x.d + x.dv),
                 is_joined(build, x));
    core_attention(build, a, true);
    if (build.stack().attention.returns_caches && !x.cross())
        build.last().returned = Bytes{x.key_tokens * x.kv_heads * (x.d + x.dv) * s.e};
    if (x.merged > 0.0) {
        AttentionShape encoded = a;
        encoded.causal = false;
        encoded.span = encoded.keys;
        core_attention(build, encoded, false);
    }
    hold_exchanged(build, kv_bytes, q_bytes);
    merge_ring(build, s.tokens * x.heads * x.dv);
    keep_layouts(build, s.tokens * x.dv * x.heads, s.tokens * x.d * (x.heads + x.kv_heads));
    if (build.job().run.tuning == Tuning::adapter) {  // the prefix's own attention output, times its gate
        constexpr double prefix = 10.0;               // tokens: LitGPT's adapter_prompt_length
        build.last().saved += Bytes{out_bytes};
        build.last().adapter_weights = prefix * static_cast<double>(build.model().hidden) + x.heads;
    }
}

void project_out(OpBuilder& build, const AttentionSizes& x) {
    const Shape& s = build.shape();
    const ModelSpec& m = build.model();
    const double h = static_cast<double>(m.hidden);
    // The kernel keeps its output; a narrower product keeps its own copy of it.
    const double narrow = build.saved_input_element(s.fused.attention);
    Bytes input{narrow < s.e && s.train_weights ? s.tokens * x.heads * x.dv * narrow : 0.0};
    double width = x.heads * x.dv;
    if (m.grouped_latent) {
        const double groups =
            static_cast<double>(m.grouped_latent->output_groups) / static_cast<double>(s.tp);
        width = groups * static_cast<double>(m.grouped_latent->output_rank);
        build.linear("out_down", Module::attention, s.tokens, width, x.heads * x.dv / groups, Bytes{});
        input = Bytes{s.tokens * width * s.e};
    }
    build.linear("attention_out", Module::attention, s.tokens, h, width, input,
                 low_rank_pair(build.job().run.adapter.attention_out, s.tokens_sp), m.bias.attention_out);
    if (m.bias.attention_out)
        build.add_bias(s.tokens * h, build.stack().layer.bias_dropout_fused);
}

}  // namespace

void attention_ops(OpBuilder& build, double span, bool causal, double memory_sequence, bool own_keys) {
    const Shape& s = build.shape();
    const ModelSpec& m = build.model();
    const AttentionSizes x = sizes_of(build, causal, memory_sequence, own_keys);
    const bool gated = m.attention_gate && !x.cross();
    const bool joined = is_joined(build, x) && !m.grouped_latent && x.merged == 0.0;
    build.enter_tensor_parallel("attention_in", Module::attention,
                                (joined ? 1 : readers_of(x, m)) + (gated ? 1 : 0));
    if (joined)
        project_joined(build, x);
    else
        project_apart(build, x);
    if (gated) {
        build.linear("output_gate", Module::attention, s.tokens, x.heads * x.d, static_cast<double>(m.hidden),
                     Bytes{}, {}, false);
        build.last().saved += Bytes{s.tokens * x.heads * x.d * s.e};
    }
    if (m.norm.qk != QkNorm::none) {
        build.norm("query_norm", s.tokens * x.heads, x.d, false, true);
        if (x.own_keys)
            build.norm("key_norm", s.tokens * x.kv_heads, x.d, false, true);
    }
    if (m.position.kind == PositionKind::rope)
        rotate(build, x);
    attend(build, x, span, causal);
    if (gated) {  // the gated output is what the projection keeps
        const Bytes out{s.tokens * x.heads * x.dv * s.e};
        build.memory("gated_output", Module::attention, out * 3.0, out * 5.0, 1, 1).saved = out;
    }
    project_out(build, x);
    build.leave_tensor_parallel("attention_sum", Module::attention);
}

}  // namespace traincost
