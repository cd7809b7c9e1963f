#include "traincost/report/text_table.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace traincost {

namespace {

constexpr std::size_t gap = 2;  // blanks between columns

using Lines = std::vector<std::string>;

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;  // of a UTF-8 character begun before
}

/// Bytes of the first `width` characters.
std::size_t bytes_of(std::string_view text, std::size_t width) {
    std::size_t i = 0;
    for (std::size_t seen = 0; i < text.size(); ++i) {
        if (!continues(text[i]) && seen++ == width) {
            break;
        }
    }
    return i;
}

/// Where a text may be broken: at its spaces, or also behind what joins the parts of a name.
enum class Breaks { spaces, names };
constexpr std::string_view joints = "/-_,";

std::size_t longest_word(std::string_view text, Breaks breaks) {
    const std::string_view marks = breaks == Breaks::spaces ? " " : " /-_,";
    std::size_t longest = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(marks), text.size());
        const std::size_t joint = end < text.size() && text[end] != ' ' ? 1 : 0;
        longest = std::max(longest, display_width(text.substr(0, end + joint)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return longest;
}

/// A column's widths: all in one line, and the least without breaking a number or, below the limit, a word.
struct Column {
    std::size_t natural = 0;
    std::size_t least = 0;
    std::size_t width = 0;
    bool right = false;
};

void grow(Column& column, std::string_view text, bool wraps, Breaks breaks) {
    constexpr std::size_t longest_unbroken = 24;  // longer words are paths, addresses and formulas
    column.natural = std::max(column.natural, display_width(text));
    const std::size_t least =
        wraps ? std::min(longest_word(text, breaks), longest_unbroken) : display_width(text);
    column.least = std::max(column.least, least);
}

/// The columns; one of which every filled cell is a number stands at the right.
std::vector<Column> columns_of(const Table& table, Breaks breaks) {
    std::size_t count = table.columns.size();
    for (const std::vector<Cell>& row : table.rows) {
        count = std::max(count, row.size());
    }
    std::vector<Column> columns(count);
    for (std::size_t c = 0; c < count; ++c) {
        if (c < table.columns.size()) {
            grow(columns[c], table.columns[c], true, breaks);
        }
        bool any = false;
        bool all = true;
        for (const std::vector<Cell>& row : table.rows) {
            if (c >= row.size()) {
                continue;
            }
            grow(columns[c], row[c].text, !row[c].number, breaks);
            if (!row[c].text.empty() && row[c] != empty_cell()) {
                any = any || row[c].number;
                all = all && row[c].number;
            }
        }
        columns[c].right = any && all;
    }
    return columns;
}

std::size_t total_width(const std::vector<Column>& columns, std::size_t cap) {
    return std::accumulate(
        columns.begin(), columns.end(), gap * (columns.size() - 1),
        [&](std::size_t sum, const Column& c) { return sum + std::max(c.least, std::min(c.natural, cap)); });
}

/// Sets the widths: the widest columns give way first. False where even the narrowest do not fit.
bool fit(std::vector<Column>& columns, std::size_t width) {
    if (columns.empty()) {
        return true;
    }
    std::size_t cap = 0;
    for (const Column& c : columns) {
        cap = std::max(cap, c.natural);
    }
    while (cap > 0 && total_width(columns, cap) > width) {
        --cap;
    }
    for (Column& c : columns) {
        c.width = std::max(c.least, std::min(c.natural, cap));
    }
    return total_width(columns, cap) <= width;
}

std::string_view code_of(Tone tone) {
    switch (tone) {
        case Tone::good:
            return "\x1b[32m";
        case Tone::bad:
            return "\x1b[31m";
        case Tone::warning:
            return "\x1b[33m";
        case Tone::heading:
            return "\x1b[1m";
        case Tone::plain:
            break;
    }
    return "";
}

std::string toned(const std::string& text, Tone tone, bool color) {
    if (!color || tone == Tone::plain || text.empty()) {
        return text;
    }
    return std::string(code_of(tone)) + text + "\x1b[0m";
}

struct Styled {
    std::string_view text;
    Tone tone;
};

/// One row, in as many lines as its tallest cell.
void add_row(std::string& out, const std::vector<Styled>& cells, const std::vector<Column>& columns,
             bool color) {
    std::vector<Lines> lines;
    std::size_t height = 1;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        lines.push_back(wrapped(cells[c].text, columns[c].width));
        height = std::max(height, lines.back().size());
    }
    for (std::size_t h = 0; h < height; ++h) {
        std::string line;
        std::size_t at = 0;  // characters written
        std::size_t begin = 0;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (h < lines[c].size() && !lines[c][h].empty()) {
                const std::string& text = lines[c][h];
                const std::size_t indent = columns[c].right ? columns[c].width - display_width(text) : 0;
                line.append(begin + indent - at, ' ');
                line += toned(text, cells[c].tone, color);
                at = begin + indent + display_width(text);
            }
            begin += columns[c].width + gap;
        }
        out += line + '\n';
    }
}

/// A sentence; what follows the first line of an indented one is indented further.
void add_wrapped(std::string& out, std::string_view text, const TextStyle& style, Tone tone) {
    const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t hanging = indent == 0 ? 0 : indent + gap;
    std::size_t begin = indent;
    std::string_view rest = text.substr(indent);
    do {
        // Of a long list only what one line may hold is looked at.
        const bool is_long = rest.size() / 8 > style.width;
        const std::string_view looked_at = is_long ? rest.substr(0, 8 * style.width) : rest;
        const std::string line = wrapped(looked_at, style.width - begin).front();
        out += std::string(line.empty() ? 0 : begin, ' ') + toned(line, tone, style.color) + '\n';
        rest.remove_prefix(line.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        begin = hanging;
    } while (!rest.empty());
}

std::vector<Styled> styled(const std::vector<Cell>& row) {
    std::vector<Styled> cells;
    for (const Cell& cell : row) {
        cells.push_back({cell.text, cell.tone});
    }
    return cells;
}

/// The table with a line for each field: its heading beside its value, a blank line between rows.
void add_turned(std::string& out, const Table& table, const TextStyle& style) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        Table fields;
        for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
            Cell value = table.rows[r][c];
            value.number = false;
            if (!value.text.empty()) {
                fields.rows.push_back(
                    {text_cell(c < table.columns.size() ? table.columns[c] : ""), std::move(value)});
            }
        }
        std::vector<Column> columns = columns_of(fields, Breaks::spaces);
        if (!fit(columns, style.width)) {
            columns[1].width = style.width - std::min(style.width / 2, columns[0].width + gap);
        }
        out += r == 0 ? "" : "\n";
        for (const std::vector<Cell>& field : fields.rows) {
            add_row(out, styled(field), columns, style.color);
        }
    }
}

void add_table(std::string& out, const Table& table, const TextStyle& style) {
    std::vector<Column> columns = columns_of(table, Breaks::spaces);
    if (!fit(columns, style.width)) {
        columns = columns_of(table, Breaks::names);
    }
    if (!fit(columns, style.width)) {
        add_turned(out, table, style);
        return;
    }
    if (!table.columns.empty()) {
        std::vector<Styled> headings;
        for (const std::string& heading : table.columns) {
            headings.push_back({heading, Tone::heading});
        }
        add_row(out, headings, columns, style.color);
    }
    for (const std::vector<Cell>& row : table.rows) {
        add_row(out, styled(row), columns, style.color);
    }
}

}  // namespace

std::size_t display_width(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

namespace {

/// A break at `end` that would part a number from its unit is moved before the number.
std::size_t before_quantity(std::string_view text, std::size_t end) {
    constexpr std::array<std::string_view, 22> units = {
        "s",   "ms",   "us",   "B",    "kB", "MB", "GB",      "TB",      "KiB",     "MiB",      "GiB",
        "TiB", "GB/s", "TB/s", "days", "W",  "kW", "TFLOP/s", "PFLOP/s", "GFLOP/s", "tokens/s", "Gbit/s"};
    if (end >= text.size() || text[end] != ' ') {
        return end;
    }
    const std::string_view after = text.substr(std::min(text.find_first_not_of(' ', end), text.size()));
    std::string_view unit = after.substr(0, std::min(after.find(' '), after.size()));
    while (!unit.empty() && std::string_view(",;.:)").find(unit.back()) != unit.npos) {
        unit.remove_suffix(1);
    }
    const std::size_t space = text.rfind(' ', end == 0 ? 0 : end - 1);
    if (space == text.npos || text.substr(0, space).find_first_not_of(' ') == text.npos ||
        std::find(units.begin(), units.end(), unit) == units.end()) {
        return end;
    }
    const std::string_view number = text.substr(space + 1, end - space - 1);
    return number.find_first_of("0123456789") == 0 ? space : end;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    Lines lines;
    do {
        if (display_width(text) <= width) {
            lines.emplace_back(text);
            break;
        }
        const std::size_t most = std::max<std::size_t>(1, bytes_of(text, width));
        std::size_t end = text.rfind(' ', most);
        if (end == text.npos || text.find_first_not_of(' ') > end) {
            const std::size_t joint = text.substr(0, most).find_last_of(joints);
            end = joint == text.npos || joint == 0 ? most : joint + 1;
        }
        end = before_quantity(text, end);
        std::string_view line = text.substr(0, end);
        while (line.ends_with(' ')) {
            line.remove_suffix(1);
        }
        lines.emplace_back(line);
        text.remove_prefix(end);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    } while (!text.empty());
    return lines;
}

std::string to_text(std::span<const Table> tables, const TextStyle& style) {
    std::string out;
    for (const Table& table : tables) {
        out += out.empty() ? "" : "\n";
        if (!table.title.empty()) {
            add_wrapped(out, table.title, style, Tone::heading);
        }
        add_table(out, table, style);
        for (const std::string& remark : table.remarks) {
            add_wrapped(out, remark, style, Tone::plain);
        }
    }
    return out;
}

}  // namespace traincost
