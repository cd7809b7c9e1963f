#include "traincost/import/logs/timeline_rows.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

constexpr std::int64_t largest_stage = 65535;
constexpr std::int64_t all_stages = std::numeric_limits<std::int64_t>::max();

std::vector<std::string> row_cells(std::string_view line) {
    constexpr std::string_view blank = " \t\r\"";
    std::vector<std::string> cells;
    while (true) {
        const auto comma = line.find(',');
        const std::string_view cell = line.substr(0, comma);
        const auto first = cell.find_first_not_of(blank);
        cells.emplace_back(first == cell.npos ? std::string_view{}
                                              : cell.substr(first, cell.find_last_not_of(blank) - first + 1));
        if (comma == line.npos)
            return cells;
        line.remove_prefix(comma + 1);
    }
}

/// A table of text, line by line.
class TimelineRows {
public:
    TimelineRows(std::string_view text, const std::string& file) : text_(text), file_(file) {
        next();
        stage_ = column({"stage"});
        task_ = column({"task"});
        begin_ = column({"begin", "begin_s", "begin [s]"});
        end_ = column({"end", "end_s", "end [s]"});
        micro_batch_ = find({"micro-batch", "micro_batch"});
    }

    RecordedStep step() {
        struct Row {
            std::int64_t stage;
            RecordedSpan span;
        };
        std::vector<Row> rows;
        RecordedStep step{};
        while (next()) {
            const std::int64_t stage = stage_of();
            const std::string lane = stage == all_stages ? "all stages" : "stage " + std::to_string(stage);
            RecordedSpan span{lane, at(task_), seconds("begin", begin_), seconds("end", end_), micro_batch()};
            if (span.end <= span.begin)
                fail("end: is not later than begin");
            step.total = std::max(step.total, span.end);
            rows.push_back({stage, std::move(span)});
        }
        if (rows.empty())
            throw Error(ErrorKind::input, file_ + ": no rows below the first line");
        std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
            return a.stage != b.stage ? a.stage < b.stage : a.span.begin < b.span.begin;
        });
        for (Row& row : rows)
            step.spans.push_back(std::move(row.span));
        return step;
    }

private:
    /// The next line that is not empty.
    bool next() {
        while (!text_.empty()) {
            ++line_;
            const auto end = text_.find('\n');
            cells_ = row_cells(text_.substr(0, end));
            text_ = end == text_.npos ? std::string_view{} : text_.substr(end + 1);
            if (cells_.size() > 1 || !cells_.front().empty())
                return true;
        }
        return false;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(ErrorKind::input, file_ + ":" + std::to_string(line_) + ": " + what);
    }

    std::optional<std::size_t> find(std::initializer_list<std::string_view> names) const {
        for (std::size_t i = 0; i < cells_.size(); ++i)
            if (std::find(names.begin(), names.end(), cells_[i]) != names.end())
                return i;
        return std::nullopt;
    }

    std::size_t column(std::initializer_list<std::string_view> names) const {
        const auto found = find(names);
        if (!found)
            fail("no column '" + std::string(*names.begin()) +
                 "'; columns: stage, task, begin, end and, where there is one, micro-batch");
        return *found;
    }

    std::string at(std::size_t column) const {
        return column < cells_.size() ? cells_[column] : std::string();
    }

    std::int64_t stage_of() const {
        const std::string text = at(stage_);
        if (text.empty())
            return all_stages;
        const std::int64_t stage = count("stage", text);
        if (stage > largest_stage)
            fail("stage: is " + text + ", must be 0 to " + std::to_string(largest_stage));
        return stage;
    }

    std::optional<std::int64_t> micro_batch() const {
        const std::string text = micro_batch_ ? at(*micro_batch_) : std::string();
        return text.empty() ? std::nullopt : std::optional(count("micro-batch", text));
    }

    std::int64_t count(const char* name, const std::string& text) const {
        try {
            return parse_count(text, Range::not_negative);
        } catch (const Error& error) {
            fail(std::string(name) + ": " + error.what());
        }
    }

    Seconds seconds(const char* name, std::size_t column) const {
        try {
            return Seconds{parse_number(at(column), Range::not_negative)};
        } catch (const Error& error) {
            fail(std::string(name) + ": " + error.what());
        }
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t line_ = 0;
    std::vector<std::string> cells_;
    std::size_t stage_ = 0;
    std::size_t task_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::optional<std::size_t> micro_batch_;
};

}  // namespace

bool has_timeline_rows(std::string_view text) {
    return row_cells(text.substr(0, text.find('\n'))).front() == "stage";
}

RecordedStep read_timeline_rows(std::string_view text, const std::string& file) {
    return TimelineRows(text, file).step();
}

}  // namespace traincost
