// Options whose values are numbers as people write them.
#pragma once

#include <traincost/base/error.hpp>
#include <traincost/report/commands/command_tree.hpp>

#include <CLI/CLI.hpp>

#include <string>

namespace traincost::cli {

/// Adds an option whose text `parse` makes into `target`: add_parsed(app, "--tokens", tokens, "COUNT",
/// [](auto& text) { return parse_count(text); }, "Tokens to train on"). The error of a wrong value names the
/// option.
template <class Target, class Parse>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, Target& target, const std::string& type,
                        Parse parse, const std::string& help) {
    const auto set = [&target, parse, name](const std::string& text) {
        try {
            target = parse(text);
        } catch (const Error& error) {
            throw Error(ErrorKind::usage, name + ": " + error.what());
        }
    };
    return app.add_option_function<std::string>(name, set, help)->type_name(type);
}

/// Names the group, in the help, of the options added since the last group was named.
inline void name_group(CLI::App& app, const std::string& group) {
    for (CLI::Option* option : app.get_options()) {
        if (option->get_group() == "Options" && option->get_name() != "--help") {
            option->group(group);
        }
    }
}

}  // namespace traincost::cli
