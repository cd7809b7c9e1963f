#include <cli/app.hpp>

#include <cli/commands.hpp>
#include <cli/context.hpp>
#include <cli/help_formatter.hpp>
#include <traincost/base/elided.hpp>
#include <traincost/base/error.hpp>
#include <traincost/base/text.hpp>
#include <traincost/base/version.hpp>
#include <traincost/report/commands/command_words.hpp>
#include <traincost/report/commands/usage_words.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <sstream>

namespace traincost::cli {

namespace {

/// How much of a path an error repeats.
constexpr std::size_t longest_path = 200;

void say_error(std::ostream& err, std::string_view message) {
    err << "traincost: error: " << in_one_line(message) << '\n';
}

// The command on the command line: its first word that is neither an option nor the value of --data.
std::string_view command_name(const std::vector<std::string>& args) {
    for (auto arg = args.begin(); arg != args.end(); ++arg) {
        if (*arg == "--data") {
            if (++arg == args.end()) {
                break;
            }
        } else if (!arg->starts_with('-')) {
            return *arg;
        }
    }
    return {};
}

// The command that was parsed last; its name with those of the commands above it, "export sheet", in `name`.
const CLI::App* parsed_command(const CLI::App& app, std::string& name) {
    const CLI::App* parsed = &app;
    while (!parsed->get_subcommands().empty()) {
        parsed = parsed->get_subcommands().front();
        name += (name.empty() ? "" : " ") + parsed->get_name();
    }
    return parsed;
}

// What the words that the parser could not place were meant to be. CLI11 reports a missing option before a
// mistyped one, so this is asked first.
std::string explain_unplaced(const CLI::App& app) {
    const std::vector<std::string> unplaced = app.remaining(true);
    if (unplaced.empty()) {
        return {};
    }
    std::string command;
    const CLI::App* const parsed = parsed_command(app, command);
    std::vector<std::string> options;
    for (const CLI::App* level : {parsed, &app}) {
        for (const CLI::Option* option : level->get_options()) {
            for (const std::string& name : option->get_lnames()) {
                options.push_back("--" + name);
            }
        }
    }
    return unplaced_text(unplaced.front(), command, options, command_names(command));
}

void add_color_option(CLI::App& app, Context& context) {
    const auto set = [&context](const std::string& text) {
        constexpr std::string_view modes[] = {"auto", "always", "never"};
        if (std::find(std::begin(modes), std::end(modes), text) == std::end(modes)) {
            throw Error(ErrorKind::usage, "--color: unknown value '" + text +
                                              "'; allowed: auto, always, never" +
                                              did_you_mean(text, std::span<const std::string_view>(modes)));
        }
        if (text != "auto") {
            context.style.color = text == "always";
        }
    };
    app.add_option_function<std::string>("--color", set,
                                         "Colour of text; auto: on a terminal, unless NO_COLOR is set")
        ->type_name("auto|always|never");
}

/// The options of every command.
void add_general_options(CLI::App& app, Context& context) {
    app.set_version_flag("--version", "traincost " + std::string(version()), "Print the version and exit");
    app.add_option("--data", context.data_folder, "Folder of records that override the built-in catalogue")
        ->type_name("FOLDER")
        ->envname("TRAINCOST_DATA");
    add_color_option(app, context);
}

void add_all_commands(CLI::App& app, Context& context) {
    for (const std::string& name : command_names()) {
        add_command(app, context, name);
    }
}

constexpr const char* purpose = "Will this training run fit, how fast will it be, and what will it cost?";

/// "help" is --help, "help COMMAND" is COMMAND --help, and nothing at all asks for help too.
std::vector<std::string> with_help(std::vector<std::string> args) {
    if (args.empty()) {
        return {"--help"};
    }
    if (args.front() == "help") {
        args.erase(args.begin());
        args.emplace_back("--help");
    }
    return args;
}

int parse_and_run(const std::vector<std::string>& args, Context& context) {
    CLI::App app(purpose, "traincost");
    add_general_options(app, context);
    const bool brief = std::find(args.begin(), args.end(), "-h") != args.end();
    app.formatter(
        std::make_shared<HelpFormatter>(context.style.width, brief ? HelpLength::brief : HelpLength::full));
    app.require_subcommand(0, 1);
    app.fallthrough();  // the options above may also follow the command

    const std::string_view name = command_name(args);
    if (name.empty()) {
        add_all_commands(app, context);
    } else {
        require_command(name);
        add_command(app, context, name);
    }
    try {
        app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    } catch (const CLI::Success& success) {
        return app.exit(success, context.out, context.err);
    } catch (const CLI::ParseError& error) {
        const std::string unplaced = explain_unplaced(app);
        std::string command;
        parsed_command(app, command);
        throw Error(ErrorKind::usage, unplaced.empty() ? in_plain_words(error.what(), command) : unplaced);
    }
    if (name.empty()) {
        throw Error(ErrorKind::usage,
                    "no command; commands: " + listed(command_names()) + "; see 'traincost --help'");
    }
    return context.exit_code;
}

}  // namespace

std::vector<CommandNode> program_tree() {
    std::istringstream in;
    std::ostringstream out;
    Context context{.in = in, .out = out, .err = out, .data_folder = {}};
    CLI::App app(purpose, "traincost");
    add_general_options(app, context);
    add_all_commands(app, context);
    return command_tree(app);
}

int run(const std::vector<std::string>& args, std::istream& in, std::ostream& out, std::ostream& err,
        const TextStyle& style) {
    Context context{.in = in, .out = out, .err = err, .data_folder = {}, .style = style};
    try {
        return parse_and_run(with_help(args), context);
    } catch (const Error& error) {
        for (const Problem& problem : error.problems()) {
            say_error(err, to_string(problem));
        }
        return error.kind() == ErrorKind::internal ? exit_internal : exit_usage;
    } catch (const std::filesystem::filesystem_error& error) {
        say_error(err, elided(error.path1().string(), longest_path) + ": " + error.code().message());
        return exit_usage;
    } catch (const std::exception& error) {
        say_error(err, std::string("internal: ") + error.what());
        return exit_internal;
    }
}

}  // namespace traincost::cli
