#include <algorithm>

#include "traincost/cost/ops/core_attention.hpp"

namespace traincost {

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
