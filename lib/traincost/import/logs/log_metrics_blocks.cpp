// Steps whose values stand in lines of their own: blocks of named values, and tables of HTML cells; time that
// passes between rows.

#include <algorithm>
#include <cmath>

#include "traincost/import/logs/lines/log_scan.hpp"
#include "traincost/import/logs/log_metrics.hpp"

namespace traincost {

std::optional<std::string> LogMetrics::take_row_of_object(std::string_view line) {
    constexpr std::size_t longest = std::size_t{1} << 16;
    line = trimmed(line);
    if (line == "{" || line == "[{") {
        object_ = "{";
        depth_ = 1;
        return std::nullopt;
    }
    if (object_.empty()) {
        return std::nullopt;
    }
    object_.append(line);
    depth_ += line.ends_with('{') ? 1 : line.starts_with('}') ? -1 : 0;
    if (depth_ > 0 && object_.size() < longest) {
        return std::nullopt;
    }
    std::string object = depth_ == 0 ? object_ : std::string();
    object_.clear();
    return object.empty() ? std::nullopt : std::optional(std::move(object));
}

bool LogMetrics::begin_block(std::string_view line) {
    constexpr std::string_view name = "[step=";
    std::size_t at = line.ends_with(']') ? line.rfind(name) : line.npos;
    if (at == line.npos) {
        return false;
    }
    at += name.size();
    const std::optional<std::int64_t> number = whole_number_at(line, at);
    if (!number || (line[at] != '/' && line[at] != ',' && line[at] != ']')) {
        return false;
    }
    block_ = Gathered{};
    block_->facts.iteration = number;
    return true;
}

bool LogMetrics::take_of_block(std::string_view line) {
    const std::size_t at = line.find('=');
    if (at == line.npos) {
        return false;
    }
    const std::string_view value = trimmed(line.substr(at + 1));
    const std::optional<LogNumber> number = number_at(value);
    if (!number || number->end + number->suffix.size() < value.size()) {
        return false;
    }
    const std::string_view name = trimmed(line.substr(0, at));
    gather(*block_, name, column(name, known_), value);
    block_->bare_time.reset();
    block_->bare_memory.reset();
    return true;
}

std::optional<LogFacts> LogMetrics::end_block() {
    std::optional<LogFacts> step = block_ ? finished(*block_) : std::nullopt;
    block_.reset();
    return step;
}

void LogMetrics::begin_cells() {
    in_cells_ = true;
    notebook_ = true;
    columns_.clear();
    names_.clear();
    cells_.clear();
}

std::vector<LogFacts> LogMetrics::take_cells(std::string_view line) {
    std::vector<LogFacts> rows;
    for (std::size_t at = line.find('<'); at != line.npos; at = line.find('<', at + 1)) {
        const std::string_view tag = line.substr(at + 1);
        const bool name = tag.starts_with("th>");
        if (name || tag.starts_with("td>")) {
            const std::size_t end = std::min(tag.find('<'), tag.size());
            cells_.emplace_back(trimmed(tag.substr(3, end - 3)));
        } else if (tag.starts_with("/tr>")) {
            if (columns_.empty()) {
                name_columns(cells_);
            } else if (!cells_.empty()) {
                Gathered values;
                for (std::size_t i = 0; i < std::min(cells_.size(), columns_.size()); ++i) {
                    gather(values, names_[i], columns_[i], cells_[i]);
                }
                if (!values.facts.iteration && values.facts.has(LogFact::loss)) {
                    values.facts.iteration = ++rows_;  // of epochs: lines with a loss are counted
                    values.epoch.reset();
                }
                if (const std::optional<LogFacts> facts = finished(values)) {
                    rows.push_back(*facts);
                }
            }
            cells_.clear();
        } else if (tag.starts_with("/table>")) {
            in_cells_ = false;
            columns_.clear();
        }
    }
    return rows;
}

/// The time since an earlier row, by the clock of both, as soon as it is many times what the clock's last
/// digit says. A clock that falls while iterations grow is none.
void LogMetrics::set_clocked(LogFacts& facts, const Gathered& values) {
    constexpr double digits = 20.0;  // the last one is then one part in twenty
    if (!values.clock || !std::isfinite(*values.clock)) {
        return;
    }
    const std::int64_t n = *facts.iteration;
    clock_digit_ = clock_digit_ > 0 ? std::min(clock_digit_, values.clock_digit) : values.clock_digit;
    if (!clock_iteration_ || n < *clock_iteration_) {
        clock_iteration_ = n;
        last_clock_ = *values.clock;
        return;
    }
    const double passed = *values.clock - last_clock_;
    clock_falls_ |= n > *clock_iteration_ && passed < 0;
    if (n == *clock_iteration_ || clock_falls_ || passed < digits * clock_digit_) {
        return;
    }
    facts.set(LogFact::clocked_step_time, passed / static_cast<double>(n - *clock_iteration_));
    clock_iteration_ = n;
    last_clock_ = *values.clock;
}

}  // namespace traincost
