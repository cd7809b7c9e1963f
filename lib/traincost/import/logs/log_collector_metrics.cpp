// Tables, JSON lines and named values among the lines of a log.

#include <algorithm>
#include <string>

#include "traincost/import/logs/lines/log_members.hpp"
#include "traincost/import/logs/lines/log_place.hpp"
#include "traincost/import/logs/lines/log_scan.hpp"
#include "traincost/import/logs/log_collector.hpp"

namespace traincost {

namespace {

/// Whether a member of an object has the name of an iteration.
bool names_iteration(std::string_view line) {
    for (std::size_t at = line.find(':'); at != line.npos; at = line.find(':', at + 1)) {
        const char quote = at > 0 ? line[at - 1] : ' ';
        const std::string_view name = line.substr(0, at - (at > 0 ? 1 : 0));
        const bool either = name.ends_with("step") || name.ends_with("iter") || name.ends_with("iteration");
        if ((quote == '\'' && either) ||
            (quote == '"' && (either || name.ends_with("steps") || name.ends_with("num_updates")))) {
            return true;
        }
    }
    return false;
}

/// Where the text behind a progress bar begins; 0 where none stands before it.
std::size_t end_of_bar(std::string_view line) {
    const std::size_t percent = find_in(line, "%|");
    for (const std::string_view unit : {"s/it]", "it/s]"}) {
        if (const std::size_t at = percent == line.npos ? percent : find_in(line, unit, percent);
            at != line.npos) {
            return at + unit.size();
        }
    }
    return 0;
}

}  // namespace

bool LogCollector::take_object(std::string_view object, const LogLine& line) {
    std::optional<LogFacts> step;
    const bool own = metrics_.take_object(object, step);
    if (step) {
        take_measured(*step, line);
    }
    return own;
}

/// Named values of a script that is nobody's; tried on so many lines in vain, it is not tried again. The line
/// after a step may say how long it took. A line that names no number of a step must name its place in an
/// epoch.
void LogCollector::take_named(const LogLine& line, bool numbered) {
    constexpr int most_in_vain = 20000;
    constexpr std::int64_t next_lines = 2;
    const bool follows = named_line_ > 0 && line.number - named_line_ <= next_lines;
    const bool loss_named = holds(line.text, "oss") || holds(line.text, "OSS") || holds(line.text, "xent");
    if (unnamed_lines_ >= most_in_vain || (!loss_named && !follows) ||
        (!numbered && !place_in_epoch(line.text))) {
        return;
    }
    const std::size_t bar = end_of_bar(line.text);
    std::optional<LogFacts> facts = metrics_.named_values(line.text.substr(bar), follows);
    unnamed_lines_ = facts ? 0 : unnamed_lines_ + 1;
    if (!facts) {
        return;
    }
    named_line_ = line.number;
    if (bar > 0 && !facts->is_timed()) {  // printed over a bar, which says how fast its steps are
        if (const std::optional<double> seconds = seconds_of_bar(line.text.substr(0, bar), 0)) {
            facts->set(LogFact::step_time, *seconds);
        }
    }
    take_step_beside_rows(*facts, line);
}

/// A line of the shape of one that was read as named values.
bool LogCollector::take_known(const LogLine& line) {
    const LogFacts* const facts = metrics_.known_values(line.text);
    if (facts != nullptr) {
        named_line_ = line.number;
        take_step_beside_rows(*facts, line);
    }
    return facts != nullptr;
}

/// A step that is no row of a table, so that a single one may be a mention in prose.
void LogCollector::take_step_beside_rows(const LogFacts& facts, const LogLine& line) {
    const bool rows = rows_;
    take_measured(facts, line);
    rows_ = rows;
}

void LogCollector::begin_file() {
    lines_of_file_ = 0;
}

void LogCollector::take_measured(const LogFacts& facts, const LogLine& line) {
    keep_memory(facts);
    keep_summary(facts);
    if (facts.iteration) {
        rows_ = true;
        accept(LogFamily::metrics, facts, line.number);
    }
}

/// Values of a block, one a line; the first other line ends it.
bool LogCollector::continue_block(const LogLine& line) {
    if (metrics_.in_block() && !metrics_.take_of_block(line.text)) {
        end_block(line.number);
    }
    return metrics_.in_block();
}

void LogCollector::end_block(std::int64_t line) {
    if (const std::optional<LogFacts> facts = metrics_.end_block()) {
        take_measured(*facts, {line, "", true});
    }
}

/// A row that begins with a digit and has no names, so that it can be nothing else; false where it says
/// nothing.
bool LogCollector::take_bare_row(const LogLine& line) {
    if (!head_of_bar_.empty() || wrapped_ || !metrics_.is_bare_row(line.text)) {
        return false;
    }
    row_tried_ = true;
    const LogFacts* const facts = metrics_.row(line.text, line.ended);
    if (facts != nullptr) {
        take_measured(*facts, line);
    }
    return facts != nullptr;
}

/// Rows of a table, names of its columns, and JSON objects of nobody's own form.
bool LogCollector::take_metrics(const LogLine& line) {
    if (metrics_.in_cells()) {
        for (const LogFacts& facts : metrics_.take_cells(line.text)) {
            take_measured(facts, line);
        }
        return true;
    }
    if (line.text.starts_with("{\"") || line.text.starts_with("{ \"")) {
        return take_object(line.text, line);
    }
    if (line.text.starts_with("[{")) {
        for_each_object(line.text, [&](std::string_view object) { take_object(object, line); });
    }
    if (line.text.starts_with("{'") && names_iteration(line.text)) {  // a dictionary of Python
        std::string object(line.text);
        std::replace(object.begin(), object.end(), '\'', '"');
        return take_object(object, line);
    }
    const bool others = line.text.starts_with(":::") || line.text.starts_with("DLLL");
    if (line.text.ends_with('}') && !others) {  // behind a logger's words
        const std::size_t brace = find_in(line.text, "{\"");
        std::optional<LogFacts> step;
        if (brace != line.text.npos && names_iteration(line.text) &&
            metrics_.take_object(line.text.substr(brace), step) && step) {
            take_measured(*step, line);
            return true;
        }
    }
    if (const std::optional<std::string> object = metrics_.take_row_of_object(line.text)) {
        take_object(*object, line);
    }
    const std::string_view row = metrics_.bare_row(line.text);
    if (metrics_.has_columns() && !row_tried_ && metrics_.is_row(row)) {
        if (const LogFacts* const facts = metrics_.row(row, line.ended)) {
            take_measured(*facts, line);
            return true;
        }
    }
    return lines_of_file_ < lines_before_names && ++lines_of_file_ > 0 && metrics_.take_header(line.text);
}

}  // namespace traincost
