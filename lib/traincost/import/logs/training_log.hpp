// What the log of a training run says: a plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// Who printed a log.
enum class LogFramework : std::uint8_t {
    megatron_lm,
    megatron_deepspeed,
    deepspeed,
    torchtitan,
    nanotron,
    hf_trainer,
    lightning,
    llm_foundry,
    nemo,
    gpt_neox,
    axolotl,
    llama_factory,
    maxtext,
    litgpt,
    nanogpt,
    torchtune,
    primus,
    xtuner,
    nanochat,
    mlperf,
};
inline constexpr int log_framework_count = 20;
/// "megatron-lm", "hf-trainer", ...
std::string_view to_string(LogFramework framework);

/// Something a reader of the log should know.
struct LogOddity {
    std::int64_t line = 0;  ///< where it was first seen; 0: it concerns the whole log
    std::string text{};
    bool operator==(const LogOddity&) const = default;
};
/// "line 12: text", or the text alone.
std::string to_string(const LogOddity& oddity);

/// How the printed times of a step lie around their median; warm-up is left out.
struct StepSpread {
    std::int64_t steps = 0;  ///< printed times these are of
    Seconds fastest{};
    Seconds slowest{};
    std::int64_t slowest_iteration = 0;
    std::int64_t slowest_line = 0;
    Seconds p90{};          ///< nine of ten are no slower
    std::int64_t slow = 0;  ///< more than 1.5 times the median
    double slow_share = 0;  ///< of all time, what slow steps took beyond the median
    bool operator==(const StepSpread&) const = default;
};

/// The log of a run. Rates and times are medians of what is printed, without the first iteration of a start
/// and without those next to an evaluation or a checkpoint; nothing that is not printed is filled in.
struct TrainingLog {
    std::optional<LogFramework> framework{};  ///< nothing for metrics that no framework is known to write
    std::int64_t lines = 0;
    std::int64_t bytes = 0;
    std::int64_t iterations = 0;  ///< distinct iteration numbers printed; of Hugging Face, lines with a loss
    std::optional<std::int64_t> first_iteration{};
    std::optional<std::int64_t> last_iteration{};
    std::optional<std::int64_t> planned_iterations{};

    std::optional<Seconds> step_time{};  ///< of one iteration as printed: in LitGPT, of a micro-step
    std::optional<StepSpread> spread{};
    std::optional<double> tokens_per_s{};          ///< of all accelerators
    std::optional<double> tokens_per_s_per_gpu{};  ///< of one
    std::optional<double> samples_per_s{};         ///< of all accelerators
    std::optional<double> steps_per_s{};           ///< where a rate is printed instead of a time
    std::optional<double> tflops_per_gpu{};  ///< 10^12 floating-point operations, as the framework counts
    std::optional<double> loss_last{};       ///< nothing where the last is NaN or infinite

    std::optional<Bytes> peak_memory{};  ///< the largest printed, of any kind and rank
    std::optional<Bytes> allocated{};    ///< the largest allocated by tensors
    std::optional<Bytes> reserved{};     ///< the largest reserved by the allocator
    std::optional<Bytes> device{};       ///< the largest used on a device

    std::optional<std::int64_t> global_batch{};  ///< sequences of a step
    std::optional<std::int64_t> sequence{};      ///< tokens
    std::optional<std::int64_t> micro_steps{};   ///< iterations of an optimizer step, where they are not one
    std::int64_t skipped_steps = 0;              ///< overflow of the loss scale
    std::int64_t nan_steps = 0;                  ///< iterations whose loss is NaN or infinite
    std::int64_t restarts = 0;
    std::int64_t repeated_lines = 0;  ///< iterations printed again: by another rank, or after a restart
    std::vector<LogOddity> oddities{};
};

/// Seconds of an optimizer step: as printed, times micro-steps, or from steps a second. Nothing where neither
/// is printed.
std::optional<Seconds> optimizer_step_time(const TrainingLog& log);

/// Accelerators, where the log prints both the tokens a second of all and of one.
std::optional<std::int64_t> accelerators_of(const TrainingLog& log);

}  // namespace traincost
