// Parts of a command's help, no line wider than the terminal.
#pragma once

#include <cstddef>
#include <string>

namespace traincost {

/// The column where the help says what an option means.
inline constexpr std::size_t meaning_column = 30;

/// What can be said at the left, what it means wrapped beside it, or below where the left takes its place.
std::string help_entry(const std::string& name, const std::string& meaning, std::size_t width);

/// Under their heading; `lines` has one a line. Empty where there are none.
std::string help_examples(const std::string& lines, std::size_t width);

/// With one blank line where groups that are left out leave several.
std::string without_gaps(const std::string& help);

}  // namespace traincost
