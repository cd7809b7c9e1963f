// The writers of launch formats: one file each, one row each in exporters.cpp.
#pragma once

#include "traincost/export/job_words.hpp"

namespace traincost {

/// The files, the one that starts the job last; `words` learns what they say.
using LaunchTexts = std::vector<LaunchText>;

LaunchTexts write_megatron(JobWords& words);
LaunchTexts write_deepspeed(JobWords& words);
LaunchTexts write_torchtitan(JobWords& words);
LaunchTexts write_accelerate(JobWords& words);
LaunchTexts write_nanotron(JobWords& words);
LaunchTexts write_axolotl(JobWords& words);
LaunchTexts write_llama_factory(JobWords& words);
LaunchTexts write_nemo(JobWords& words);
LaunchTexts write_torchtune(JobWords& words);
LaunchTexts write_maxtext(JobWords& words);

/// The arguments of a Hugging Face trainer, and what they say.
class ArgumentWords;
void add_trainer_arguments(JobWords& words, ArgumentWords& out);

/// Blocks are recomputed whole or not at all.
void say_whole_recompute(JobWords& words);
/// Low-rank adapters of one rank are said, over a 4-bit base where there is a setting for it.
void say_adapters(JobWords& words, bool quantized);

/// "zero_optimization" of DeepSpeed's JSON: the stage, and what is kept on the host.
struct SettingText;
void set_zero_optimization(JobWords& words, SettingText& out);

/// The name of the optimizer in Hugging Face's trainer; empty where it has none.
std::string_view trainer_optimizer(Optimizer optimizer);

}  // namespace traincost
