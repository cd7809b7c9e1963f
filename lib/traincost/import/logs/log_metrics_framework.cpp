// Who writes tables and JSON lines with such names.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "traincost/import/logs/log_metrics.hpp"

namespace traincost {

namespace {

/// Names that one framework writes: all of them together.
struct NamedBy {
    LogFramework framework;
    std::array<std::string_view, 3> names;
};
constexpr std::array<NamedBy, 26> namers = {{
    {LogFramework::nemo, {"reduced_train_loss", "", ""}},
    {LogFramework::nemo, {"train_step_timing in s", "", ""}},
    {LogFramework::maxtext, {"perf/step_time_seconds", "", ""}},
    {LogFramework::torchtitan, {"loss_metrics/global_avg_loss", "", ""}},
    {LogFramework::torchtitan, {"throughput(tps)", "", ""}},
    {LogFramework::llm_foundry, {"loss/train/total", "", ""}},
    {LogFramework::llm_foundry, {"throughput/device/tokens_per_sec", "throughput/batches_per_sec", ""}},
    {LogFramework::nanotron, {"model_tflops_per_gpu", "lm_loss", ""}},
    {LogFramework::nanotron, {"model_tflops_per_gpu", "tokens_per_sec_per_gpu", ""}},
    {LogFramework::torchtune, {"tokens_per_second_per_gpu", "peak_memory_active", ""}},
    {LogFramework::torchtune, {"tokens_per_second_per_gpu", "peak_memory_alloc", ""}},
    {LogFramework::gpt_neox, {"runtime/iteration_time", "", ""}},
    {LogFramework::gpt_neox, {"runtime/samples_per_sec", "", ""}},
    {LogFramework::gpt_neox, {"train/lm_loss", "", ""}},
    {LogFramework::megatron_deepspeed, {"iteration-time/iteration-time", "", ""}},
    {LogFramework::megatron_deepspeed, {"lm-loss-training/lm loss", "", ""}},
    {LogFramework::megatron_lm, {"iteration-time", "lm loss", ""}},
    {LogFramework::deepspeed, {"Train/Samples/train_loss", "", ""}},
    {LogFramework::deepspeed, {"Train_Samples_train_loss", "", ""}},
    {LogFramework::xtuner, {"data_time", "time", "memory"}},
    {LogFramework::nanochat, {"train/tok_per_sec", "train/dt", ""}},
    {LogFramework::nanogpt, {"iter", "train/loss", "mfu"}},
    {LogFramework::litgpt, {"iter_time", "total_tokens", ""}},
    {LogFramework::litgpt, {"iter_time", "remaining_time", ""}},
    {LogFramework::hf_trainer, {"train/global_step", "train/grad_norm", ""}},
    {LogFramework::hf_trainer, {"train/global_step", "train/learning_rate", ""}},
}};

}  // namespace

std::optional<LogFramework> LogMetrics::framework() const {
    if (notebook_) {
        return LogFramework::hf_trainer;
    }
    const auto named = [&](std::string_view name) {
        return name.empty() || known_.find(name) != known_.end();
    };
    for (const NamedBy& namer : namers) {
        if (std::all_of(namer.names.begin(), namer.names.end(), named)) {
            return namer.framework;
        }
    }
    if (named("Step") && named("Training Loss")) {
        return LogFramework::hf_trainer;  // its table, copied from a notebook
    }
    // Lightning's loggers add the epoch to whatever is logged, write validation in rows of its own, and name
    // a value twice.
    if (named("epoch") && (named("trainer/global_step") || (named("step") && apart_))) {
        return LogFramework::lightning;
    }
    const bool twice = std::any_of(known_.begin(), known_.end(), [&](const auto& known) {
        constexpr std::string_view step_ending = "_step";
        const std::string& name = known.first;
        return name.size() > step_ending.size() && name.ends_with(step_ending) &&
               named(name.substr(0, name.size() - step_ending.size()) + "_epoch");
    });
    return twice && named("epoch") ? std::optional(LogFramework::lightning) : std::nullopt;
}

}  // namespace traincost
