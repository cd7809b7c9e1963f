// The pre-train sheet of Fast_LLM, reproduced to its printed digit, and its post-train figure.
//
// Source: wangxidong06/Fast_LLM, the README's table (printed by f289653, 2023-09-19), HEAD (3113a18) and its
// mixture-of-experts script. Its formulas are kept as they are, wrong ones too:
//   - activations are sqrt(activation/1e9) under checkpointing: the root of a figure in GB depends on the
//   unit;
//   - 34·s·b·h is bytes [Korthikanti22, Eq. 1] but is taken for elements and doubled;
//   - HEAD's score term uses the key-value head count (8) for a 70B model with 64 heads;
//   - a layer is 12h² + 6h whatever the MLP and the key-value heads; the untied head is left out and a
//   position
//     table is added (64.72 B for a 70B model of 68.98 B); the mixture's experts have two matrices;
//   - pipeline stages do not divide activations; bubbles and communication are left out, so that every
//   strategy
//     takes the same days;
//   - days always count 8ND, with recomputation, so that `tflops` must be a hardware rate;
//   - int(n/tp/pp) data-parallel ranks can leave GPUs idle; Zero3 is recommended without asking whether it
//   fits;
//   - its questions (does it fit?) are asked of figures rounded to two decimals;
//   - memory is in 10^9 bytes while GPUs have GiB; the mixture's Zero1 shards gradients and so equals its
//   Zero2.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/base/quantity.hpp"

namespace traincost {

enum class FastLlmVariant : std::uint8_t {
    readme,  ///< up to e954a72: activations of a layer 34·b·s·h
    head,    ///< 34·b·s·h + 5·s²·b·a
    moe,     ///< the mixture-of-experts script
};

/// A model that the scripts name in their comments.
struct FastLlmPreset {
    std::string_view name;
    std::int64_t hidden;
    std::int64_t layers;
    std::int64_t sequence;
    std::int64_t vocab;
};

std::span<const FastLlmPreset> fast_llm_presets();
/// The preset of that name, ignoring case. `Error` of kind not_found that suggests the nearest.
const FastLlmPreset& fast_llm_preset(std::string_view name);

/// The constants a user of Fast_LLM edits.
struct FastLlmInput {
    FastLlmVariant variant;
    std::int64_t hidden;
    std::int64_t layers;
    std::int64_t sequence;
    std::int64_t vocab;
    std::int64_t heads;    ///< head and moe
    std::int64_t experts;  ///< moe: 1, 2, 4 or 8
    std::int64_t nodes;
    std::int64_t gpus_per_node;
    std::int64_t gpu_memory_GB;
    std::int64_t batch;
    double billion_tokens;
    double tflops;  ///< per GPU, recomputation counted
    bool checkpointing = true;
};

/// A line of the memory table: billions of elements, and GB (10^9) in evaluation and training.
struct FastLlmMemory {
    std::string name;
    double size;
    double eval;
    double train;
};

/// GB (10^9) a GPU holds under a ZeRO stage.
struct FastLlmZero {
    std::string name;
    double eval;
    double train;
};

struct FastLlmPlan {
    std::string strategy;
    std::string dp;  ///< as printed: a Python float ("1.0") in the row without pipeline stages
    std::int64_t tp;
    std::int64_t pp;
    double train_GB;
    double days;
};

/// Everything the sheet prints.
struct FastLlmSheet {
    std::int64_t batch;
    double model_size;       ///< billions of parameters
    std::int64_t ratio;      ///< hidden / layers
    std::int64_t usable_GB;  ///< GPU memory less 1
    std::vector<FastLlmMemory> memory;
    std::vector<FastLlmZero> zero;
    std::vector<std::string> messages;
    std::vector<FastLlmPlan> plans;  ///< none when all GPUs together are too small
};

/// The constants that print the README's table; of `head` and `moe`, a 7B shape on a node of 8 GPUs.
FastLlmInput fast_llm_defaults(FastLlmVariant variant);

/// The sheet. `Error` of kind input where a count is not positive, and where the script has no live-expert
/// figure.
FastLlmSheet fast_llm(const FastLlmInput& input);

/// The sheet as its script prints it.
std::string fast_llm_text(const FastLlmSheet& sheet);

/// What its post-train script is told.
struct FastLlmRun {
    double parameters;
    std::int64_t sequence;
    std::int64_t global_batch;  ///< sequences of a step
    Seconds step;
    std::int64_t gpus;
};

/// The constants of the post-train script: 7B, 128 sequences of 4096 in 6.8 s on 32 GPUs.
FastLlmRun fast_llm_run_defaults();

/// Its post-train figure, TFLOP/s per GPU: N · 8 · s · batch / (step · GPUs), 8ND whatever was recomputed.
FlopRate fast_llm_achieved(const FastLlmRun& run);

}  // namespace traincost
