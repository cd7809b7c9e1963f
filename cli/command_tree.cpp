#include <cli/command_tree.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>

namespace traincost::cli {

namespace {

OptionNode option_node(const CLI::Option& option) {
    OptionNode node{
        .names = {}, .value = {}, .meaning = option.get_description(), .group = option.get_group()};
    if (option.get_positional()) {
        node.names = {option.get_name(true)};
    } else {
        for (const std::string& name : option.get_snames()) {
            node.names.push_back("-" + name);
        }
        for (const std::string& name : option.get_lnames()) {
            node.names.push_back("--" + name);
        }
    }
    node.environment = option.get_envname();
    if (option.get_type_size() == 0) {
        node.kind = ValueKind::none;
        return node;
    }
    node.several = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
    node.value = option.get_type_name();
    if (node.value.ends_with(" ...")) {
        node.value.resize(node.value.size() - 4);
    } else if (node.value.ends_with("...")) {
        node.value.resize(node.value.size() - 3);
    }
    node.value.erase(0, std::min(node.value.find_first_not_of(' '), node.value.size()));
    describe_value(node);
    return node;
}

void collect(const CLI::App& app, const std::string& above, std::vector<CommandNode>& tree) {
    CommandNode node{.name = above, .group = app.get_group(), .summary = app.get_description()};
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_group().empty()) {
            (option->get_positional() ? node.positionals : node.options).push_back(option_node(*option));
        }
    }
    for (const std::string& line : CLI::detail::split(app.get_footer(), '\n')) {
        if (!line.empty()) {
            node.examples.push_back(line);
        }
    }
    const auto commands =
        app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
    node.has_commands = !commands.empty();
    tree.push_back(std::move(node));
    for (const CLI::App* command : commands) {
        collect(*command, (above.empty() ? "" : above + " ") + command->get_name(), tree);
    }
}

}  // namespace

std::vector<CommandNode> command_tree(const CLI::App& app) {
    std::vector<CommandNode> tree;
    collect(app, "", tree);
    return tree;
}

}  // namespace traincost::cli
