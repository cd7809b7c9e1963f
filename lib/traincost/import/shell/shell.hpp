// What a launch script would start, found without starting anything: variables, arrays, branches and
// functions are followed; commands are collected. What only a machine knows (its environment, the output of
// programs, files that were not given) is unknown, and stays marked as unknown in every value made of it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/import/shell/shell_syntax.hpp"

namespace traincost {

/// Stands in a text for what is not known.
inline constexpr char unknown_mark = '\x01';
/// The value of an option that stands in one branch of a condition nobody knows.
inline constexpr std::string_view unknown_if_said = "\x01\x01";

/// A command with its words expanded, and the variables set in front of it.
struct StartedCommand {
    std::vector<ShellText> words;
    std::vector<std::pair<std::string, ShellText>> environment;
    std::vector<std::pair<std::string, ShellText>> exported;  ///< by lines above it
};

/// A file that a script writes itself, by a here-document or by echo.
struct WrittenFile {
    std::string name;
    ShellText text;
};

/// A line that names something that was not given.
struct ShellRemark {
    ShellPlace place;
    std::string key;
    std::string why;
};

struct ShellOutcome {
    std::vector<StartedCommand> commands;
    std::vector<WrittenFile> written;
    std::vector<ShellRemark> remarks;
    std::vector<std::string> sourced;  ///< names of given files that were read in
    std::vector<ShellText> options;    ///< all flags and their values that its variables hold in the end
};

/// A given file that a script may source or start.
struct ShellFile {
    const std::string* name;
    std::string_view text;
};

/// Follows `files[first]`. `known` are variables of the machine that the script's header decides
/// (SLURM_NNODES). `select` decides branches whose subject is not known. `Error` of kind input with file and
/// line where the script cannot be parsed.
ShellOutcome follow_shell(std::span<const ShellFile> files, std::size_t first,
                          const std::map<std::string, std::string>& known, std::string_view select);

}  // namespace traincost
