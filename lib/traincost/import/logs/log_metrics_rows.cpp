// Tables of metrics: the line of their names, and their rows.

#include <algorithm>
#include <string>

#include "traincost/import/logs/lines/log_members.hpp"
#include "traincost/import/logs/lines/log_plain_number.hpp"
#include "traincost/import/logs/lines/log_scan.hpp"
#include "traincost/import/logs/log_metrics.hpp"

namespace traincost {

namespace {

using enum LogFact;

/// Of a column of a chart exported from Weights & Biases, "run - train/loss", the metric; nothing for the
/// least and the most of its runs.
std::string_view without_run(std::string_view name) {
    constexpr std::string_view between = " - ";
    if (name.ends_with("__MIN") || name.ends_with("__MAX")) {
        return {};
    }
    const std::size_t at = name.rfind(between);
    return at == name.npos ? name : name.substr(at + between.size());
}

/// "10,125" of a table whose separator is no comma: its comma is a decimal point.
std::string_view with_point(std::string_view cell, std::string& scratch) {
    const std::size_t comma = cell.find(',');
    if (comma == cell.npos || comma != cell.rfind(',') || cell.find('.') != cell.npos) {
        return cell;
    }
    scratch = cell;
    scratch[comma] = '.';
    return scratch;
}

/// Where the text begins behind a launcher's rank: "0: ", "[rank3]: "; 0 where there is none.
std::size_t behind_launcher(std::string_view line) {
    constexpr std::size_t longest = 40;
    const std::size_t end = line.find(": ");
    if (end == line.npos || end == 0 || end > longest ||
        line.substr(0, end).find_first_of(" ,;|\t") != line.npos) {
        return 0;
    }
    const char last = line[end - 1] == ']' && end > 1 ? line[end - 2] : line[end - 1];
    return last >= '0' && last <= '9' ? std::min(line.find_first_not_of(' ', end + 1), line.size()) : 0;
}

}  // namespace

void LogMetrics::name_columns(const std::vector<std::string>& names) {
    names_.clear();
    columns_.clear();
    data_time_column_ = std::find(names.begin(), names.end(), "data_time") != names.end();
    for (const std::string& name : names) {
        names_.emplace_back(without_run(name));
        columns_.push_back(column(names_.back(), known_));
    }
    said_.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].role != ColumnRole::none) {
            said_.push_back(i);
        }
    }
}

bool LogMetrics::take_header(std::string_view line) {
    const std::size_t prefix = behind_launcher(line);
    const std::string_view launcher = line.substr(0, prefix);
    line.remove_prefix(prefix);
    line = line.substr(std::min(line.find_first_not_of("#% "), line.size()));
    constexpr std::size_t longest = std::size_t{1} << 16;
    if (line.size() > longest || line.empty()) {
        return false;
    }
    char separator = 0;
    std::ptrdiff_t most = 0;
    for (const char c : {'\t', ',', ';', '|'}) {
        const std::ptrdiff_t count = std::count(line.begin(), line.end(), c);
        if (count > most) {
            most = count;
            separator = c;
        }
    }
    if (separator == 0) {
        return false;
    }
    const std::vector<std::string> names = fields_of_row(line, separator);
    bool iteration = false;
    bool step = false;
    for (const std::string& name : names) {
        const bool numeral =
            !name.empty() && (name[0] == '-' || name[0] == '.' || (name[0] >= '0' && name[0] <= '9'));
        if (numeral || name.size() > 200 || name.find(':') != name.npos || name.find('=') != name.npos) {
            return false;
        }
        const LogColumn what = column_of(without_run(name));
        iteration |= what.role == ColumnRole::iteration || what.role == ColumnRole::optimizer_step;
        step |= what.role == ColumnRole::fact && what.fact != global_batch && what.fact != sequence;
    }
    if (!iteration || !step) {
        return false;
    }
    separator_ = separator;
    launcher_ = launcher;
    name_columns(names);
    return true;
}

std::string_view LogMetrics::bare_row(std::string_view line) const {
    return line.starts_with(launcher_) ? line.substr(launcher_.size()) : std::string_view{};
}

bool LogMetrics::is_row(std::string_view line) const {
    if (line.empty()) {
        return false;
    }
    const bool separated = columns_.size() < 2 || line.find(separator_) != line.npos;
    return separated && std::any_of(line.begin(), line.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
           line[0] != '{' && line.find(": ") == line.npos;
}

bool LogMetrics::is_bare_row(std::string_view line) const {
    const bool alone = launcher_.empty() && !in_block() && !in_cells_ && object_.empty();
    if (!alone || !is_decimal_digit(line.front()) || line.back() == '}' || columns_.size() < 2) {
        return false;
    }
    bool separated = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (i + 8 <= line.size()) {
            const std::uint64_t bytes = eight_at(line.data() + i);
            separated |= has_nought(bytes ^ eight_of(separator_));
            if (!has_nought(bytes ^ eight_of(':')) && !has_nought(bytes ^ eight_of('"'))) {
                i += 7;
                continue;
            }
        }
        separated |= line[i] == separator_;
        if (line[i] == ':' || line[i] == '"') {
            return false;
        }
    }
    return separated;
}

/// A number that nothing stands beside, and that is the first of its fact; whether it is one that needs no
/// more thought.
bool LogMetrics::gather_plain(Gathered& values, const LogColumn& what, const LogNumber& number) {
    LogFacts& facts = values.facts;
    if (what.role != ColumnRole::fact || what.scale == 0 || facts.has(what.fact)) {
        return false;
    }
    const auto fact = static_cast<std::size_t>(what.fact);
    values.ranks[fact] = static_cast<std::int8_t>(what.rank + 1);
    facts.set(what.fact, number.value * what.scale);
    facts.decimals[fact] = static_cast<std::int8_t>(number.decimals);
    facts.open = true;
    facts.last = what.fact;
    return true;
}

/// Gathers cell `i`, which begins at `begin`; where it ends.
std::size_t LogMetrics::take_bare_cell(Gathered& values, std::string_view line, std::size_t begin,
                                       std::size_t i, bool ended) {
    const LogColumn& what = columns_[i];
    std::size_t cell = begin;
    while (cell < line.size() && line[cell] == ' ') {
        ++cell;
    }
    LogNumber number;
    std::size_t end = plain_number_at(line, cell, separator_, number);
    const bool plain = end != line.npos && is_number(what.role);
    if (!plain) {
        for (end = begin; end < line.size() && line[end] != separator_;) {
            ++end;
        }
    }
    if (!ended && end == line.size()) {  // the last value may lack digits
        return end;
    }
    if (plain) {
        if (!gather_plain(values, what, number)) {
            number.end -= cell;
            gather_number(values, what, line.substr(cell, number.end), &number);
        }
        return end;
    }
    std::string scratch;
    const std::string_view text = trimmed(line.substr(begin, end - begin));
    gather(values, names_[i], what, separator_ == ';' ? with_point(text, scratch) : text);
    return end;
}

/// Gathers the cells of a row without quotes; their number.
std::size_t LogMetrics::take_bare_cells(Gathered& values, std::string_view line, bool ended) {
    std::size_t at = 0;  // where cell `i` begins
    std::size_t i = 0;
    for (const std::size_t said : said_) {
        for (; i < said && at <= line.size(); ++i, ++at) {
            while (at < line.size() && line[at] != separator_) {
                ++at;
            }
        }
        if (at > line.size()) {
            return i;
        }
        at = take_bare_cell(values, line, at, i++, ended) + 1;
    }
    const std::string_view rest = line.substr(std::min(at, line.size()));
    return at > line.size()
               ? i
               : i + 1 + static_cast<std::size_t>(std::count(rest.begin(), rest.end(), separator_));
}

/// The same of a row with quotes.
std::size_t LogMetrics::take_quoted_cells(Gathered& values, std::string_view line, bool ended) {
    std::string scratch;
    std::size_t i = 0;
    for_each_cell(line, separator_, [&](std::string_view cell, bool last) {
        const bool said = i < columns_.size() && columns_[i].role != ColumnRole::none;
        if (said && (ended || !last)) {  // the last value may lack digits
            gather(values, names_[i], columns_[i], separator_ == ';' ? with_point(cell, scratch) : cell);
        }
        ++i;
    });
    return i;
}

const LogFacts* LogMetrics::row(std::string_view line, bool ended) {
    Gathered& values = gathered_;
    values.clear();
    values.data_time = data_time_column_;
    const bool quoted = line.find('"') != line.npos;
    const std::size_t cells =
        quoted ? take_quoted_cells(values, line, ended) : take_bare_cells(values, line, ended);
    if (cells > columns_.size() + 1) {
        return nullptr;
    }
    apart_ |= values.facts.iteration && !is_of_training(values.facts);
    return finish(values) ? &values.facts : nullptr;
}

}  // namespace traincost
