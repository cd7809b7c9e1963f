// Configurations of one's own around a Hugging Face trainer: its arguments in a table below the file's top,
// the model and the adapter in tables beside it.
#pragma once

#include <optional>

#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// The arguments of every table of `root` side by side, by the names that a command line gives them. What
/// several tables say differently is unknown. Nothing where no table below the top holds a trainer's
/// arguments.
std::optional<Setting> nested_arguments(const Setting& root);

/// The settings that a command of an unknown program is told as "data.max_length=4096 model.path=gpt2", side
/// by side; nothing where it is told none.
std::optional<Setting> told_arguments(const Setting& root);

}  // namespace traincost
