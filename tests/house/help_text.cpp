#include "house/help_text.hpp"

#include <algorithm>
#include <sstream>

namespace traincost::test {

namespace {

constexpr std::size_t meaning_column = 30;

std::string trimmed(const std::string& text) {
    const auto begin = text.find_first_not_of(' ');
    const auto end = text.find_last_not_of(' ');
    return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

/// Without what the formatter adds: "(or TRAINCOST_DATA)", "...".
std::string bare(std::string name) {
    for (const char* mark : {" (or ", " ..."}) {
        if (const auto at = name.find(mark); at != name.npos) {
            name.resize(at);
        }
    }
    return name;
}

}  // namespace

HelpText parse_help(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    HelpText help;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string& line = lines[i];
        if (i == 0) {
            help.summary = line;
        } else if (line == "Examples:") {
            break;
        } else if (line.starts_with("Usage: ")) {
            help.usage = line.substr(7);
        } else if (!line.empty() && line.front() != ' ' && line.ends_with(':')) {
            help.groups.push_back({line.substr(0, line.size() - 1), {}});
        } else if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ' && !help.groups.empty()) {
            const bool below = line.find("  ", 2) == line.npos && i + 1 < lines.size() &&
                               lines[i + 1].starts_with(std::string(meaning_column, ' '));
            HelpEntry entry;
            if (below) {
                entry = {bare(trimmed(line)), trimmed(lines[++i])};
            } else {
                entry = {bare(trimmed(line.substr(0, meaning_column))),
                         line.size() > meaning_column ? trimmed(line.substr(meaning_column)) : ""};
            }
            while (i + 1 < lines.size() && lines[i + 1].starts_with(std::string(meaning_column, ' '))) {
                entry.meaning += ' ' + trimmed(lines[++i]);
            }
            if (entry.name != "-h,--help") {
                help.groups.back().entries.push_back(std::move(entry));
            }
        }
    }
    std::erase_if(help.groups, [](const HelpGroup& group) { return group.entries.empty(); });
    return help;
}

bool is_of_commands(const HelpGroup& group) {
    return group.title != "Positionals" && !group.entries.front().name.starts_with('-');
}

std::vector<HelpEntry> commands_of(const HelpText& help) {
    std::vector<HelpEntry> commands;
    for (const HelpGroup& group : help.groups) {
        if (is_of_commands(group)) {
            commands.insert(commands.end(), group.entries.begin(), group.entries.end());
        }
    }
    return commands;
}

const HelpGroup* group_of(const HelpText& help, const std::string& title) {
    const auto found = std::find_if(help.groups.begin(), help.groups.end(),
                                    [&](const HelpGroup& group) { return group.title == title; });
    return found == help.groups.end() ? nullptr : &*found;
}

}  // namespace traincost::test
