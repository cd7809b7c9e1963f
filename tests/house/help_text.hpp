// What a command's --help says, taken apart.
#pragma once

#include <string>
#include <vector>

namespace traincost::test {

/// "--tokens COUNT" and what it means.
struct HelpEntry {
    std::string name;
    std::string meaning;
    bool operator==(const HelpEntry&) const = default;
};

/// Entries under one heading: "Job", "Output", "Positionals", "Subcommands".
struct HelpGroup {
    std::string title;
    std::vector<HelpEntry> entries;
    bool operator==(const HelpGroup&) const = default;
};

struct HelpText {
    std::string summary;
    std::string usage;
    std::vector<HelpGroup> groups;  ///< without --help itself
};

/// Reads the text that `traincost COMMAND --help` prints.
HelpText parse_help(const std::string& text);

/// Whether the group lists commands, not options.
bool is_of_commands(const HelpGroup& group);

/// All commands that a program's, or a command's, help lists.
std::vector<HelpEntry> commands_of(const HelpText& help);

/// The group called `title`, or nothing.
const HelpGroup* group_of(const HelpText& help, const std::string& title);

}  // namespace traincost::test
