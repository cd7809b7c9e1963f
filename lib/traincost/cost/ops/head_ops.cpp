#include <algorithm>
#include <cmath>

#include "traincost/cost/ops/op_builder.hpp"

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

namespace {

/// A compiler fuses casts into the reductions and the two gradients into one kernel: `kept` bytes of logits
/// stay, and their gradient is written over them, or beside them where the loss is a graph of its own. A
/// model that returns its logits is given a gradient of zeros for them, and the sum stands beside both;
/// `padded` rows off the grid of products are copied out once for each product that goes back (one H200,
/// torch 2.11, 2026-11-26: 2 bytes a logit alive going back of a loss alone, 4 of a loss apart, 6 of returned
/// logits, 10 of 50,257 rows; under Transformers those have 6 too).
void compile_loss(Operator& loss, Bytes kept, double beside) {
    loss.saved = kept;
    loss.backward_transient = kept * beside;
    loss.forward_bytes = kept * 2.0;
    loss.backward_bytes = kept * 2.0;
    loss.forward_kernels = 3;
    loss.backward_kernels = 1;
    loss.forward_access = loss.backward_access = MemoryAccess::stream;
}

/// Whether rows of `elements` elements of `e` bytes start off the 16-byte grid that products want.
bool is_off_grid(double elements, double e) {
    return std::fmod(elements * e, 16.0) != 0.0;
}

/// Head and loss a chunk at a time, forward and back: `walked` bytes of logits in all, one of `loss_chunks`
/// parts of them alive. What stays is the gradient of the head's input; a chunk's gradient of the head's
/// weight is made beside the sum of those before it, which FSDP keeps in the format it reduces.
void take_in_chunks(const OpBuilder& build, Operator& head, Operator& loss, double walked) {
    const Shape& s = build.shape();
    const double weight = s.train_weights ? head.weights : 0.0;
    loss.saved = Bytes{head.gemm.m * head.gemm.k * s.e};
    loss.forward_bytes = Bytes{walked * 2.0};
    loss.backward_bytes = loss.saved * 3.0;
    loss.forward_kernels = static_cast<int>(std::min(s.loss_chunks, 1e6)) * (s.fused.loss ? 3 : 8);
    loss.backward_kernels = 2;
    loss.forward_transient = loss.backward_transient =
        Bytes{walked / s.loss_chunks + weight * (s.e + s.summed_wider)};
    head.forward_transient = Bytes{};
    head.backward_transient = loss.saved;
}

}  // namespace

OpList head_ops(const Job& job, const Shape& s) {
    OpList list;
    OpBuilder build(job, s, list);
    const ModelSpec& m = job.model;
    const StackSpec& stack = job.stack;
    const double h = static_cast<double>(m.hidden);
    const double width = m.embedding_dim ? static_cast<double>(*m.embedding_dim) : h;
    if (m.norm.final_norm)
        build.norm("final_norm", s.tokens_sp, h, true);
    if (!m.lm_head && !m.masked_lm)
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
    const std::size_t head = list.size();
    build.linear("head", Module::head, s.tokens, v, width, build.saved_norm_output(width, 1),
                 low_rank_pair(job.run.adapter.lm_head), m.bias.lm_head || m.masked_lm,
                 m.embedding_dim && !m.masked_lm ? 0 : 1);
    const double logits = s.tokens * v;
    constexpr double fp32 = 4.0;
    build.last().forward_transient = Bytes{logits * s.e};

    Operator loss{.name = "cross_entropy", .module = Module::head, .kind = OpKind::memory};
    loss.forward_access = MemoryAccess::loss;
    loss.backward_access = MemoryAccess::loss_backward;
    const bool returned = stack.head.logits == LogitsPlace::returned;
    const bool inside = stack.head.logits == LogitsPlace::inside;
    const double beside = inside ? 0.0 : returned ? 2.0 : 1.0;
    switch (s.loss) {
        case LossKernel::fp32_logits:
            if (s.fused.loss) {
                compile_loss(loss, Bytes{logits * s.e}, beside);
                break;
            }
            // Forward: logits in both formats beside the log-softmax, which is kept. Backward: the gradients
            // with respect to the log-softmax and to the fp32 logits beside it.
            loss.saved = Bytes{logits * fp32};
            loss.forward_transient =
                Bytes{logits * (s.e + fp32) + (s.autocast ? s.tokens * width * fp32 : 0.0)};
            loss.backward_transient = Bytes{logits * 2.0 * fp32};
            // DTensor's loss_parallel keeps the fp32 logits beside the log-softmax.
            if (s.tp > 1 && stack.head.vocab_parallel &&
                stack.layer.tensor_parallel == TensorParallelKind::dtensor)
                loss.saved += Bytes{logits * fp32};
            loss.forward_bytes = Bytes{logits * (s.e + fp32 + 3.0 * fp32)};
            loss.backward_bytes = Bytes{logits * (4.0 * fp32 + s.e)};
            loss.forward_kernels = 4;
            loss.backward_kernels = 4;
            break;
        case LossKernel::vocab_parallel:
            // fp32 copy exponentiated in place and kept; its gradient is written over it, then narrowed.
            loss.saved = Bytes{logits * fp32};
            loss.forward_transient = Bytes{logits * s.e};
            loss.backward_transient = Bytes{logits * s.e};
            loss.forward_bytes = Bytes{logits * (s.e + fp32 + 5.0 * fp32)};
            loss.backward_bytes = Bytes{logits * (3.0 * fp32 + s.e)};
            loss.forward_kernels = 12;
            loss.backward_kernels = 5;
            break;
        case LossKernel::logits_format: {
            if (s.fused.loss) {
                compile_loss(loss, Bytes{logits * s.e},
                             beside + (returned && is_off_grid(v, s.e) ? 2.0 : 0.0));
                break;
            }
            // A caller may hold the logits; beside them the log-softmax and, going back, the gradients with
            // respect to it and to the logits: 8 bytes a 16-bit logit. A loss that is part of the model lets
            // the logits go.
            // Autocast makes the log-softmax and its gradient in fp32 straight from 16-bit logits and back.
            const bool held = stack.head.loss == LossKernel::logits_format && !inside;
            const double made = s.autocast ? fp32 : s.e;
            loss.saved = Bytes{logits * ((held ? s.e : 0.0) + made)};
            loss.forward_transient = Bytes{};
            loss.backward_transient = Bytes{logits * (made + s.e)};
            loss.forward_bytes = Bytes{logits * (3.0 * s.e + made)};
            loss.backward_bytes = Bytes{logits * (3.0 * made + 2.0 * s.e)};
            loss.forward_kernels = 3;
            loss.backward_kernels = 3;
            break;
        }
        case LossKernel::chunked: {
            // Each chunk's fp32 log-softmax stays, its fp32 logits and gradients do not. Compiled, the
            // logits stay in its place. Gradients of the logits replace either chunk by chunk.
            const double chunks = s.loss_chunks;
            loss.saved = Bytes{logits * (s.fused.loss ? s.e : fp32)};
            loss.forward_transient = Bytes{s.fused.loss ? 0.0 : logits * (s.e + fp32 / chunks)};
            loss.backward_transient = Bytes{logits / chunks * (s.fused.loss ? s.e : 2.0 * fp32 + s.e)};
            // The head runs a chunk at a time too: a chunk's weight gradient beside their sum.
            if (s.train_weights)
                build.last().backward_transient += Bytes{v * width * s.e};
            loss.forward_bytes = Bytes{logits * (s.e + (s.fused.loss ? 0.0 : 4.0 * fp32))};
            loss.backward_bytes = Bytes{logits * (2.0 * s.e + (s.fused.loss ? 0.0 : 3.0 * fp32))};
            loss.forward_kernels = loss.backward_kernels = 4 * static_cast<int>(std::min(chunks, 1e6));
            break;
        }
        case LossKernel::fused_softmax:
            // Read once for maximum and sum, read again and overwritten by the gradient; backward scales it.
            loss.saved = Bytes{logits * s.e};
            loss.forward_bytes = Bytes{logits * 3.0 * s.e};
            loss.backward_bytes = Bytes{logits * 2.0 * s.e};
            loss.forward_kernels = 2;
            loss.backward_kernels = 1;
            loss.forward_access = MemoryAccess::stream;
            loss.backward_access = MemoryAccess::stream;
            break;
        case LossKernel::fused_linear:
            // Logits live one chunk at a time and their gradient is written over them in the forward pass;
            // the gradient of the head's input is kept until the backward pass.
            take_in_chunks(build, list[head], loss, logits * s.e);
            break;
        case LossKernel::chunked_linear: {
            // A chunk goes back as soon as it went forward. Eager: logits in both formats, the log-softmax
            // and its gradient; compiled: logits and their gradient.
            const double each = s.fused.loss ? 2.0 * s.e : s.e + 3.0 * fp32;
            take_in_chunks(build, list[head], loss, logits * each);
            break;
        }
    }
    // A tanh that bounds the logits keeps its output.
    if (m.logits_softcap && !s.fused.loss && s.loss != LossKernel::fused_linear &&
        s.loss != LossKernel::chunked_linear)
        loss.saved += Bytes{logits * s.e};
    const Bytes copies{logits * fp32 * stack.head.logits_copies_fp32};
    loss.forward_transient += copies;
    loss.backward_transient += copies;
    list.push(loss);
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
