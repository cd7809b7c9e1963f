// What a Python program trains in a loop of its own: what it calls of PyTorch, and by what names it counts.
// Nothing is run.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "traincost/import/settings/python/python_trainer.hpp"
#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// Whether the text trains a model of language step by step, by its words alone.
bool has_training_loop(std::string_view text);

/// The loop's settings by the names that a trainer's command line gives them. Nothing where it says less
/// than `least` of model, batch, length and the like.
std::optional<Setting> loop_settings(const std::vector<PythonScope>& scopes, int least);

/// The options of the program's command line as those of a command. Nothing where it has none.
std::optional<Setting> options_alone(const std::vector<PythonScope>& scopes, const std::string& file);

/// What a loop of one's own is told on its command line, apart from what it hands on by other names.
void put_options(Setting& root, const std::vector<PythonScope>& scopes);

/// The whole batch, where a program divides it by a rank's and by its processes for its accumulation:
/// "steps = batch_size // micro_batch_size", "steps = steps // world_size".
void put_divided_batch(Setting& root, const std::vector<PythonScope>& scopes, std::string_view text);

/// The tokens of a step where the program divides them by those of a micro-step: "tokens_per_step // (rows *
/// length)".
void put_step_tokens(Setting& root, const std::vector<PythonScope>& scopes, std::string_view text);

/// A step's whole batch that the program divides among its processes: "batch_size // (rows * world_size)".
void put_rank_batches(Setting& root, const std::vector<PythonScope>& scopes, std::string_view text);

/// No steps of accumulation where the program divides those it is told among its processes.
void drop_divided_steps(Setting& root, std::string_view said);

/// What the program does beside making its trainer: recomputation that it switches on, and DeepSpeed's
/// settings that it writes to a file first.
void put_doings(Setting& root, const std::vector<PythonScope>& scopes, std::string_view text);

}  // namespace traincost
