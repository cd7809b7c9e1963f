// Completions of bash, zsh and fish, written from the program's own options.
#pragma once

#include "traincost/report/commands/command_tree.hpp"

#include <functional>
#include <string>
#include <vector>

namespace traincost {

/// The script that a shell reads; ids are asked of the program when they are wanted, so that records of
/// TRAINCOST_DATA are among them.
std::string bash_completion(const std::vector<CommandNode>& tree);
std::string zsh_completion(const std::vector<CommandNode>& tree);
std::string fish_completion(const std::vector<CommandNode>& tree);

/// The script of "bash", "zsh" or "fish". `Error` of kind usage for another shell; `tree` is made where it is
/// wanted.
std::string shell_completion(const std::string& shell, const std::function<std::vector<CommandNode>()>& tree);

}  // namespace traincost
