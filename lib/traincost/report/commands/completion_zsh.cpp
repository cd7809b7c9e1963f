#include "traincost/report/commands/completion.hpp"
#include "traincost/report/commands/shell_text.hpp"

#include <algorithm>

namespace traincost {

namespace {

/// What `_arguments` takes apart: brackets and colons are escaped.
std::string zsh_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += (c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + std::string(1, c);
    }
    return out;
}

std::string zsh_value(const OptionNode& option) {
    switch (option.kind) {
        case ValueKind::none:
            return "";
        case ValueKind::word:
            return "(" + joined_words(option.words) + ")";
        case ValueKind::setting:
            return "_traincost_settings";
        case ValueKind::record:
            return (option.file ? "_traincost_record_or_file " : "_traincost_record ") + option.room;
        case ValueKind::file:
            return "_files";
        case ValueKind::folder:
            return "_files -/";
        case ValueKind::text:
            break;
    }
    return " ";
}

std::string zsh_option(const OptionNode& option) {
    const std::string tail =
        option.kind == ValueKind::none ? "" : ":" + zsh_text(option.value) + ":" + zsh_value(option);
    std::string text;
    for (const std::string& name : option.names) {
        const bool equals = name.starts_with("--") && option.kind != ValueKind::none;
        text += " \\\n            " +
                in_quotes((option.several || option.kind == ValueKind::setting ? "*" : "") + name +
                          (equals ? "=" : "") + "[" + zsh_text(option.meaning) + "]" + tail);
    }
    return text;
}

std::string zsh_command(const std::vector<CommandNode>& tree, const CommandNode& command) {
    std::string text = "        " + in_quotes(command.name) + ")\n            _arguments -s";
    for (const OptionNode& option : tree.front().options) {
        text += command.name.empty() || option.names.back() == "--help" ? "" : zsh_option(option);
    }
    for (const OptionNode& option : command.options) {
        text += zsh_option(option);
    }
    // The words of the command itself are arguments too.
    const auto depth =
        command.name.empty() ? 0 : 1 + std::count(command.name.begin(), command.name.end(), ' ');
    for (const OptionNode& each : command.positionals) {
        text += " \\\n            " + in_quotes((each.several ? "*" : std::to_string(depth + 1)) + ":" +
                                                zsh_text(each.names.front()) + ":" + zsh_value(each));
    }
    if (command.has_commands) {
        std::string rows;
        for (const CommandNode* each : commands_of(tree, command.name)) {
            rows += (rows.empty() ? "" : " ") + each->name.substr(each->name.rfind(' ') + 1) + "\\:\"" +
                    zsh_text(each->summary) + "\"";
        }
        text += " \\\n            " + in_quotes(std::to_string(depth + 1) + ":command:((" + rows + "))");
    }
    return text + " ;;\n";
}

// clang-format off
constexpr const char* zsh_head = R"sh(#compdef traincost
# Completion of traincost for zsh, written by 'traincost completion zsh'.

_traincost_record() {
    local -a ids
    ids=(${(f)"$($_traincost_program completion --ids $1 2>/dev/null)"})
    compset -P '*,'
    compadd -a ids
}

_traincost_record_or_file() {
    _traincost_record $1
    _files
}
)sh";
// clang-format on

constexpr const char* zsh_tail = R"sh(    esac
}

if [ "$funcstack[1]" = _traincost ]; then
    _traincost "$@"
else
    compdef _traincost traincost
fi
)sh";

}  // namespace

std::string zsh_completion(const std::vector<CommandNode>& tree) {
    std::string text = zsh_head;
    std::vector<std::string> settings;
    std::string names;
    for (const CommandNode& command : tree) {
        names += (names.empty() ? "" : " ") + in_quotes(command.name);
        for (const OptionNode& option : command.options) {
            if (option.kind == ValueKind::setting) {
                settings = option.words;
            }
        }
    }
    text += "\n_traincost_settings() {\n    compadd -S = -- " + joined_words(settings) + "\n}\n";
    text +=
        "\n_traincost() {\n    local word command='' _traincost_program=$words[1]\n    local -a known\n    "
        "known=(" +
        names + ")\n";
    text += R"sh(    for word in ${words[2,CURRENT-1]}; do
        if (( ${known[(Ie)${command:+$command }$word]} )); then
            command+=${command:+ }$word
        fi
    done
    case $command in
)sh";
    for (const CommandNode& command : tree) {
        text += zsh_command(tree, command);
    }
    return text + zsh_tail;
}

}  // namespace traincost
