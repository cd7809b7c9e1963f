// FlagPerf's tables of language models: tokens a second of a GPU, and an MFU of 6N.
//
// MFU = tokens/s/GPU · 6 · N / peak, with a nominal N ("7B" is 7·10^9) where the table is not GPT-3's: no
// attention, the input embedding among the weights, and of a mixture the parameters that live.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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

/// What the name of one of its configurations says.
struct FlagPerfConfiguration {
    std::int64_t tp;
    std::int64_t pp;
    std::int64_t zero;
    std::int64_t sharding;  ///< ranks that share the states
    std::string device;     ///< "A10080G"
    std::int64_t nodes;
    std::int64_t gpus;  ///< of a node
};
/// config_TP{t}PP{p}SH{zero}SP{sharding}{device}x{nodes}x{gpus}
std::string flagperf_configuration(const FlagPerfConfiguration& configuration);

/// samples/s of all GPUs · sequence / GPUs: its tables have sequences of 2048 on 8 GPUs.
double flagperf_tokens(double samples_per_s, std::int64_t sequence, std::int64_t gpus);

/// tokens/s/GPU · 6 · N / peak.
double flagperf_mfu(double tokens_per_s_per_gpu, double parameters, const FlagPerfPeak& peak);

}  // namespace traincost
