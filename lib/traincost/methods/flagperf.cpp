#include "traincost/methods/flagperf.hpp"

#include <fmt/format.h>

#include <array>

#include "traincost/base/scale.hpp"
#include "traincost/methods/six_nd.hpp"
#include "traincost/methods/tables.hpp"

namespace traincost {

std::span<const FlagPerfModel> flagperf_models() {
    static constexpr std::array<FlagPerfModel, 9> models = {{{"gpt3-6.7b", 6658596864.0, 6.7e9},
                                                             {"gpt3-13b", 12853626880.0, 13e9},
                                                             {"llama2-7b", 6738415616.0, 7e9},
                                                             {"llama2-70b", 68976648192.0, 70e9},
                                                             {"llama3-8b", 8030261248.0, 8e9},
                                                             {"baichuan2-13b", 13e9, 13e9},
                                                             {"chatglm3-6b", 6e9, 6e9},
                                                             {"mixtral-8x7b", 12.7e9, 12.7e9},
                                                             {"qwen1.5-moe", 2.3e9, 2.3e9}}};
    return models;
}

std::span<const FlagPerfPeak> flagperf_peaks() {
    static constexpr std::array<FlagPerfPeak, 5> peaks = {
        {{"A100", 312.0}, {"A800", 312.0}, {"H100", 989.0}, {"H800", 989.0}, {"H800-fp32", 495.0}}};
    return peaks;
}

const FlagPerfModel& flagperf_model(std::string_view name) {
    return method_row(flagperf_models(), name, "model");
}

const FlagPerfPeak& flagperf_peak(std::string_view name) {
    return method_row(flagperf_peaks(), name, "GPU");
}

std::string flagperf_configuration(const FlagPerfConfiguration& c) {
    return fmt::format("config_TP{}PP{}SH{}SP{}{}x{}x{}", c.tp, c.pp, c.zero, c.sharding, c.device, c.nodes,
                       c.gpus);
}

double flagperf_tokens(double samples_per_s, std::int64_t sequence, std::int64_t gpus) {
    return samples_per_s * static_cast<double>(sequence) / static_cast<double>(gpus);
}

double flagperf_mfu(double tokens_per_s_per_gpu, double parameters, const FlagPerfPeak& peak) {
    return six_nd_mfu(parameters, tokens_per_s_per_gpu, FlopRate{peak.TFLOPs * tera});
}

}  // namespace traincost
