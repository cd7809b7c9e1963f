#include "traincost/cost/kernels/kernel_choice.hpp"

#include "traincost/base/text.hpp"
#include "traincost/cost/blocks.hpp"

namespace traincost {

namespace {

AttentionChoice wanted(const Job& job) {
    return {job.run.attention.value_or(job.stack.attention.kernel),
            job.run.attention_generation.value_or(job.stack.attention.generation)};
}

bool wide(const Job& job) {
    return bytes_per_element(attention_format(job.run.precision)) > bytes_per_element(DataType::bf16);
}

bool grouped_queries(const Job& job) {
    return !job.model.mla && job.model.kv_heads != job.model.heads && !job.stack.attention.repeats_kv;
}

/// Layers of Megatron's kind call flash-attn's kernels or Transformer Engine's, and LLM Foundry's of 2023
/// flash-attn's in Triton: all start with Ampere, the first to have bf16. Layers of PyTorch's kind call
/// scaled_dot_product_attention, whose memory-efficient kernel runs from Pascal on.
bool needs_bf16_units(const Job& job, const AttentionChoice& choice) {
    if (choice.kernel == AttentionKernel::math || choice.generation == AttentionGeneration::memory_efficient)
        return false;
    return job.stack.layer.tensor_parallel == TensorParallelKind::megatron ||
           choice.generation == AttentionGeneration::flash_triton;
}

/// Falcon's layers of one key head hand it to the kernel as it is, where those of other families say that
/// groups share it or repeat it; of Transformers' own code (NewGELUActivation is what tells it).
bool hands_on_one_key_head(const Job& job) {
    return job.stack.layer.written_out_gelu && job.model.family == "falcon" && job.model.kv_heads == 1 &&
           job.model.heads > 1;
}

}  // namespace

DataType attention_format(const Precision& precision) {
    return precision.autocast && !multiplies_narrow(precision) ? precision.gemm : precision.compute;
}

bool attention_written_out(const Job& job) {
    return wanted(job).kernel == AttentionKernel::math;
}

bool runs_under_autocast(const Job& job) {
    return job.run.precision.autocast && job.stack.states.amp == CastMode::autocast;
}

bool softmax_stays_narrow(const Job& job) {
    return attention_written_out(job) && job.stack.attention.narrow_softmax_forward_bytes > 0.0 &&
           !runs_under_autocast(job);
}

bool attention_in_fp32(const Job& job) {
    return hands_on_one_key_head(job) && !wide(job) && wanted(job).kernel == AttentionKernel::flash;
}

bool trains_score_bias(const Job& job) {
    return job.stack.layer.written_out_gelu && job.model.position.kind == PositionKind::t5_relative_bias &&
           job.run.tuning == Tuning::full && wanted(job).kernel == AttentionKernel::flash;
}

AttentionChoice attention_in_force(const Job& job) {
    const AttentionChoice choice = wanted(job);
    const bool xla = job.stack.states.shard == ShardEngine::xla ||
                     job.stack.layer.tensor_parallel == TensorParallelKind::xla;
    if (choice.kernel == AttentionKernel::math || xla)
        return choice;
    const AcceleratorSpec& accelerator = job.cluster.accelerator;
    if (emulates(accelerator, job.run.precision.compute) ||
        (emulates(accelerator, DataType::bf16) && needs_bf16_units(job, choice)))
        return {AttentionKernel::math, choice.generation};
    if (attention_in_fp32(job))
        return {AttentionKernel::math, choice.generation};
    if (!wide(job))
        return choice;
    return {grouped_queries(job) ? AttentionKernel::math : AttentionKernel::flash,
            AttentionGeneration::memory_efficient};
}

bool autocast_misses_experts(const Job& job) {
    return runs_under_autocast(job) && job.stack.experts.walks > 0.0 && !fully_sharded(job) &&
           !job.run.precision.base;
}

bool attention_repeats_kv(const Job& job) {
    // Attention in eager operators multiplies head by head.
    const bool by_heads = wide(job) || attention_in_fp32(job) || !job.stack.attention.softmax_fused;
    return job.stack.attention.repeats_kv ||
           (by_heads && attention_in_force(job).kernel == AttentionKernel::math);
}

std::vector<std::string> substitutions(const Job& job) {
    std::vector<std::string> sentences;
    const AcceleratorSpec& accelerator = job.cluster.accelerator;
    const Precision& precision = job.run.precision;
    const std::string compute(to_string(precision.compute));
    if (emulates(accelerator, precision.gemm)) {
        const FlopRate emulated = *peak_rate(accelerator, precision.gemm);
        sentences.push_back(std::string(to_string(precision.gemm)) + " is emulated: " + accelerator.id +
                            " has no matrix units for it and multiplies at the fp32 rate of " +
                            to_text(emulated) + "; in fp16 (--precision) it reaches " +
                            to_text(*peak_rate(accelerator, DataType::fp16)));
    }
    const AttentionChoice asked = wanted(job);
    const AttentionChoice runs = attention_in_force(job);
    if (runs.kernel != asked.kernel && !emulates(accelerator, precision.compute) &&
        emulates(accelerator, DataType::bf16) && needs_bf16_units(job, asked))
        sentences.push_back("attention: math, its scores written to memory; the flash kernels of " +
                            job.stack.id + " need bf16 matrix units, which " + accelerator.id + " lacks");
    else if (attention_in_fp32(job))
        sentences.push_back(
            "attention: math in fp32, its scores written to memory; this model's layers hand their one key "
            "head to scaled_dot_product_attention, and no fused kernel takes fewer key heads than query "
            "heads");
    else if (trains_score_bias(job))
        sentences.push_back(
            "attention: math in fp32, its scores written to memory, but for cross attention; no fused kernel "
            "gives a gradient of the trained position bias");
    else if (runs.kernel != asked.kernel)
        sentences.push_back("attention: math, its scores written to memory; no fused kernel takes " +
                            compute + (wide(job) ? " with grouped queries" : " on " + accelerator.id));
    else if (runs.generation != asked.generation && runs.kernel == AttentionKernel::flash)
        sentences.push_back("attention: the memory-efficient kernel, the fused one that takes " + compute);
    return sentences;
}

}  // namespace traincost
