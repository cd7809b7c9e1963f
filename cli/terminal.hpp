// What the standard output is written to.
#pragma once

#include <traincost/report/text_table.hpp>

#include <optional>
#include <string_view>

namespace traincost::cli {

/// How text is printed on the standard output: `COLUMNS`, else the terminal's width, at least 80 columns; 100
/// where it is no terminal. Coloured on a terminal unless NO_COLOR is set or TERM is "dumb".
TextStyle style_of_standard_output();

/// The number of columns that `COLUMNS` states; nothing where it states none.
std::optional<std::size_t> stated_columns(std::string_view text);

}  // namespace traincost::cli
