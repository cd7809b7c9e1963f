#include "traincost/import/logs/recordings/timeline_rows.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
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

constexpr std::array<std::string_view, 3> timeline_task_names = {"task", "phase", "name"};
constexpr std::array<std::string_view, 5> timeline_begin_names = {"begin", "begin_s", "begin [s]", "start",
                                                                  "start_s"};
constexpr std::array<std::string_view, 3> timeline_end_names = {"end", "end_s", "end [s]"};
constexpr std::array<std::string_view, 1> timeline_stage_names = {"stage"};
constexpr std::array<std::string_view, 2> timeline_micro_batch_names = {"micro-batch", "micro_batch"};

std::optional<std::size_t> named_cell(const std::vector<std::string>& cells,
                                      std::span<const std::string_view> names) {
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (std::find(names.begin(), names.end(), cells[i]) != names.end())
            return i;
    return std::nullopt;
}

/// A table of text, line by line.
class TimelineRows {
public:
    TimelineRows(std::string_view text, const std::string& file) : text_(text), file_(file) {
        next();
        stage_ = find(timeline_stage_names);
        task_ = column(timeline_task_names);
        begin_ = column(timeline_begin_names);
        end_ = column(timeline_end_names);
        micro_batch_ = find(timeline_micro_batch_names);
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

    std::optional<std::size_t> find(std::span<const std::string_view> names) const {
        return named_cell(cells_, names);
    }

    std::size_t column(std::span<const std::string_view> names) const {
        const auto found = find(names);
        if (!found)
            fail("no column '" + std::string(names.front()) +
                 "'; columns: task, begin, end and, where there is one, stage and micro-batch");
        return *found;
    }

    std::string at(std::size_t column) const {
        return column < cells_.size() ? cells_[column] : std::string();
    }

    std::int64_t stage_of() const {
        const std::string text = stage_ ? at(*stage_) : std::string();
        if (text.empty())
            return all_stages;
        const std::int64_t stage = count("stage", text);
        if (stage > largest_stage)
            fail("stage: " + text + "; must be 0 to " + std::to_string(largest_stage));
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
    std::optional<std::size_t> stage_{};
    std::size_t task_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::optional<std::size_t> micro_batch_;
};

}  // namespace

bool has_timeline_rows(std::string_view text) {
    const std::vector<std::string> cells = row_cells(text.substr(0, text.find('\n')));
    return cells.front() == "stage" ||
           (named_cell(cells, timeline_begin_names) && named_cell(cells, timeline_end_names));
}

RecordedStep read_timeline_rows(std::string_view text, const std::string& file) {
    return TimelineRows(text, file).step();
}

}  // namespace traincost
