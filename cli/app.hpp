// The program as a function.
#pragma once

#include <cli/command_tree.hpp>
#include <traincost/report/text_table.hpp>

#include <iosfwd>
#include <string>
#include <vector>

namespace traincost::cli {

/// Runs `traincost ARGS`; returns the exit code: 0 yes, 1 computed and the answer is no, 2 bad usage or
/// input, 3 internal error. Data goes to `out`; errors go to `err`, one line each, after "traincost: error:
/// ". `style` is the output's. Never throws.
int run(const std::vector<std::string>& args, std::istream& in, std::ostream& out, std::ostream& err,
        const TextStyle& style = {});

/// All commands and options of the program.
std::vector<CommandNode> program_tree();

}  // namespace traincost::cli
