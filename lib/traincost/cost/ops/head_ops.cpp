#include "traincost/cost/ops/loss_op.hpp"

namespace traincost {

OpList embedding_ops(const Job& job, const Shape& s) {
    OpList list;
    OpBuilder build(job, s, list);
    const ModelSpec& m = job.model;
    const double n = s.tokens * static_cast<double>(m.hidden);
    const bool positions = m.position.table_rows > 0;
    // Look-up reads one row a token; backward scatters into a gradient of the table.
    Operator& lookup = build.memory("embedding", Module::embedding, Bytes{n * (s.w + s.r) + s.tokens * 8.0},
                                    Bytes{s.train_weights ? n * (s.r + 2.0 * s.w) : 0.0}, positions ? 3 : 1,
                                    s.train_weights ? 2 : 0);
    lookup.forward_access = MemoryAccess::gather;
    lookup.backward_access = MemoryAccess::scatter_add;
    lookup.saved = Bytes{s.tokens * 8.0};
    lookup.forward_transient = Bytes{n * s.r};
    if (positions) {
        Operator& add =
            build.memory("position", Module::position, Bytes{n * (s.w + 2.0 * s.r)}, Bytes{n * s.r}, 2, 1);
        add.forward_transient = Bytes{n * s.r};
    }
    if (s.tp > 1 && job.stack.head.vocab_parallel) {
        const Bytes message{n * s.e};
        if (s.sequence_parallel) {
            build.communicate("embedding_sum", Module::embedding, Group::tensor, Collective::reduce_scatter,
                              message, Collective::all_gather, message);
        } else {
            build.communicate("embedding_sum", Module::embedding, Group::tensor, Collective::all_reduce,
                              message, Collective::all_reduce, Bytes{});
        }
    }
    if (s.dropout > 0.0) {
        const double kept = s.tokens_sp * static_cast<double>(m.hidden);
        Operator& dropout =
            build.memory("embedding_dropout", Module::embedding, Bytes{kept * (2.0 * s.r + 1.0)},
                         Bytes{kept * (2.0 * s.r + 1.0)}, 1, 1);
        dropout.saved = Bytes{kept};
    }
    if (m.norm.embedding_norm)
        build.norm("embedding_norm", s.tokens_sp, static_cast<double>(m.hidden), true);
    if (m.embedding_dim) {
        build.linear("embedding_projection", Module::embedding, s.tokens, static_cast<double>(m.hidden),
                     static_cast<double>(*m.embedding_dim),
                     Bytes{s.tokens * static_cast<double>(*m.embedding_dim) * s.e});
    }
    return list;
}

OpList head_ops(const Job& job, const Shape& s) {
    OpList list;
    OpBuilder build(job, s, list);
    const ModelSpec& m = job.model;
    const StackSpec& stack = job.stack;
    const double h = static_cast<double>(m.hidden);
    const double width = m.embedding_dim ? static_cast<double>(*m.embedding_dim) : h;
    if (m.norm.final_norm)
        build.norm("final_norm", s.tokens_sp, h, true);
    if (!makes_logits(m))
        return list;
    if (m.masked_lm) {
        build.linear("head_transform", Module::head, s.tokens, width, h, build.saved_norm_output(h, 1), {},
                     true, 1);
        activation_ops(build, Module::head, s.tokens, width, false);
        build.norm("head_norm", s.tokens_sp, width, true);
    } else if (m.embedding_dim)
        build.linear("head_projection", Module::head, s.tokens, width, h, build.saved_norm_output(h, 1), {},
                     false, 1);
    const double v = s.rank_vocab;
    if (stack.head.vocab_parallel)
        build.enter_tensor_parallel("head_in", Module::head);
    Operator& head = build.linear("head", Module::head, s.tokens, v, width, build.saved_norm_output(width, 1),
                                  low_rank_pair(job.run.adapter.lm_head), m.bias.lm_head || m.masked_lm,
                                  m.embedding_dim && !m.masked_lm ? 0 : 1);
    const double logits = s.tokens * v;
    constexpr double fp32 = 4.0;
    build.last().forward_transient = Bytes{logits * s.e};
    // A head that runs a chunk at a time has a chunk's weight gradient beside their sum.
    if (s.loss == LossKernel::chunked && s.train_weights)
        build.last().backward_transient += Bytes{v * width * s.e};
    list.push(loss_op(build, head));
    if (stack.head.metric_losses > 0.0) {
        // Logits are widened, then their log-softmax is written beside them; nothing goes back.
        build.memory("metric_logits", Module::head, Bytes{logits * (s.e + fp32) * stack.head.metric_losses},
                     Bytes{}, 1, 0);
        build
            .memory("metric_losses", Module::head, Bytes{logits * 2.0 * fp32 * stack.head.metric_losses},
                    Bytes{}, 2, 0)
            .forward_access = MemoryAccess::loss;
    }
    if (s.tp > 1 && stack.head.vocab_parallel) {
        // Maximum, predicted logit and sum of exponentials, one fp32 each a token.
        build.communicate("loss_sum", Module::head, Group::tensor, Collective::all_reduce,
                          Bytes{3.0 * s.tokens * fp32}, Collective::all_reduce, Bytes{});
    }
    return list;
}

}  // namespace traincost
