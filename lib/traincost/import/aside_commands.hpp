// Commands of a script that stand beside the one that trains.
#pragma once

#include <vector>

#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// Whether a command stands beside the one that trains: it only compiles what that would train, fetches or
/// converts what it begins with, or goes on from what it trained.
bool is_aside(const Setting& command);

/// The commands that train; all where none does.
std::vector<const Setting*> training_commands(const std::vector<Setting>& commands);

}  // namespace traincost
