// Words and quotes of the shells' languages.
#pragma once

#include "traincost/report/commands/command_tree.hpp"

#include <string>
#include <vector>

namespace traincost {

/// With a space between each two.
std::string joined_words(const std::vector<std::string>& words);

/// `text` between single quotes; `quote` stands for a quote within it.
std::string in_quotes(const std::string& text, const std::string& quote = "'\\''");

/// `text` with `to` in place of every `from`.
std::string replaced(std::string text, const std::string& from, const std::string& to);

/// The commands' own words, without those of the commands above them: "sheet bench".
std::string own_words(const std::vector<const CommandNode*>& commands);

}  // namespace traincost
