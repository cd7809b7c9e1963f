// Commands of the parser, made of fields.
#pragma once

#include <cli/context.hpp>
#include <traincost/report/commands/command_fields.hpp>

#include <functional>
#include <memory>

namespace CLI {
class App;
}

namespace traincost::cli {

/// Declares the fields as options of the command; `run` is called when they are set.
void declare(CLI::App& command, const CommandFields& fields, Context& context, std::function<void()> run);

/// The same of a command whose flags are a value, `Flags`: `run` has it as the command line set it.
template <class Flags>
void declare(CLI::App& command, Context& context, CommandFields (*fields)(Flags&),
             void (*run)(Flags&, Context&)) {
    const auto flags = std::make_shared<Flags>();
    declare(command, fields(*flags), context, [flags, run, &context] { run(*flags, context); });
}

}  // namespace traincost::cli
