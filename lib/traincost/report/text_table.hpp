// Tables as text for a terminal of some width.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/report/table.hpp"

namespace traincost {

/// How text meets its reader.
struct TextStyle {
    std::size_t width = 100;  ///< characters of a line, at least 40
    bool color = false;       ///< ANSI colours for verdicts, bold for headings
    bool operator==(const TextStyle&) const = default;
};

/// Columns two spaces apart, numbers at the right, tables a blank line apart. No line is longer than
/// `style.width`: headings and cells are wrapped at spaces, and a table that is too wide all the same is
/// turned, a line for each field of a row. Words are broken behind "/", "-", "_" or ",", and elsewhere only
/// where they must be.
std::string to_text(std::span<const Table> tables, const TextStyle& style = {});

/// The lines of `text`, none longer than `width` characters, broken at spaces where there are any,
/// else behind what joins the parts of a name.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// Columns an UTF-8 text takes on a terminal, each character counting one.
std::size_t display_width(std::string_view text);

}  // namespace traincost
