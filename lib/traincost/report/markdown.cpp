#include "traincost/report/markdown.hpp"

#include <algorithm>

namespace traincost {

namespace {

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|' || c == '\\' || c == '*' || c == '`') {
            out += '\\';
        }
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

std::size_t width_of(const Table& table) {
    std::size_t width = table.columns.size();
    for (const std::vector<Cell>& row : table.rows) {
        width = std::max(width, row.size());
    }
    return width;
}

bool all_numbers(const Table& table, std::size_t column) {
    bool any = false;
    for (const std::vector<Cell>& row : table.rows) {
        if (column < row.size() && row[column] != empty_cell() && !row[column].text.empty()) {
            if (!row[column].number) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

void add_table(std::string& out, const Table& table) {
    const std::size_t width = width_of(table);
    if (width == 0) {
        return;
    }
    out += '|';
    for (std::size_t c = 0; c < width; ++c) {
        out += ' ' + (c < table.columns.size() ? escaped(table.columns[c]) : std::string()) + " |";
    }
    out += "\n|";
    for (std::size_t c = 0; c < width; ++c) {
        out += all_numbers(table, c) ? "---:|" : "---|";
    }
    out += '\n';
    for (const std::vector<Cell>& row : table.rows) {
        out += '|';
        for (std::size_t c = 0; c < width; ++c) {
            out += ' ' + (c < row.size() ? escaped(row[c].text) : std::string()) + " |";
        }
        out += '\n';
    }
}

}  // namespace

std::string to_markdown(std::span<const Table> tables) {
    std::string out;
    for (const Table& table : tables) {
        out += out.empty() ? "" : "\n";
        if (!table.title.empty()) {
            out += "### " + escaped(table.title) + "\n\n";
        }
        add_table(out, table);
        for (const std::string& remark : table.remarks) {
            out += "\n" + escaped(remark) + '\n';
        }
    }
    return out;
}

}  // namespace traincost
