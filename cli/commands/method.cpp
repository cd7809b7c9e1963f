// `traincost method NAME`: a published calculator's own output.

#include <cli/commands/commands.hpp>
#include <cli/commands/method_options.hpp>
#include <cli/context.hpp>

#include <CLI/CLI.hpp>

namespace traincost::cli {

void add_method(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("method", "A published calculator's own output");
    command->require_subcommand(0, 1);
    command->callback([command] {
        if (command->get_subcommands().empty()) {
            throw Error(ErrorKind::usage, "method: no method; methods: fast-llm, iiis, chinchilla-grid");
        }
    });
    add_fast_llm(*command, context);
    add_iiis(*command, context);
    add_chinchilla(*command, context);
}

}  // namespace traincost::cli
