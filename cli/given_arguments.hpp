// The arguments of a command, to be given again.
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace traincost::cli {

/// The command's arguments as they were given, less `without` and --help.
inline std::vector<std::string> given_arguments(const CLI::App& command,
                                                std::initializer_list<std::string_view> without) {
    std::vector<std::string> arguments;
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_name();
        if (option->count() == 0 || name == "--help" ||
            std::find(without.begin(), without.end(), name) != without.end()) {
            continue;
        }
        for (const std::string& value : option->results()) {
            arguments.push_back(option->get_expected_max() == 0 ? name : name + "=" + value);
        }
    }
    return arguments;
}

}  // namespace traincost::cli
