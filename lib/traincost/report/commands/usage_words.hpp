// A parser's complaints about a command line in the program's words.
#pragma once

#include <string>
#include <string_view>

namespace traincost {

/// What is wrong with a command line, in one line: the flag, what it was given, what is allowed. `complaint`
/// is the parser's (CLI11's); `command` is empty before one was named.
std::string in_plain_words(std::string_view complaint, const std::string& command);

/// Control characters as "\x0a": a message is one line, whatever a user put in a file name.
std::string in_one_line(std::string_view text);

}  // namespace traincost
