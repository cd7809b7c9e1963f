#include "traincost/report/commands/completion.hpp"
#include "traincost/report/commands/shell_text.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

/// What bash is told of a value: a kind and its words, as `_traincost_complete` reads them.
std::string bash_value(const OptionNode& option) {
    switch (option.kind) {
        case ValueKind::none:
            return "none";
        case ValueKind::text:
            return "text";
        case ValueKind::word:
            return "words " + joined_words(option.words);
        case ValueKind::setting:
            return "settings " + joined_words(option.words);
        case ValueKind::record:
            return (option.file ? "record-or-file " : "record ") + option.room;
        case ValueKind::file:
            return "file";
        case ValueKind::folder:
            return "folder";
    }
    return "text";
}

/// Most options mean the same everywhere: those rows name the option alone, the others the command too.
std::string bash_values(const std::vector<CommandNode>& tree) {
    std::map<std::string, std::string> usual;
    std::string own;
    for (const CommandNode& command : tree) {
        for (const OptionNode& option : command.options) {
            for (const std::string& name : option.names) {
                const std::string value = bash_value(option);
                if (usual.try_emplace(name, value).first->second != value) {
                    own += "        '" + command.name + " " + name + "') echo '" + value + "' ;;\n";
                }
            }
        }
    }
    std::string text = own;
    for (const auto& [name, value] : usual) {
        text += "        *' " + name + "') echo '" + value + "' ;;\n";
    }
    return text;
}

constexpr const char* bash_head =
    R"sh(# Completion of traincost for bash, written by 'traincost completion bash'.

# The options and commands that may follow a command.
_traincost_words() {
    case $1 in
)sh";

constexpr const char* bash_middle = R"sh(    esac
}

# What follows a command and an option, or stands as an argument of a command.
_traincost_value() {
    case $1 in
)sh";

// clang-format off
constexpr const char* bash_tail = R"sh(        *) echo none ;;
    esac
}

# Fills COMPREPLY with the words that begin as the current one does; of a list, with its last item.
_traincost_match() {
    local before=''
    if [[ $2 == *,* ]]; then
        before=${2%,*},
    fi
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${2##*,}")
}

_traincost_ids() {
    "${COMP_WORDS[0]}" completion --ids "$1" 2>/dev/null
}

_traincost_files() {
    local -a found
    compopt -o filenames 2>/dev/null
    mapfile -t found < <(compgen "$1" -- "$2")
    COMPREPLY+=("${found[@]}")
}

_traincost() {
    local word current=$2 previous='' command='' value=none i
    local -a words=()
    # bash takes --tp=4 apart at the equals sign.
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        [[ $word == '=' ]] || words+=("$word")
    done
    if [[ ${COMP_WORDS[COMP_CWORD]} == '=' ]]; then
        current=''
    fi
    for word in "${words[@]}"; do
        if [[ -n $previous && $(_traincost_value "$command $previous") != none ]]; then
            previous=''
        elif [[ $word == -* ]]; then
            previous=$word
        else
            previous=''
            if [[ -n $command || $word != help ]] && [[ " $(_traincost_words "$command") " == *" $word "* ]]; then
                command+=${command:+ }$word
            fi
        fi
    done
    COMPREPLY=()
    if [[ -n $previous ]]; then
        value=$(_traincost_value "$command $previous")
    fi
    if [[ $value == none && $current != -* ]]; then
        value=$(_traincost_value "$command ARGUMENT")
    fi
    case $value in
        none) _traincost_match "$(_traincost_words "$command")" "$current" ;;
        'words '*) _traincost_match "${value#* }" "$current" ;;
        'settings '*)
            compopt -o nospace 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -S = -W "${value#* }" -- "$current") ;;
        'record '*) _traincost_match "$(_traincost_ids "${value#* }")" "$current" ;;
        'record-or-file '*)
            _traincost_match "$(_traincost_ids "${value#* }")" "$current"
            _traincost_files -f "$current" ;;
        file) _traincost_files -f "$current" ;;
        folder) _traincost_files -d "$current" ;;
    esac
}

complete -F _traincost traincost
)sh";
// clang-format on

std::vector<std::string> option_names(const CommandNode& command) {
    std::vector<std::string> names;
    for (const OptionNode& option : command.options) {
        names.insert(names.end(), option.names.begin(), option.names.end());
    }
    return names;
}

}  // namespace

std::string bash_completion(const std::vector<CommandNode>& tree) {
    std::string text = bash_head;
    const std::vector<std::string> general = option_names(tree.front());
    for (const CommandNode& command : tree) {
        std::vector<std::string> words = option_names(command);
        if (!command.name.empty()) {
            for (const std::string& name : general) {
                if (std::find(words.begin(), words.end(), name) == words.end()) {
                    words.push_back(name);
                }
            }
        }
        const std::string names = own_words(commands_of(tree, command.name));
        text += "        '" + command.name + "') echo '" + names + (names.empty() ? "" : " ") +
                (command.name.empty() ? "help " : "") + joined_words(words) + "' ;;\n";
    }
    text += bash_middle;
    for (const CommandNode& command : tree) {
        if (!command.positionals.empty()) {
            text += "        '" + command.name + " ARGUMENT') echo '" +
                    bash_value(command.positionals.front()) + "' ;;\n";
        }
    }
    return text + bash_values(tree) + bash_tail;
}

std::string shell_completion(const std::string& shell,
                             const std::function<std::vector<CommandNode>()>& tree) {
    constexpr std::string_view names[] = {"bash", "zsh", "fish"};
    using Completion = std::string (*)(const std::vector<CommandNode>&);
    constexpr Completion completions[] = {bash_completion, zsh_completion, fish_completion};
    const auto found = std::find(std::begin(names), std::end(names), shell);
    if (found != std::end(names)) {
        return completions[found - std::begin(names)](tree());
    }
    const std::string problem =
        shell.empty()
            ? "no shell"
            : "'" + shell + "' is not known" + did_you_mean(shell, std::span<const std::string_view>(names));
    throw Error(ErrorKind::usage, "completion: " + problem + "; allowed: bash, zsh, fish");
}

}  // namespace traincost
