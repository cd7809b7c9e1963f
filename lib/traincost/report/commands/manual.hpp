// The manual page, written from the program's own options.
#pragma once

#include "traincost/report/commands/command_tree.hpp"

#include <string>
#include <vector>

namespace traincost {

/// traincost(1) in roff, as `man` reads it.
std::string manual_page(const std::vector<CommandNode>& tree);

}  // namespace traincost
