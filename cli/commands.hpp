// The registry of commands. Each is one file in cli/commands/ with one function that adds a subcommand, its
// flags and its callback; the callback does the work and sets `context.exit_code`.
#pragma once

#include <cli/context.hpp>

#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace traincost::cli {

/// A command of the program: `add` declares the subcommand `name` on the application.
struct Command {
    std::string_view name;
    std::string_view group;  ///< heading it stands under in the program's help
    void (*add)(CLI::App& app, Context& context);
    std::string_view examples;  ///< command lines, one a line
};

/// All commands, in the order in which the help lists them.
std::span<const Command> commands();

/// Command lines of a command's own command, "export sheet", one a line; empty where none are known.
std::string_view examples_of(std::string_view command);

}  // namespace traincost::cli
