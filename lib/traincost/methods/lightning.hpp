// Lightning-LLM-Training-Test (p208p2002, 2023): its training time, and the TFLOP/s that its report prints.
//
// The report's TFLOP/s are those of the forward pass alone, timed alone: of a step in which the optimizer
// runs on the host most of the time is not in them, so that they make the training time too short (3.2 times
// in its own README's example). Its totals are the figure of one GPU times the GPUs of one machine.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// A model of its list that is a GPT-2, with the two tokens that it adds to the vocabulary.
struct LightningModel {
    std::string_view name;
    std::int64_t layers;
    std::int64_t hidden;
    std::int64_t vocab;
    std::int64_t positions;
};

std::span<const LightningModel> lightning_models();
/// The row of that name. `Error` of kind not_found that suggests the nearest.
const LightningModel& lightning_model(std::string_view name);

/// Trainable parameters: 12h² + 13h a layer, both embeddings, the last norm.
double lightning_parameters(const LightningModel& model);

/// Forward FLOPs as DeepSpeed's profiler counts them: products with weights, the head, and both products of
/// attention over all positions.
Flops lightning_forward(const LightningModel& model, std::int64_t sequence, std::int64_t batch);

/// T_days = C / (FLOPS · 86400 · 10^12), C = 6DN, FLOPS in TFLOP/s of the whole system.
double lightning_days(double parameters, double tokens, double system_tflops);

}  // namespace traincost
