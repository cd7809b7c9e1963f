// The parser's complaints in the program's words.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace traincost::cli {

/// What is wrong with a command line, in one line: the flag, what it was given, what is allowed. `command` is
/// the command's name, empty before one was named.
std::string in_plain_words(const CLI::ParseError& error, const std::string& command);

}  // namespace traincost::cli
