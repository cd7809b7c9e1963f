// The commands of the program.
#pragma once

#include <cli/context.hpp>

#include <string_view>

namespace CLI {
class App;
}

namespace traincost::cli {

/// Adds the program's command of that name, with its own commands, to the application.
void add_command(CLI::App& app, Context& context, std::string_view name);

}  // namespace traincost::cli
