// What the attention time model knows of a kernel on an accelerator: plain data (docs/model.md, "Attention
// time").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// Implementations of softmax attention.
enum class AttentionGeneration : std::uint8_t {
    flash2,            ///< FlashAttention-2 and what PyTorch calls flash
    flash3,            ///< FlashAttention-3 (Hopper), and cuDNN's kernels of that generation
    flash4,            ///< FlashAttention-4 and cuDNN on Blackwell
    memory_efficient,  ///< xFormers / PyTorch "efficient"
    flash_triton,      ///< FlashAttention of 2022 and 2023 written in Triton
    flash_pallas,      ///< JAX's Pallas kernels on TPU in their default blocks
    flash_aiter,       ///< AMD's AITER on CDNA, where a stack asks for it
    math,              ///< scores written to memory: two batched products around a softmax
};
inline constexpr std::size_t attention_generation_count = 8;

/// One direction of one kernel, by head dimension (linear in between, constant outside).
struct AttentionCurve {
    static constexpr std::size_t knots = 4;
    std::array<double, knots> head_dim;
    std::array<double, knots> efficiency;   ///< e: fraction of the 16-bit peak at endless length
    std::array<double, knots> extra_keys;   ///< X: start and end of a block of queries cost so many keys
    std::array<double, knots> causal_keys;  ///< X_c: and the cut diagonal so many more
    std::array<double, knots> masked;  ///< time given a mask over that of as many scores without; 0: it takes
                                       ///< no mask
    bool operator==(const AttentionCurve&) const = default;
};

/// One implementation on one architecture.
struct AttentionFit {
    AttentionCurve forward;
    AttentionCurve backward;  ///< of 2.5 times the forward FLOPs: it computes the scores again
    double query_block;       ///< queries a compute unit takes at a time
    double shared_keys;       ///< factor on backward where several query heads share a key head
    Seconds launch;           ///< of one direction
    double head_step = 1.0;   ///< kernels are there for heads of its multiples, beyond 128 of those of 64 at
                              ///< least: others are padded to the next
    bool operator==(const AttentionFit&) const = default;
};

/// Attention that writes its scores: bytes moved for each of the heads x queries x keys scores, causal or
/// not.
struct MathAttentionFit {
    double forward_bytes;
    double backward_bytes;
    double misaligned;  ///< fraction of the 16-bit peak of batched products of heads off the 16-byte grid
    bool operator==(const MathAttentionFit&) const = default;
};

/// The fits of one architecture; absent where there is no such kernel.
struct AttentionFits {
    std::array<std::optional<AttentionFit>, attention_generation_count>
        by_generation;  ///< [math] stays empty
    MathAttentionFit math;
    AttentionGeneration fastest;  ///< what a current stack runs
    bool operator==(const AttentionFits&) const = default;
};

/// A fit on an accelerator: all that `attention_forward_time` and `attention_backward_time` read.
struct AttentionModel {
    FlopRate peak;       ///< dense, 16-bit; of 32-bit operands the fused kernel's share of it
    ByteRate bandwidth;  ///< achieved
    double units;
    std::optional<AttentionFit> fit;         ///< absent: scores are written to memory
    std::optional<AttentionFit> masked_fit;  ///< the fused kernel that runs where it is given a mask
    MathAttentionFit math;
    double element = 2.0;  ///< bytes of an operand's element
    bool operator==(const AttentionModel&) const = default;
};

}  // namespace traincost
