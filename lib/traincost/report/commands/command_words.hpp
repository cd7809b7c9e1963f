// The program's commands in words: one row a command, in the order of the help.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

struct CommandWords {
    std::string_view name;      ///< "estimate", "export sheet"
    std::string_view group;     ///< heading it stands under in the program's help
    std::string_view summary;   ///< empty: a published calculator's own
    std::string_view examples;  ///< command lines, one a line
    std::string_view parts{};   ///< what its own commands are called: "format"; empty: it has none
};

/// A command of commands stands before its own.
std::span<const CommandWords> command_words();

/// The names of the program's commands, or of a command's own: "sheet".
std::vector<std::string> command_names(std::string_view of = {});

/// `Error` of kind usage where the program has no such command: the nearest, or all of them.
void require_command(std::string_view name);

/// Between each two of them a comma.
std::string listed(const std::vector<std::string>& names);

/// What a word that has no place was meant to be: "unknown option '--tpp' of 'plan'; did you mean '--tp'?"
/// `names` are the options or commands that there are, `command` is empty of the program itself.
std::string unplaced_text(const std::string& word, const std::string& command,
                          const std::vector<std::string>& options, const std::vector<std::string>& commands);

}  // namespace traincost
