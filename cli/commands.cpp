#include <cli/commands.hpp>

#include <cli/commands/commands.hpp>
#include <traincost/base/error.hpp>
#include <traincost/report/commands/command_words.hpp>
#include <traincost/report/methods/method_form.hpp>

#include <CLI/CLI.hpp>

namespace traincost::cli {

namespace {

struct Command {
    std::string_view name;
    void (*add)(CLI::App& command, Context& context);
};

constexpr Command all[] = {
    {"achieved", add_achieved},
    {"calibrate", add_calibrate},
    {"check", add_check},
    {"compare", add_compare},
    {"completion", add_completion},
    {"days", add_days},
    {"estimate", add_estimate},
    {"explain", add_explain},
    {"export bench", add_bench},
    {"export launch", add_launch},
    {"export sheet", add_sheet},
    {"guide", add_guide},
    {"list", add_list},
    {"loop", add_loop},
    {"manual", add_manual},
    {"merge", add_merge},
    {"params", add_params},
    {"plan", add_plan},
    {"read", add_read},
    {"recommend", add_recommend},
    {"scale", add_scale},
    {"serve", add_serve},
    {"show", add_show},
    {"sweep", add_sweep},
    {"timeline", add_timeline},
    {"validate", add_validate},
};

/// A command that has commands only.
void add_parts(CLI::App& command, const CommandWords& words) {
    command.require_subcommand(0, 1);
    command.callback([&command, name = std::string(words.name), parts = std::string(words.parts)] {
        if (command.get_subcommands().empty()) {
            throw Error(ErrorKind::usage,
                        name + ": no " + parts + "; " + parts + "s: " + listed(command_names(name)));
        }
    });
}

void add_one(CLI::App& above, Context& context, const CommandWords& words, const std::string& own_name) {
    const bool method = words.summary.empty();
    CLI::App* command =
        above.add_subcommand(own_name, std::string(method ? method_named(own_name).summary : words.summary));
    command->footer(std::string(words.examples));
    command->group(words.group.empty() ? "Subcommands" : std::string(words.group));
    if (method) {
        add_method(*command, context, own_name);
        return;
    }
    if (!words.parts.empty()) {
        add_parts(*command, words);
        return;
    }
    for (const Command& each : all) {
        if (each.name == words.name) {
            each.add(*command, context);
        }
    }
}

}  // namespace

void add_command(CLI::App& app, Context& context, std::string_view name) {
    const std::string above = std::string(name) + " ";
    for (const CommandWords& words : command_words()) {
        if (words.name == name) {
            add_one(app, context, words, std::string(name));
        } else if (words.name.starts_with(above)) {
            add_one(*app.get_subcommand(std::string(name)), context, words,
                    std::string(words.name.substr(above.size())));
        }
    }
}

}  // namespace traincost::cli
