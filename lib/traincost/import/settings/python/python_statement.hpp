// A Python file cut into its statements.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

/// A statement: its text without comments, brackets joined over lines, and how far it is indented.
struct PythonStatement {
    std::string text;
    std::vector<int> lines;  ///< of each character
    std::size_t indent = 0;
    std::vector<const PythonStatement*>
        within{};                            ///< the headers of the blocks it stands in, the outer first
    const PythonStatement* after = nullptr;  ///< of an elif or an else: the header of the block before it
};

/// Whether the text of a statement begins with one of `words`.
bool begins_with(std::string_view text, std::initializer_list<std::string_view> words);

/// The statements of `text`; `Error` of kind input that names `file` and the line of a quote or a bracket
/// that is not closed.
std::vector<PythonStatement> python_statements(std::string_view text, const std::string& file);

}  // namespace traincost
