// `traincost export KIND`: a job as a file for another program.

#include <cli/commands/commands.hpp>
#include <cli/commands/export_bench.hpp>
#include <cli/context.hpp>
#include <traincost/base/error.hpp>

#include <CLI/CLI.hpp>

namespace traincost::cli {

void add_export(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("export", "A job as a file for another program");
    command->require_subcommand(0, 1);
    command->callback([command] {
        if (command->get_subcommands().empty()) {
            throw Error(ErrorKind::usage, "export: no kind of file; kinds: bench");
        }
    });
    add_export_bench(*command, context);
}

}  // namespace traincost::cli
