// Lightning-LLM-Training-Test (p208p2002, 2023): its training time, and the TFLOP/s that its report prints.
//
// The report's TFLOP/s are those of the forward pass alone, timed alone: of a step in which the optimizer
// runs on the host most of the time is not in them, so that they make the training time too short (3.2 times
// in its own README's example). Its totals are the figure of one GPU times the GPUs of one machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// Architectures of its list.
enum class LightningFamily : std::uint8_t { gpt2, bloom, llama };

/// A model of its list, with the two tokens ([PAD], [SEP]) that it adds to the vocabulary.
struct LightningModel {
    std::string_view name;
    LightningFamily family;
    std::int64_t layers;
    std::int64_t hidden;
    std::int64_t ffn;
    std::int64_t vocab;
    std::int64_t positions;  ///< rows of a table of learned positions; 0: none
};

std::span<const LightningModel> lightning_models();
/// The row of that name. `Error` of kind not_found that suggests the nearest.
const LightningModel& lightning_model(std::string_view name);

/// Trainable parameters. A layer has 4h² + 2hf and 9h + f of biases and norms (GPT-2, BLOOM, head tied, BLOOM
/// a norm behind its embedding), or 4h² + 3hf + 2h (LLaMA, untied).
double lightning_parameters(const LightningModel& model);

/// Forward FLOPs as DeepSpeed's profiler counts them: products with weights, the head, and both products of
/// attention over all positions.
Flops lightning_forward(const LightningModel& model, std::int64_t sequence, std::int64_t batch);

/// What it reports as the model's size: whole millions of parameters.
std::string lightning_size(const LightningModel& model);

/// What its report prints of a run of ten steps. Rates are those of one GPU.
struct LightningReport {
    std::string_view model;
    std::string model_size;
    std::string strategy;
    std::int64_t batch;
    std::int64_t sequence;
    std::int64_t gpus;
    std::optional<double> cpu_ram_GB;
    std::vector<double> gpu_ram_GB;
    std::optional<double> tokens_per_s;
    std::optional<double> tflops;
};

/// The report as its report.txt has it; what is not known has no line.
std::string lightning_text(const LightningReport& report);

/// T_days = C / (FLOPS · 86400 · 10^12), C = 6DN, FLOPS in TFLOP/s of the whole system.
double lightning_days(double parameters, double tokens, double system_tflops);

}  // namespace traincost
