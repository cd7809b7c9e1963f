#include <cli/command_line.hpp>

#include <traincost/base/error.hpp>
#include <traincost/report/commands/command_tree.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

namespace traincost::cli {

namespace {

/// Sets the field; the error of a wrong value names it.
void set(const CommandField& field, const std::string& text) {
    try {
        field.set(text);
    } catch (const Error& error) {
        const std::string name = field.names.substr(field.names.find_last_of(',') + 1);
        if (error.problems().front().path == name) {
            throw;
        }
        throw Error(ErrorKind::usage, name + ": " + error.what());
    }
}

CLI::Option* option_of(CLI::App& command, const CommandField& field) {
    if (field.type.empty()) {
        return command.add_flag_callback(
            field.names, [field] { set(field, "true"); }, field.help);
    }
    CLI::Option* option = nullptr;
    if (field.several) {
        const auto set_each = [field](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
                set(field, text);
            }
        };
        option = command.add_option_function<std::vector<std::string>>(field.names, set_each, field.help);
    } else {
        option = command.add_option_function<std::string>(
            field.names, [field](const std::string& text) { set(field, text); }, field.help);
    }
    return option->type_name(field.type)->required(field.required);
}

std::vector<GivenArgument> given_arguments(const CLI::App& command) {
    std::vector<GivenArgument> given;
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_name();
        if (name != "--help") {
            for (const std::string& value : option->results()) {
                given.push_back({name, option->get_expected_max() == 0 ? name : name + "=" + value});
            }
        }
    }
    return given;
}

}  // namespace

void declare(CLI::App& command, const CommandFields& fields, Context& context, std::function<void()> run) {
    const bool grouped = std::any_of(fields.begin(), fields.end(),
                                     [](const CommandField& field) { return !field.group.empty(); });
    for (const CommandField& field : fields) {
        CLI::Option* option = option_of(command, field);
        if (field.hidden) {
            option->group("");
        } else if (grouped) {
            option->group(field.group.empty() ? own_group : field.group);
        }
        if (!field.excludes.empty()) {
            option->excludes(command.get_option(field.excludes));
        }
    }
    command.callback([&command, &context, run = std::move(run)] {
        context.given = given_arguments(command);
        run();
    });
}

}  // namespace traincost::cli
