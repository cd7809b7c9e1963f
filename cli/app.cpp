#include <cli/app.hpp>

#include <cli/commands.hpp>
#include <cli/context.hpp>
#include <traincost/base/version.hpp>

#include <CLI/CLI.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

int fail(std::ostream& err, int exit_code, std::string_view message) {
    err << "traincost: error: " << message << '\n';
    return exit_code;
}

int parse_and_run(const std::vector<std::string>& args, Context& context) {
    CLI::App app("Will this training run fit, how fast will it be, and what will it cost?", "traincost");
    app.set_version_flag("--version", "traincost " + std::string(version()));
    app.add_option("--data", context.data_folder, "Folder of records that override the built-in ones")
        ->envname("TRAINCOST_DATA");
    app.require_subcommand(1);
    for (const Command& command : commands()) {
        command.add(app, context);
    }
    try {
        app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    } catch (const CLI::Success& success) {
        return app.exit(success, context.out, context.err);
    } catch (const CLI::ParseError& error) {
        return fail(context.err, exit_usage, error.what());
    }
    return context.exit_code;
}

}  // namespace

int run(const std::vector<std::string>& args, std::istream& in, std::ostream& out, std::ostream& err) {
    Context context{.in = in, .out = out, .err = err, .data_folder = {}};
    try {
        return parse_and_run(args, context);
    } catch (const std::exception& error) {
        return fail(err, exit_internal, error.what());
    }
}

}  // namespace traincost::cli
