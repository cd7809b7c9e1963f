// Tables of results, and how a person, a spreadsheet or a web page reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// What a value tells at a glance; colours on a terminal that has them.
enum class Tone : std::uint8_t { plain, good, bad, warning, heading };

/// One value of a table: as a person reads it, and as a program does.
struct Cell {
    std::string text;     ///< "74.5 GiB"
    std::string exact{};  ///< "79993274368": base units, all digits; empty: as `text`
    std::string unit{};   ///< of `exact`: "byte", "s", "USD", "flop/s"; empty: none
    bool number = false;  ///< stands at the right of its column
    Tone tone = Tone::plain;
    bool operator==(const Cell&) const = default;
};

Cell text_cell(std::string_view text);
Cell count_cell(std::int64_t x);                    ///< all digits: "8030261248"
Cell short_count_cell(double x);                    ///< three digits: "8.03B"
Cell number_cell(double x);                         ///< three significant digits
Cell percent_cell(double x);                        ///< of a fraction, three significant digits
Cell percent_cell(const std::optional<double>& x);  ///< the same, or nothing to say
Cell signed_percent_cell(double x);                 ///< of a difference: "+1.23%"
Cell share_cell(double x);                          ///< of a whole: one decimal, so that a column adds up
Cell cell(Bytes x);
Cell cell(Flops x);
Cell cell(Seconds x);
Cell cell(Dollars x);
Cell cell(ByteRate x);
Cell cell(FlopRate x);
Cell empty_cell();  ///< nothing to say here: "-" for people, nothing for programs

/// Rows under a title. Without column titles no heading is printed; a row may be shorter than the others.
struct Table {
    std::string title{};
    std::vector<std::string> columns{};
    std::vector<std::vector<Cell>> rows{};
    std::vector<std::string> remarks{};  ///< sentences printed below
    bool operator==(const Table&) const = default;
};

enum class Format : std::uint8_t { table, csv, markdown };

/// The format called "table", "csv" or "markdown"; nothing for another name.
std::optional<Format> format_from(std::string_view name);
std::span<const std::string_view> format_names();

}  // namespace traincost
