#include "traincost/import/logs/training_log.hpp"

#include <array>
#include <cmath>

namespace traincost {

std::string_view to_string(LogFramework framework) {
    static constexpr std::array<std::string_view, log_framework_count> names = {
        "megatron-lm", "megatron-deepspeed",
        "deepspeed",   "torchtitan",
        "nanotron",    "hf-trainer",
        "lightning",   "llm-foundry",
        "nemo",        "gpt-neox",
        "axolotl",     "llama-factory",
        "maxtext",     "litgpt",
        "nanogpt",     "torchtune",
        "primus",      "xtuner",
        "nanochat",    "mlperf"};
    return names[static_cast<std::size_t>(framework)];
}

std::string to_string(const LogOddity& oddity) {
    return oddity.line > 0 ? "line " + std::to_string(oddity.line) + ": " + oddity.text : oddity.text;
}

std::optional<Seconds> optimizer_step_time(const TrainingLog& log) {
    if (log.step_time) {
        return *log.step_time * static_cast<double>(log.micro_steps.value_or(1));
    }
    if (log.steps_per_s) {
        return Seconds{1.0 / *log.steps_per_s};
    }
    return std::nullopt;
}

std::optional<std::int64_t> accelerators_of(const TrainingLog& log) {
    if (!log.tokens_per_s || !log.tokens_per_s_per_gpu) {
        return std::nullopt;
    }
    const double ratio = *log.tokens_per_s / *log.tokens_per_s_per_gpu;
    const double whole = std::round(ratio);
    constexpr double rounding = 0.02;      // both are printed to three digits
    constexpr double most = 16'777'216.0;  // accelerators that a cluster may have
    return whole >= 1.0 && whole <= most && std::abs(ratio / whole - 1.0) < rounding
               ? std::optional(static_cast<std::int64_t>(whole))
               : std::nullopt;
}

}  // namespace traincost
