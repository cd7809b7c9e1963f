// Which kernels run where hardware or library has none for what the run or its stack asks for.
#pragma once

#include <string>
#include <vector>

#include "traincost/spec/job.hpp"

namespace traincost {

/// The attention kernel in force, and its generation where it is a fused one.
struct AttentionChoice {
    AttentionKernel kernel;
    AttentionGeneration generation;
    bool operator==(const AttentionChoice&) const = default;
};

/// What the run, else the stack, asks for, where there is such a kernel: flash kernels take 16-bit operands
/// alone, the memory-efficient one 32-bit ones too but no grouped queries (PyTorch's
/// scaled_dot_product_attention), none emulates a format, and those of flash-attn and Transformer Engine,
/// which stacks with Megatron's layers call, need bf16 matrix units. Else scores are written to memory. XLA's
/// kernels take every format.
AttentionChoice attention_in_force(const Job& job);

/// Whether 16-bit operands meet scaled_dot_product_attention as no fused kernel takes them: its other path
/// widens them, multiplies in fp32 and keeps fp32 probabilities (`_scaled_dot_product_attention_math`).
bool attention_in_fp32(const Job& job);

/// Whether run or stack asks for attention whose scores are written to memory, where no kernel's lack leads
/// to it.
bool attention_written_out(const Job& job);

/// Whether operators run under torch.autocast, which narrows products and widens what is sensitive.
bool runs_under_autocast(const Job& job);

/// Whether the softmax of attention that is written out takes 16-bit scores as they are: of code that widens
/// nothing, without autocast, which would.
bool softmax_stays_narrow(const Job& job);

/// The format of attention's operands: autocast narrows them as it does those of products, to 16 bits.
DataType attention_format(const Precision& precision);

/// Whether a trained table of relative positions is added to the scores (T5), of which no fused kernel gives
/// a gradient: attention to the layer's own tokens takes that path too (profile of a T5, transformers 5.17,
/// torch 2.11, H200, 2026-11-26).
bool trains_score_bias(const Job& job);

/// Whether experts' products stay in fp32: torch.autocast knows no grouped product, so those of fp32 weights
/// run as they are, a product for each expert, unless a sharded wrapper casts the weights it gathers
/// (profiles of OLMoE and Qwen3, transformers 5.17, torch 2.11, H200, 2026-11).
bool autocast_misses_experts(const Job& job);

/// Where attention that is not fused makes one key and value head for each query head first.
bool attention_repeats_kv(const Job& job);

/// A sentence for each kernel that runs in another's place.
std::vector<std::string> substitutions(const Job& job);

}  // namespace traincost
