#include "traincost/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "traincost/base/text.hpp"
#include "traincost/report/csv.hpp"
#include "traincost/report/markdown.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, 3> names = {"table", "csv", "markdown"};

template <class Number>
Cell quantity_cell(Number x, std::string_view unit) {
    return {.text = to_text(x), .exact = to_exact(x.value()), .unit = std::string(unit), .number = true};
}

std::string padding(std::size_t width, std::string_view text) {
    const std::size_t used = display_width(text);
    return std::string(width > used ? width - used : 0, ' ');
}

struct Layout {
    std::vector<std::size_t> width;
    std::vector<bool> right;
};

/// Widths of the columns; a column of which every filled cell is a number stands at the right.
Layout layout_of(const Table& table) {
    Layout layout;
    const auto grow = [&](std::size_t column, std::string_view text) {
        if (layout.width.size() <= column) {
            layout.width.resize(column + 1, 0);
        }
        layout.width[column] = std::max(layout.width[column], display_width(text));
    };
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        grow(c, table.columns[c]);
    }
    for (const std::vector<Cell>& row : table.rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            grow(c, row[c].text);
        }
    }
    layout.right.assign(layout.width.size(), false);
    for (std::size_t c = 0; c < layout.width.size(); ++c) {
        bool any = false;
        bool all = true;
        for (const std::vector<Cell>& row : table.rows) {
            if (c < row.size() && !row[c].text.empty() && row[c] != empty_cell()) {
                any = any || row[c].number;
                all = all && row[c].number;
            }
        }
        layout.right[c] = any && all;
    }
    return layout;
}

void add_line(std::string& out, const std::vector<std::string_view>& texts, const Layout& layout) {
    std::string line;
    for (std::size_t c = 0; c < texts.size(); ++c) {
        const std::string space = padding(layout.width[c], texts[c]);
        line += c == 0 ? "" : "  ";
        line += layout.right[c] ? space + std::string(texts[c]) : std::string(texts[c]) + space;
    }
    while (line.ends_with(' ')) {
        line.pop_back();
    }
    out += line + '\n';
}

}  // namespace

Cell text_cell(std::string_view text) {
    return {.text = std::string(text)};
}

Cell count_cell(std::int64_t x) {
    return {.text = std::to_string(x), .number = true};
}

Cell short_count_cell(double x) {
    return {.text = count_text(x), .exact = to_exact(x), .number = true};
}

Cell number_cell(double x) {
    return {.text = to_significant(x), .exact = to_exact(x), .number = true};
}

Cell percent_cell(double x) {
    return {.text = percent_text(x), .exact = to_exact(x), .number = true};
}

Cell share_cell(double x) {
    constexpr double percent = 100.0;
    return {.text = fmt::format("{:.1f}%", finite(x) * percent), .exact = to_exact(x), .number = true};
}

Cell cell(Bytes x) {
    return quantity_cell(x, "byte");
}
Cell cell(Flops x) {
    return quantity_cell(x, "flop");
}
Cell cell(Seconds x) {
    return quantity_cell(x, "s");
}
Cell cell(Dollars x) {
    return quantity_cell(x, "USD");
}
Cell cell(ByteRate x) {
    return quantity_cell(x, "byte/s");
}
Cell cell(FlopRate x) {
    return quantity_cell(x, "flop/s");
}

Cell empty_cell() {
    return {.text = "-"};
}

std::optional<Format> format_from(std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt
                                : std::optional(static_cast<Format>(std::distance(names.begin(), found)));
}

std::span<const std::string_view> format_names() {
    return names;
}

std::size_t display_width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;  // continuation bytes take no room
    }));
}

std::string to_text(std::span<const Table> tables) {
    std::string out;
    for (const Table& table : tables) {
        out += out.empty() ? "" : "\n";
        if (!table.title.empty()) {
            out += table.title + '\n';
        }
        const Layout layout = layout_of(table);
        if (!table.columns.empty()) {
            add_line(out, {table.columns.begin(), table.columns.end()}, layout);
        }
        for (const std::vector<Cell>& row : table.rows) {
            std::vector<std::string_view> texts;
            for (const Cell& cell : row) {
                texts.emplace_back(cell.text);
            }
            add_line(out, texts, layout);
        }
        for (const std::string& remark : table.remarks) {
            out += remark + '\n';
        }
    }
    return out;
}

std::string render(std::span<const Table> tables, Format format) {
    switch (format) {
        case Format::csv:
            return to_csv(tables);
        case Format::markdown:
            return to_markdown(tables);
        case Format::table:
            break;
    }
    return to_text(tables);
}

}  // namespace traincost
