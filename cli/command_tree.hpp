// The program's commands and options as plain values.
#pragma once

#include <traincost/report/commands/command_tree.hpp>

#include <vector>

namespace CLI {
class App;
}

namespace traincost::cli {

/// The program's commands, each before its own commands, in the order of the help. What is hidden is left
/// out.
std::vector<CommandNode> command_tree(const CLI::App& app);

}  // namespace traincost::cli
