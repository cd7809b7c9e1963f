#include "traincost/methods/llm_bench.hpp"

#include <array>

#include "traincost/base/scale.hpp"
#include "traincost/methods/printed.hpp"
#include "traincost/methods/tables.hpp"

namespace traincost {

std::span<const LlmBenchModel> llm_bench_models() {
    // (Its gpt2-350m and gpt2-774m are copies of 125m, its Llama-2 has a vocabulary of 3200.)
    static constexpr std::array<LlmBenchModel, 12> models = {
        {{"gpt2-125m", 12, 768, 12, 0, 3072, 1024, 50304},
         {"gpt2-350m", 12, 768, 12, 0, 3072, 1024, 50304},
         {"gpt2-774m", 12, 768, 12, 0, 3072, 1024, 50304},
         {"gpt2-1.5b", 48, 1600, 25, 0, 6400, 1024, 50304},
         {"llama-3.1-8b", 32, 4096, 32, 8, 14336, 4096, 128256},
         {"llama-3.1-8b-proxy", 1, 4096, 32, 8, 14336, 4096, 128256},
         {"llama-3.1-70b", 80, 8192, 64, 8, 28672, 4096, 128256},
         {"llama-3.1-70b-proxy", 1, 8192, 64, 8, 28672, 4096, 128256},
         {"llama-3.1-70b-proxy2", 2, 8192, 64, 8, 28672, 4096, 128256},
         {"llama-3.1-70b-proxy4", 4, 8192, 64, 8, 28672, 4096, 128256},
         {"llama-2-7b", 32, 4096, 32, 32, 11008, 4096, 3200},
         {"mistral-7b-v0.1", 32, 4096, 32, 8, 14336, 8192, 32000, 1024}}};
    return models;
}

std::span<const LlmBenchPeak> llm_bench_peaks() {
    static constexpr std::array<LlmBenchPeak, 3> peaks = {
        {{"H100", 989.5, 1979.0}, {"H200", 989.5, 1979.0}, {"MI300X", 1300.0, 2610.0}}};
    return peaks;
}

const LlmBenchModel& llm_bench_model(std::string_view name) {
    return method_row(llm_bench_models(), name, "model");
}

const LlmBenchPeak& llm_bench_peak(std::string_view name) {
    return method_row(llm_bench_peaks(), name, "GPU");
}

LlmBenchWork llm_bench_work(const LlmBenchModel& model) {
    const double L = static_cast<double>(model.layers);
    const double h = static_cast<double>(model.hidden);
    const std::int64_t head_width = model.hidden / model.heads;
    const auto width = static_cast<double>(head_width);
    const double a = static_cast<double>(model.heads);
    const double k = static_cast<double>(model.kv_heads);
    const double f = static_cast<double>(model.ffn);
    const double s = static_cast<double>(model.sequence);
    const double V = static_cast<double>(model.vocab);
    const bool gpt = model.kv_heads == 0;
    // Biases and two norms with biases, or three matrices of the MLP and two norms without.
    const double layer = gpt ? 4.0 * h * h + 2.0 * h * f + 9.0 * h + f
                             : 2.0 * h * a * width + 2.0 * h * width * k + 3.0 * h * f + 2.0 * h;
    const double N = gpt ? V * h + s * h + L * layer + 2.0 * h : 2.0 * V * h + L * layer + h;
    const double looked_up = gpt ? s * h : V * h;
    // Heads times their width, which where a does not divide h is less than h.
    const double attention = 12.0 * L * a * width * s;
    const double seen = attention * llm_bench_density(model);
    return {.parameters = N,
            .claimed = Flops{6.0 * N + attention},
            .causal = Flops{6.0 * N + seen},
            .corrected = Flops{6.0 * (N - looked_up) + attention},
            .corrected_causal = Flops{6.0 * (N - looked_up) + seen}};
}

double llm_bench_density(const LlmBenchModel& model) {
    constexpr double causal = 0.5;
    if (model.window == 0 || model.window > model.sequence) {
        return causal;
    }
    const double W = static_cast<double>(model.window);
    const double T = static_cast<double>(model.sequence);
    return (W * (W - 1.0) / 2.0 + (T - W + 1.0) * W) / (T * T);
}

std::string llm_bench_line(double tflops, double peak_TFLOPs) {
    constexpr double percent = 100.0;
    return "[rank0] " + decimals_text(tflops, 2) +
           " TFLOP/s MFU=" + decimals_text(tflops / peak_TFLOPs * percent, 2) + "%";
}

double llm_bench_tokens(const LlmBenchWork& work, double tflops) {
    return tflops * kilo / python_round(work.claimed.value() / giga, 4);
}

}  // namespace traincost
