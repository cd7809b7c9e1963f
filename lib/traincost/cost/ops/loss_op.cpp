#include "traincost/cost/ops/loss_op.hpp"

#include <algorithm>
#include <cmath>

#include "traincost/cost/ops/unit_bound.hpp"

namespace traincost {

namespace {

constexpr double wide = 4.0;  // bytes of a logit in fp32

/// Launches of `each` kernels a chunk.
int launches_of(double chunks, int each) {
    return each * static_cast<int>(std::min(chunks, 1e6));
}

/// Gradients of logits alive beside what a compiled loss keeps, as often as that, by what `forward` returns.
double compiled_gradients(const StackSpec& stack) {
    switch (stack.head.logits) {
        case LogitsPlace::inside:
            return 0.0;
        case LogitsPlace::returned:
            return 2.0;
        case LogitsPlace::apart:
            return 1.0;
    }
    return 1.0;
}

/// Logits are read once forward, going back read and overwritten, by kernels that the arithmetic
/// of the softmax holds up on cards of much bandwidth.
void walk_compiled(const OpBuilder& build, double logits, Operator& loss) {
    const double e = build.shape().e;
    const AcceleratorSpec& card = build.job().cluster.accelerator;
    loss.forward_access = loss.backward_access = MemoryAccess::stream;
    if (!has_pointwise_kernels(card)) {
        loss.forward_bytes = loss.backward_bytes = Bytes{logits * 2.0 * e};
        return;
    }
    const double softcap = build.model().logits_softcap ? bytes_meanwhile(UnitRate::softcap, card) : 0.0;
    const double forward = bytes_meanwhile(UnitRate::log_softmax, card) + softcap;
    const double backward = bytes_meanwhile(UnitRate::log_softmax_gradients, card) + softcap;
    loss.forward_bytes = Bytes{logits * std::max(e, forward)};
    loss.backward_bytes = Bytes{logits * std::max(2.0 * e, backward)};
}

/// A compiler fuses casts into the reductions and the two gradients into one kernel: logits stay in the
/// compute format, and their gradient is written over them, or beside them where the loss is a graph of its
/// own, `beside` times. A model that returns its logits is given a gradient of zeros for them, and the sum
/// stands beside both; rows off the grid of products are copied out once for each product that goes back (one
/// H200, torch 2.11, 2026-11-26: 2 bytes a logit alive going back of a loss alone, 4 of a loss apart, 6 of
/// returned logits, 10 of 50,257 rows; under Transformers those have 6 too).
void compile_loss(const OpBuilder& build, double logits, double beside, Operator& loss) {
    loss.saved = Bytes{logits * build.shape().e};
    loss.backward_transient = loss.saved * beside;
    loss.forward_kernels = 3;
    loss.backward_kernels = 1;
    walk_compiled(build, logits, loss);
}

/// Whether rows of `elements` elements of `e` bytes start off the 16-byte grid that products want.
bool is_off_grid(double elements, double e) {
    return std::fmod(elements * e, 16.0) != 0.0;
}

/// Forward: logits in both formats beside the log-softmax, which is kept. Backward: the gradients with
/// respect to the log-softmax and to the fp32 logits beside it.
void widen_logits(const OpBuilder& build, const Operator& head, Operator& loss) {
    const Shape& s = build.shape();
    const StackSpec& stack = build.stack();
    const double logits = head.gemm.m * head.gemm.n;
    if (s.fused.loss) {
        compile_loss(build, logits, compiled_gradients(stack), loss);
        return;
    }
    loss.saved = Bytes{logits * wide};
    loss.forward_transient =
        Bytes{logits * (s.e + wide) + (s.autocast ? head.gemm.m * head.gemm.k * wide : 0.0)};
    loss.backward_transient = Bytes{logits * 2.0 * wide};
    // DTensor's loss_parallel keeps the fp32 logits beside the log-softmax.
    if (s.tp > 1 && stack.head.vocab_parallel && stack.layer.tensor_parallel == TensorParallelKind::dtensor)
        loss.saved += Bytes{logits * wide};
    loss.forward_bytes = Bytes{logits * (s.e + wide + 3.0 * wide)};
    loss.backward_bytes = Bytes{logits * (4.0 * wide + s.e)};
    loss.forward_kernels = 4;
    loss.backward_kernels = 4;
}

/// The fp32 copy is exponentiated in place and kept; its gradient is written over it, then narrowed.
void split_vocabulary(const OpBuilder& build, const Operator& head, Operator& loss) {
    const double e = build.shape().e;
    const double logits = head.gemm.m * head.gemm.n;
    loss.saved = Bytes{logits * wide};
    loss.forward_transient = Bytes{logits * e};
    loss.backward_transient = Bytes{logits * e};
    loss.forward_bytes = Bytes{logits * (e + wide + 5.0 * wide)};
    loss.backward_bytes = Bytes{logits * (3.0 * wide + e)};
    loss.forward_kernels = 12;
    loss.backward_kernels = 5;
}

/// A caller may hold the logits; beside them the log-softmax and, going back, the gradients with respect to
/// it and to the logits: 8 bytes a 16-bit logit. A loss that is part of the model lets the logits go.
/// Autocast makes the log-softmax and its gradient in fp32 straight from 16-bit logits and back.
void keep_format(const OpBuilder& build, const Operator& head, Operator& loss) {
    const Shape& s = build.shape();
    const StackSpec& stack = build.stack();
    const double logits = head.gemm.m * head.gemm.n;
    if (s.fused.loss) {
        const bool copied = stack.head.logits == LogitsPlace::returned && is_off_grid(head.gemm.n, s.e);
        compile_loss(build, logits, compiled_gradients(stack) + (copied ? 2.0 : 0.0), loss);
        return;
    }
    const bool held =
        stack.head.loss == LossKernel::logits_format && stack.head.logits != LogitsPlace::inside;
    const double made = s.autocast ? wide : s.e;
    loss.saved = Bytes{logits * ((held ? s.e : 0.0) + made)};
    loss.backward_transient = Bytes{logits * (made + s.e)};
    loss.forward_bytes = Bytes{logits * (3.0 * s.e + made)};
    loss.backward_bytes = Bytes{logits * (3.0 * made + 2.0 * s.e)};
    loss.forward_kernels = 3;
    loss.backward_kernels = 3;
}

/// Each chunk's fp32 log-softmax stays, its fp32 logits and gradients do not. Compiled, the logits stay in
/// its place. Gradients of the logits replace either chunk by chunk.
void chunk_logits(const OpBuilder& build, const Operator& head, Operator& loss) {
    const Shape& s = build.shape();
    const double logits = head.gemm.m * head.gemm.n;
    loss.saved = Bytes{logits * (s.fused.loss ? s.e : wide)};
    loss.forward_transient = Bytes{s.fused.loss ? 0.0 : logits * (s.e + wide / s.loss_chunks)};
    loss.backward_transient = Bytes{logits / s.loss_chunks * (s.fused.loss ? s.e : 2.0 * wide + s.e)};
    if (s.fused.loss) {
        walk_compiled(build, logits, loss);
    } else {
        loss.forward_bytes = Bytes{logits * (s.e + 4.0 * wide)};
        loss.backward_bytes = Bytes{logits * (2.0 * s.e + 3.0 * wide)};
    }
    loss.forward_kernels = loss.backward_kernels = launches_of(s.loss_chunks, 4);
}

/// Logits are read once for maximum and sum, read again and overwritten by the gradient; backward scales it.
void fuse_softmax(const OpBuilder& build, const Operator& head, Operator& loss) {
    const Bytes logits{head.gemm.m * head.gemm.n * build.shape().e};
    loss.saved = logits;
    loss.forward_bytes = logits * 3.0;
    loss.backward_bytes = logits * 2.0;
    loss.forward_kernels = 2;
    loss.backward_kernels = 1;
    loss.forward_access = loss.backward_access = MemoryAccess::stream;
}

/// Head and loss a chunk at a time, forward and back: `each` bytes of a logit walked, one of `loss_chunks`
/// parts of them alive. What stays is the gradient of the head's input; a chunk's gradient of the head's
/// weight is made beside the sum of those before it, which FSDP keeps in the format it reduces.
void take_in_chunks(const OpBuilder& build, Operator& head, Operator& loss, double each) {
    const Shape& s = build.shape();
    const double walked = head.gemm.m * head.gemm.n * each;
    const double weight = s.train_weights ? head.weights : 0.0;
    loss.saved = Bytes{head.gemm.m * head.gemm.k * s.e};
    loss.forward_bytes = Bytes{walked * 2.0};
    loss.backward_bytes = loss.saved * 3.0;
    loss.forward_kernels = launches_of(s.loss_chunks, s.fused.loss ? 3 : 8);
    loss.backward_kernels = 2;
    loss.forward_transient = loss.backward_transient =
        Bytes{walked / s.loss_chunks + weight * (s.e + s.summed_wider)};
    head.forward_transient = Bytes{};
    head.backward_transient = loss.saved;
}

}  // namespace

Operator loss_op(const OpBuilder& build, Operator& head) {
    const Shape& s = build.shape();
    Operator loss{.name = "cross_entropy", .module = Module::head, .kind = OpKind::memory};
    loss.forward_access = MemoryAccess::loss;
    loss.backward_access = MemoryAccess::loss_backward;
    switch (s.loss) {
        case LossKernel::fp32_logits:
            widen_logits(build, head, loss);
            break;
        case LossKernel::vocab_parallel:
            split_vocabulary(build, head, loss);
            break;
        case LossKernel::logits_format:
            keep_format(build, head, loss);
            break;
        case LossKernel::chunked:
            chunk_logits(build, head, loss);
            break;
        case LossKernel::fused_softmax:
            fuse_softmax(build, head, loss);
            break;
        case LossKernel::fused_linear:
            // Their gradient is written over the logits in the forward pass.
            take_in_chunks(build, head, loss, s.e);
            break;
        case LossKernel::chunked_linear:
            // A chunk goes back as soon as it went forward. Eager: logits in both formats, the log-softmax
            // and its gradient; compiled: logits and their gradient.
            take_in_chunks(build, head, loss, s.fused.loss ? 2.0 * s.e : s.e + 3.0 * wide);
            break;
    }
    const double logits = head.gemm.m * head.gemm.n;
    // A tanh that bounds the logits keeps its output.
    if (build.model().logits_softcap && !s.fused.loss && s.loss != LossKernel::fused_linear &&
        s.loss != LossKernel::chunked_linear)
        loss.saved += Bytes{logits * s.e};
    const double kept = s.loss == LossKernel::logits_format ? 0.0 : build.stack().head.logits_copies_fp32;
    const Bytes copies{logits * wide * kept};
    loss.forward_transient += copies;
    loss.backward_transient += copies;
    return loss;
}

}  // namespace traincost
