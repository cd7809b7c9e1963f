// llm-train-bench (2024): the FLOPs of a token and the MFU that its progress line shows.
//
// A token costs 6N + 12·L·a·(h/a)·s. N has the input embedding, which multiplies nothing: a third of the
// claimed work of a model of one layer. Attention is counted over all positions; a later version halves it.
// The FLOPs are the model's: what is recomputed is not counted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// A configuration of its folder.
struct LlmBenchModel {
    std::string_view name;
    std::int64_t layers;
    std::int64_t hidden;
    std::int64_t heads;
    std::int64_t kv_heads;  ///< 0: a GPT-2, whose head is tied and whose positions are learned
    std::int64_t ffn;
    std::int64_t sequence;
    std::int64_t vocab;
    std::int64_t window = 0;  ///< keys that a query sees at most; 0: all
};

/// A device it knows, with the peaks it divides by.
struct LlmBenchPeak {
    std::string_view name;
    double bf16_TFLOPs;
    double fp8_TFLOPs;
};

std::span<const LlmBenchModel> llm_bench_models();
std::span<const LlmBenchPeak> llm_bench_peaks();
/// The rows of those names. `Error` of kind not_found that suggests the nearest.
const LlmBenchModel& llm_bench_model(std::string_view name);
const LlmBenchPeak& llm_bench_peak(std::string_view name);

/// FLOPs of a token, forward and backward.
struct LlmBenchWork {
    double parameters;
    Flops claimed;    ///< 6N + 12Lhs
    Flops causal;     ///< the later version: half the attention, or what a window leaves of it
    Flops corrected;  ///< without what is looked up: input embedding (of an untied model), learned positions
    Flops corrected_causal;
};

LlmBenchWork llm_bench_work(const LlmBenchModel& model);

/// Share of all pairs of positions that the later version counts: 1/2, or with a window W of T positions
/// (W(W - 1)/2 + (T - W + 1) W)/T².
double llm_bench_density(const LlmBenchModel& model);

/// "[rank0] 350 TFLOP/s MFU=35.4%": what its progress line shows.
std::string llm_bench_line(double tflops, double peak_TFLOPs);

/// Tokens per second and GPU at a claimed rate, by the GFLOP of a token as printed: four decimals.
double llm_bench_tokens(const LlmBenchWork& work, double tflops);

}  // namespace traincost
