#include "traincost/import/logs/lines/log_rows.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

/// Whether `text` begins with `prefix`, whatever its digits.
bool begins_like(std::string_view text, std::string_view prefix) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return text.size() >= prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), text.begin(),
                      [&](char a, char b) { return a == b || (digit(a) && digit(b)); });
}

constexpr std::size_t least_columns = 60;
constexpr std::size_t most_row_columns = 400;
constexpr std::size_t most_lost = 1;  // blanks at the end of a row, which editors remove

/// Columns of a row: its characters.
std::size_t columns(std::string_view row) {
    return static_cast<std::size_t>(std::count_if(
        row.begin(), row.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

/// How a row begins: its first characters, numbers without their digits.
std::string beginning(std::string_view row) {
    constexpr std::size_t length = 6;
    std::string shape;
    for (std::size_t i = 0; i < row.size() && shape.size() < length; ++i) {
        const bool digit = is_decimal_digit(row[i]);
        if (!digit || shape.empty() || shape.back() != '0') {
            shape += digit ? '0' : row[i];
        }
    }
    return shape;
}

/// Whether a row is drawn to the width of its terminal: the edge of a box, a rule, a progress bar.
bool is_drawn(std::string_view row) {
    constexpr std::string_view edges = "+|*-=#_~";
    const bool edged = edges.find(row.front()) != edges.npos && edges.find(row.back()) != edges.npos;
    const bool rate = row.ends_with("it/s]") || row.ends_with("s/it]");
    return edged || rate || (holds(row, "%|") && row.back() == ']');
}

/// Whether a row begins as lines do that loggers write: with a bracket or a date.
bool begins_anew(std::string_view row) {
    std::size_t at = 0;
    const bool year =
        whole_number_at(row, at) && at == 4 && at < row.size() && (row[4] == '-' || row[4] == '/');
    return year || row.front() == '[' || row.front() == '{';
}

/// Whether a row fills so many columns with text.
bool is_full(std::string_view row, std::size_t most) {
    const std::size_t length = row.size() + most_lost < most ? 0 : columns(row);
    return length + most_lost >= most && length <= most && !is_drawn(row);
}

/// The rows of `text`; nothing where one is wider than terminals are, or coloured: what is copied from
/// a terminal is not.
std::optional<std::vector<std::string_view>> narrow_rows(std::string_view text) {
    constexpr std::size_t bytes_of_character = 4;
    std::vector<std::string_view> rows;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
        const std::string_view row = text.substr(at, end - at);
        const bool two = text.substr(end).starts_with("\r\n");
        const bool wide =
            row.size() > most_row_columns &&
            (row.size() > bytes_of_character * most_row_columns || columns(row) > most_row_columns);
        if (wide || row.find('\x1b') != row.npos) {
            return std::nullopt;
        }
        rows.push_back(row);
        at = end + (two ? 2 : 1);
    }
    return rows;
}

bool is_of_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_decimal_digit(c) || c == '.' || c == '_';
}

}  // namespace

std::size_t columns_of_rows(std::string_view text) {
    const std::optional<std::vector<std::string_view>> rows = narrow_rows(text);
    if (!rows) {
        return 0;
    }
    std::size_t most = 0;
    for (const std::string_view row : *rows) {
        most = std::max(most, columns(row));
    }
    constexpr std::size_t least_rows = 3;
    constexpr std::size_t least_share = 8;  // one row in so many
    constexpr std::array<std::size_t, 6> usual = {80, 100, 120, 132, 160, 200};
    std::vector<std::string> ways;  // in which rows go on
    std::size_t full = 0;
    std::size_t on = 0;    // of these, rows that another line's beginning does not follow
    std::size_t amid = 0;  // of these, rows that end in a word
    std::string first;     // beginning of the first row of a line
    for (std::size_t i = 0; most >= least_columns && i + 1 < rows->size(); ++i) {
        const std::string_view row = (*rows)[i];
        const std::string_view next = (*rows)[i + 1];
        first = first.empty() ? beginning(row) : first;
        if (next.empty() || !is_full(row, most)) {
            first.clear();
            continue;
        }
        ++full;
        const std::string way = beginning(next);
        if (way == first || begins_anew(next)) {
            first.clear();
            continue;
        }
        ++on;
        amid += is_of_word(row.back()) && is_of_word(next.front()) ? 1 : 0;
        if (std::find(ways.begin(), ways.end(), way) == ways.end()) {
            ways.push_back(way);
        }
    }
    const bool often = full >= least_rows && full * least_share >= rows->size();
    const bool broken = 3 * amid >= full && ways.size() > 1;
    const bool terminal = 2 * on >= full && std::find(usual.begin(), usual.end(), most) != usual.end();
    return often && (broken || terminal) ? most : 0;
}

void LogRowJoiner::begin(const LogLine& row) {
    open_ = row.text;
    first_ = row.number;
}

bool LogRowJoiner::continues(const LogLine& row) const {
    constexpr std::size_t longest = std::size_t{1} << 14;
    return full_ && row.number == last_ + 1 && open_.size() < longest && !begins_anew(row.text) &&
           beginning(row.text) != beginning(open_);
}

std::optional<LogLine> LogRowJoiner::take(const LogLine& row) {
    std::optional<LogLine> complete;
    if (continues(row)) {
        open_.append(lost_, ' ');
        open_.append(row.text);
    } else {
        complete = end();
        begin(row);
    }
    last_ = row.number;
    ended_ = row.ended;
    full_ = is_full(row.text, columns_);
    lost_ = full_ ? columns_ - columns(row.text) : 0;
    return complete;
}

std::optional<LogLine> LogRowJoiner::end() {
    if (open_.empty()) {
        return std::nullopt;
    }
    whole_.swap(open_);
    open_.clear();
    full_ = false;
    return LogLine{.number = first_, .text = whole_, .ended = ended_};
}

std::string row_prefix(std::string_view line) {
    line = line.substr(0, std::min(find_in(line, "samples/sec"), find_in(line, "iteration")));
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    return std::string(line);
}

std::optional<std::string_view> without_prefix(std::string_view row, std::string_view prefix) {
    row = trimmed(row);
    prefix = trimmed(prefix);
    if (!begins_like(row, prefix) && prefix.ends_with(']')) {
        // Megatron's date stands in the first row only
        prefix = trimmed(prefix.substr(0, prefix.rfind('[')));
    }
    return begins_like(row, prefix) ? std::optional(row.substr(prefix.size())) : std::nullopt;
}

std::string open_field(std::string_view line) {
    constexpr std::size_t longest = 80;
    const std::string_view field = trimmed(line.substr(line.rfind('|') + 1));
    return field.size() <= longest ? std::string(field) : std::string();
}

bool is_head_of_bar(std::string_view line) {
    constexpr std::string_view name = "Epoch ";
    constexpr std::size_t longest = 200;
    if (line.size() > longest || !trimmed(line).starts_with(name)) {
        return false;
    }
    std::size_t at = find_in(line, name) + name.size();
    return whole_number_at(line, at) && at < line.size() && line[at] == ':' &&
           line.find('%', at) != line.npos && line.find('[', at) == line.npos;
}

bool is_rest_of_bar(std::string_view line) {
    std::size_t at = 0;
    return whole_number_at(line, at) && at < line.size() && line[at] == '/' && whole_number_at(line, ++at) &&
           line.substr(at).starts_with(" [");
}

}  // namespace traincost
