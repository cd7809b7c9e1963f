// `traincost export bench` and `traincost loop` share their flags.
#pragma once

#include <cli/context.hpp>

namespace CLI {
class App;
}

namespace traincost::cli {

/// Adds `bench` to the subcommands of `export`.
void add_export_bench(CLI::App& command, Context& context);

}  // namespace traincost::cli
