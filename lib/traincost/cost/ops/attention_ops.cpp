#include <algorithm>

#include "traincost/cost/kernels/kernel_choice.hpp"
#include "traincost/cost/ops/core_attention.hpp"

namespace traincost {

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
    a.trained_bias = !cross && trains_score_bias(build.job());
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
