#pragma once

#include <cli/context.hpp>

namespace CLI {
class App;
}

namespace traincost::cli {

/// `export launch`: launch files of other frameworks.
void add_export_launch(CLI::App& parent, Context& context);

}  // namespace traincost::cli
