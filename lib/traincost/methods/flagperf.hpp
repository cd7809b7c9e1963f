// FlagPerf's tables of language models: tokens a second of a GPU, and an MFU of 6N.
//
// MFU = tokens/s/GPU · 6 · N / peak, with a nominal N ("7B" is 7·10^9) where the table is not GPT-3's: no
// attention, the input embedding among the weights, and of a mixture the parameters that live.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// A model and the N that its MFU is of.
struct FlagPerfModel {
    std::string_view name;
    double parameters;  ///< exact where it is known; else nominal
    double nominal;
};

struct FlagPerfPeak {
    std::string_view name;
    double TFLOPs;
};

std::span<const FlagPerfModel> flagperf_models();
std::span<const FlagPerfPeak> flagperf_peaks();
/// The rows of those names. `Error` of kind not_found that suggests the nearest.
const FlagPerfModel& flagperf_model(std::string_view name);
const FlagPerfPeak& flagperf_peak(std::string_view name);

/// samples/s of all GPUs · sequence / GPUs: its tables have sequences of 2048 on 8 GPUs.
double flagperf_tokens(double samples_per_s, std::int64_t sequence, std::int64_t gpus);

/// tokens/s/GPU · 6 · N / peak.
double flagperf_mfu(double tokens_per_s_per_gpu, double parameters, const FlagPerfPeak& peak);

}  // namespace traincost
