#include "traincost/report/commands/completion.hpp"
#include "traincost/report/commands/shell_text.hpp"

#include <algorithm>

namespace traincost {

namespace {

std::string fish_condition(const std::vector<CommandNode>& tree, const CommandNode& command) {
    if (command.name.empty()) {
        return "__fish_use_subcommand";
    }
    std::string text;
    for (std::size_t begin = 0; begin < command.name.size();) {
        const std::size_t end = std::min(command.name.find(' ', begin), command.name.size());
        text += (text.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") +
                command.name.substr(begin, end - begin);
        begin = end + 1;
    }
    if (command.has_commands) {
        text += "; and not __fish_seen_subcommand_from " + own_words(commands_of(tree, command.name));
    }
    return text;
}

std::string fish_quoted(const std::string& text) {
    return in_quotes(replaced(text, "\\", "\\\\"), "\\'");
}

std::string fish_value(const OptionNode& option) {
    switch (option.kind) {
        case ValueKind::none:
            return "";
        case ValueKind::word:
            return " -x -a " + fish_quoted(joined_words(option.words));
        case ValueKind::setting: {
            std::string words;
            for (const std::string& word : option.words) {
                words += (words.empty() ? "" : " ") + word + "=";
            }
            return " -x -a " + fish_quoted(words);
        }
        case ValueKind::record:
            return (option.file ? " -r -F -a " : " -x -a ") +
                   fish_quoted("(traincost completion --ids " + option.room + ")");
        case ValueKind::file:
            return " -r -F";
        case ValueKind::folder:
            return " -x -a '(__fish_complete_directories)'";
        case ValueKind::text:
            break;
    }
    return " -x";
}

std::string fish_option(const OptionNode& option, const std::string& condition) {
    std::string text = "complete -c traincost" + (condition.empty() ? "" : " -n " + fish_quoted(condition));
    for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    return text + fish_value(option) + " -d " + fish_quoted(option.meaning) + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<CommandNode>& tree) {
    std::string text =
        "# Completion of traincost for fish, written by 'traincost completion fish'.\n"
        "complete -c traincost -f\n"
        "complete -c traincost -n __fish_use_subcommand -a help -d 'Help of a command'\n";
    for (const OptionNode& option : tree.front().options) {
        text += fish_option(option, "");
    }
    for (const CommandNode& command : tree) {
        const std::string condition = fish_condition(tree, command);
        for (const CommandNode* each : commands_of(tree, command.name)) {
            text += "complete -c traincost -n " + fish_quoted(condition) + " -a " +
                    each->name.substr(each->name.rfind(' ') + 1) + " -d " + fish_quoted(each->summary) + "\n";
        }
        if (command.name.empty()) {
            continue;
        }
        for (const OptionNode& option : command.options) {
            text += option.names.back() == "--help" ? "" : fish_option(option, condition);
        }
        for (const OptionNode& argument : command.positionals) {
            const std::string value = fish_value(argument);
            text += value == " -x" ? ""
                                   : "complete -c traincost -n " + fish_quoted(condition) +
                                         replaced(replaced(value, " -r", ""), " -x", "") + "\n";
        }
    }
    return text;
}

}  // namespace traincost
