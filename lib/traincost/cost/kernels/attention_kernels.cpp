#include "traincost/cost/kernels/attention_kernels.hpp"

#include "traincost/cost/kernels/kernel_choice.hpp"

namespace traincost {

namespace {

Seconds flash_kernel_time(const AttentionShape& shape, bool forward, const AttentionModel& model) {
    return forward ? attention_forward_time(shape, model) : attention_backward_time(shape, model);
}

/// A kernel for each block of keys and values around a ring. Of a causal sequence a rank has the first and
/// the last of 2 cp parts: with its own keys a causal kernel, with those of each rank before it all queries
/// over half the keys, of each behind it half the queries over all keys.
Seconds ring_time(const AttentionShape& whole, double cp, bool forward, const AttentionModel& model) {
    AttentionShape block = whole;
    block.keys = block.span = whole.keys / cp;
    const Seconds own = flash_kernel_time(block, forward, model);
    if (!whole.causal)
        return own * cp;
    block.causal = false;
    AttentionShape before = block, behind = block;
    before.keys = before.span = block.keys / 2.0;
    behind.queries = block.queries / 2.0;
    return own + (flash_kernel_time(before, forward, model) + flash_kernel_time(behind, forward, model)) *
                     ((cp - 1.0) / 2.0);
}

Seconds flash_time(AttentionShape shape, bool forward, const KernelContext& c) {
    const Job& job = *c.job;
    const double cp = static_cast<double>(job.run.parallel.cp);
    const bool ring = cp > 1.0 && job.run.context == ContextKind::ring &&
                      job.stack.attention.ring_launches > 0.0 && shape.span >= shape.keys;
    const auto time = [&](const AttentionModel& model) {
        return ring ? ring_time(shape, cp, forward, model) : flash_kernel_time(shape, forward, model);
    };
    // Whoever traces the model cannot leave out the mask of a causal one.
    const bool traced =
        job.stack.attention.compiled_mask && !asks_for_flash(job.run) && is_compiled(job.run, job.stack);
    shape.masked = shape.masked || (shape.causal && traced);
    if (!shape.masked)
        return time(c.attention);
    // Every score is computed, those masked too, by another kernel where the job's own takes no mask.
    shape.causal = false;
    shape.span = shape.keys;
    AttentionModel given = c.attention;
    given.fit = given.masked_fit;
    return time(given);
}

/// Bytes a score of a stack's own eager operators. A tanh that bounds the scores stands between two products
/// with a number; sinks are a column of their own, joined to the scores before the softmax, which stays
/// narrow but under autocast (Gemma 2 and GPT-OSS of transformers 5.17 in six shapes on one H200, torch 2.11,
/// 2026-11-26: 17 and 20, 36 and 11, 48 and 55 bytes more).
double written_out_bytes(bool forward, const Job& job) {
    const StackAttention& attention = job.stack.attention;
    const bool narrow = softmax_stays_narrow(job);
    double bytes =
        forward ? (narrow ? attention.narrow_softmax_forward_bytes : attention.written_out_forward_bytes)
                : (narrow ? attention.narrow_softmax_backward_bytes : attention.written_out_backward_bytes);
    if (job.run.dropout.value_or(job.stack.layer.dropout) > 0.0)
        bytes += narrow ? 5.0 : 9.0;  // read and written in the softmax's format, with a mask of a byte
    if (job.model.attention_softcap)
        bytes += forward ? 17.0 : 20.0;
    if (job.model.attention_sinks > 0) {
        const bool widened = runs_under_autocast(job);
        bytes += widened ? (forward ? 48.0 : 55.0) : (forward ? 36.0 : 11.0);
    }
    return bytes;
}

/// Attention that writes its scores.
Seconds unfused_time(const AttentionShape& shape, bool forward, const KernelContext& c) {
    const RunSpec& run = c.job->run;
    const bool widened = (attention_in_fp32(*c.job) || shape.trained_bias) && c.wide_gemm;
    const Bytes element = bytes_per_element(widened ? DataType::fp32 : attention_format(run.precision));
    const bool by_hand =
        attention_written_out(*c.job) && c.job->stack.attention.written_out_forward_bytes > 0.0;
    const BatchedAttention batched{widened ? &*c.wide_gemm : &c.plain_gemm,
                                   &c.memory,
                                   element.value(),
                                   c.attention.math.misaligned,
                                   run.dropout.value_or(c.job->stack.layer.dropout) > 0.0,
                                   by_hand};
    if (c.job->stack.attention.softmax_fused) {
        return forward ? batched_attention_forward_time(shape, batched)
                       : batched_attention_backward_time(shape, batched);
    }
    if (element > bytes_per_element(DataType::bf16)) {
        return forward ? wide_attention_forward_time(shape, batched)
                       : wide_attention_backward_time(shape, batched);
    }
    if (by_hand) {
        const double scores = shape.batch * shape.heads * shape.queries * shape.keys;
        return Bytes{scores * written_out_bytes(forward, *c.job)} / c.attention.bandwidth;
    }
    return forward ? attention_forward_time(shape, c.attention) : attention_backward_time(shape, c.attention);
}

}  // namespace

Seconds attention_kernel_time(const AttentionShape& shape, bool forward, const KernelContext& c) {
    return c.attention.fit && !shape.trained_bias ? flash_time(shape, forward, c)
                                                  : unfused_time(shape, forward, c);
}

}  // namespace traincost
