#include "traincost/methods/printed.hpp"

#include "traincost/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace traincost {

namespace {

constexpr double exponent_from = 1e16;  // where Python's repr of a float begins to print an exponent

/// `text` is a number that ends in the digit 5, and `x` is exactly that.
bool is_tie(double x, const std::string& text) {
    // A double that is not exactly a short decimal differs from it within its first 60 decimals.
    const std::string all = fmt::format("{:.60f}", x);
    return text.back() == '5' && all.compare(0, text.size(), text) == 0 &&
           all.find_first_not_of('0', text.size()) == std::string::npos;
}

bool is_number(const std::string& text) {
    char* end = nullptr;
    std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0';
}

/// Blanks after a number that put its decimal point, or its bare exponent, under the others' points.
std::size_t after_point(const std::string& number) {
    const std::size_t point = std::min(number.find('.'), number.find('e'));
    return point == std::string::npos ? 0 : number.size() - point;
}

void align_at_point(TextRows& rows, std::size_t column) {
    std::size_t most = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        most = std::max(most, after_point(rows[i][column]));
    }
    for (std::size_t i = 1; i < rows.size(); ++i) {
        rows[i][column].append(most - after_point(rows[i][column]), ' ');
    }
}

std::string rule(const std::vector<std::size_t>& widths, char line) {
    std::string text = "+";
    for (const std::size_t width : widths) {
        text += std::string(width + 2, line) + "+";
    }
    return text + "\n";
}

enum class Side { left, right, middle };

std::string line_of(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                    const std::vector<Side>& sides) {
    std::string text = "|";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::size_t blanks = widths[i] - cells[i].size();
        const std::size_t before = sides[i] == Side::left ? 0 : sides[i] == Side::right ? blanks : blanks / 2;
        text += " " + std::string(before, ' ') + cells[i] + std::string(blanks - before, ' ') + " |";
    }
    return text + "\n";
}

std::vector<std::size_t> widths_of(const TextRows& rows, std::size_t beside_header) {
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < rows.front().size(); ++column) {
        std::size_t width = rows.front()[column].size() + beside_header;
        for (const std::vector<std::string>& row : rows) {
            width = std::max(width, row[column].size());
        }
        widths.push_back(width);
    }
    return widths;
}

}  // namespace

double python_round(double x, int digits) {
    return std::strtod(fmt::format("{:.{}f}", x, digits).c_str(), nullptr);
}

std::string python_round_text(double x, int digits) {
    return python_text(python_round(x, digits));
}

std::string python_text(double x) {
    if (finite(x) == 0.0) {
        return "0.0";
    }
    if (std::floor(x) == x && std::abs(x) < exponent_from) {
        return fmt::format("{:.1f}", x);
    }
    return fmt::format("{}", x);
}

std::string grid_number(double x) {
    return fmt::format("{:g}", finite(x));
}

std::string decimals_text(double x, int digits) {
    return fmt::format("{:.{}f}", finite(x), digits);
}

std::string spreadsheet_text(double x) {
    return fmt::format("{:.15g}", finite(x));
}

std::string fixed_text(double x, int digits) {
    const std::string one_more = fmt::format("{:.{}f}", finite(x), digits + 1);
    if (!is_tie(x, one_more)) {
        return fmt::format("{:.{}f}", x, digits);
    }
    return fmt::format("{:.{}f}", std::nextafter(x, HUGE_VAL), digits);
}

std::string grid_text(const TextRows& given) {
    TextRows rows = given;
    std::vector<Side> sides;
    for (std::size_t column = 0; column < rows.front().size(); ++column) {
        const bool numbers = std::all_of(rows.begin() + 1, rows.end(),
                                         [&](const auto& row) { return is_number(row[column]); });
        sides.push_back(numbers ? Side::right : Side::left);
        if (numbers) {
            align_at_point(rows, column);
        }
    }
    constexpr std::size_t beside_header = 2;
    const std::vector<std::size_t> widths = widths_of(rows, beside_header);
    std::string text = rule(widths, '-') + line_of(rows.front(), widths, sides) + rule(widths, '=');
    for (std::size_t i = 1; i < rows.size(); ++i) {
        text += line_of(rows[i], widths, sides) + rule(widths, '-');
    }
    return text;
}

std::string pretty_text(const TextRows& rows) {
    const std::vector<std::size_t> widths = widths_of(rows, 0);
    const std::vector<Side> sides(widths.size(), Side::middle);
    std::string text = rule(widths, '-') + line_of(rows.front(), widths, sides) + rule(widths, '-');
    for (std::size_t i = 1; i < rows.size(); ++i) {
        text += line_of(rows[i], widths, sides);
    }
    return text + rule(widths, '-');
}

}  // namespace traincost
