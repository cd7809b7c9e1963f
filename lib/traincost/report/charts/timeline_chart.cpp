#include "traincost/report/charts/timeline_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/cost/memory/memory_timeline.hpp"
#include "traincost/report/charts/chart_scale.hpp"

namespace traincost {

namespace {

/// Stages whose lanes are all drawn.
constexpr std::int64_t detailed_stages = 8;

/// Forward passes by the last digit of their micro-batch, backward passes by a letter for that digit.
char mark_of(const LaneSpan& span) {
    if (span.micro_batch < 0)
        return 'O';
    const auto digit = static_cast<char>(span.micro_batch % 10);
    switch (span.task) {
        case PipelineTask::forward:
            return static_cast<char>('0' + digit);
        case PipelineTask::backward:
        case PipelineTask::input_gradient:
            return static_cast<char>('a' + digit);
        case PipelineTask::weight_gradient:
            return '+';
    }
    return '?';
}

/// Writes the span's mark over the columns whose middle it covers.
void fill(std::string& row, const LaneSpan& span, Seconds total) {
    const auto columns = static_cast<double>(row.size());
    const auto first = static_cast<std::size_t>(std::ceil(span.begin / total * columns - 0.5));
    for (std::size_t c = first; c < row.size() && static_cast<double>(c) + 0.5 < span.end / total * columns;
         ++c)
        row[c] = mark_of(span);
}

/// Adds the share of each column that the span covers.
void cover(std::vector<double>& shares, const LaneSpan& span, Seconds total) {
    const auto columns = static_cast<double>(shares.size());
    const double begin = span.begin / total * columns;
    const double end = std::min(span.end / total * columns, columns);
    for (auto c = static_cast<std::size_t>(begin); static_cast<double>(c) < end; ++c) {
        const auto left = static_cast<double>(c);
        shares[c] += std::min(end, left + 1.0) - std::max(begin, left);
    }
}

/// ".-=#": not at work, up to a third, two thirds, all of a column's time.
std::string shading(const std::vector<double>& shares) {
    std::string row;
    for (const double share : shares) {
        constexpr double none = 1e-9;
        row += share < none ? '.' : share < 1.0 / 3.0 ? '-' : share < 2.0 / 3.0 ? '=' : '#';
    }
    return row;
}

/// Two rows under a drawing: marks, and what they are.
std::pair<std::string, std::string> axis_rows(Seconds total, int columns) {
    const TimeAxis axis = time_axis(total);
    std::string marks(static_cast<std::size_t>(columns), '-');
    std::string labels(static_cast<std::size_t>(columns), ' ');
    for (std::size_t i = 0; i < axis.marks.size(); ++i) {
        const auto at = std::min(static_cast<std::size_t>(columns) - 1,
                                 static_cast<std::size_t>(std::lround(axis.marks[i] / total * columns)));
        marks[at] = '|';
        const std::string& label = axis.labels[i];
        const std::size_t begin = at + label.size() <= labels.size() ? at : labels.size() - label.size();
        if (i == 0 || (begin > 0 && labels[begin - 1] == ' '))
            labels.replace(begin, label.size(), label);
    }
    return {marks, labels};
}

std::string lane_row(const StepLanes& lanes, std::size_t begin, std::size_t end, Lane lane, Seconds total,
                     int columns) {
    if (lane == Lane::compute) {
        std::string row(static_cast<std::size_t>(columns), '.');
        for (std::size_t i = begin; i < end; ++i) {
            if (lanes.spans[i].lane == lane)
                fill(row, lanes.spans[i], total);
        }
        return row;
    }
    std::vector<double> shares(static_cast<std::size_t>(columns), 0.0);
    for (std::size_t i = begin; i < end; ++i) {
        if (lanes.spans[i].lane == lane)
            cover(shares, lanes.spans[i], total);
    }
    return shading(shares);
}

}  // namespace

std::string_view task_name(PipelineTask task) {
    static constexpr std::array<std::string_view, 4> tasks = {"forward", "backward", "input gradients",
                                                              "weight gradients"};
    return tasks[static_cast<std::size_t>(task)];
}

TimeAxis time_axis(Seconds total) {
    struct Unit {
        double seconds;
        const char* name;
    };
    constexpr std::array<Unit, 4> units = {{{3600.0, "h"}, {1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}}};
    Unit unit = units.back();
    for (const Unit& u : units) {
        if (total.value() >= u.seconds) {
            unit = u;
            break;
        }
    }
    TimeAxis axis;
    const ChartScale scale{0.0, total.value() / unit.seconds, false, 0.0, 1.0};
    for (const double mark : ticks(scale)) {
        axis.marks.push_back(Seconds{mark * unit.seconds});
        axis.labels.push_back(tick_text(mark));
    }
    axis.labels.back() += std::string(" ") + unit.name;
    return axis;
}

Table timeline_table(const StepTimeline& line, const StepLanes& lanes, int columns) {
    Table table{.title = "Step of " + to_text(line.total),
                .columns = {"stage", "lane", "use", "from 0 to " + to_text(line.total)},
                .rows = {},
                .remarks = {}};
    std::size_t begin = 0;
    for (std::int64_t s = 0; s < line.stages; ++s) {
        std::size_t end = begin;
        while (end < lanes.spans.size() && lanes.spans[end].stage == s)
            ++end;
        for (std::size_t l = 0; l < lane_count; ++l) {
            const Lane lane = static_cast<Lane>(l);
            if (lane != Lane::compute && (line.stages > detailed_stages || !lanes.used[l]))
                continue;
            table.rows.push_back({lane == Lane::compute ? count_cell(s) : text_cell(""),
                                  text_cell(to_string(lane)),
                                  share_cell(lanes.usage[static_cast<std::size_t>(s)][l]),
                                  text_cell(lane_row(lanes, begin, end, lane, line.total, columns))});
        }
        begin = end;
    }
    const auto [marks, labels] = axis_rows(line.total, columns);
    table.rows.push_back({text_cell(""), text_cell(""), text_cell(""), text_cell(marks)});
    table.rows.push_back({text_cell(""), text_cell(""), text_cell(""), text_cell(labels)});
    table.remarks = {
        "compute: 0-9 forward and a-j backward pass of the micro-batch with that last digit; + delayed "
        "weight "
        "gradients; O optimizer; . waiting.",
        "Other lanes: . idle, - busy for up to 1/3, = up to 2/3, # more of a column's time. Use: share of "
        "the "
        "step."};
    return table;
}

Table lane_usage_table(const StepLanes& lanes) {
    Table table{.title = "Use per lane", .columns = {"stage"}, .rows = {}, .remarks = {}};
    for (std::size_t l = 0; l < lane_count; ++l) {
        if (lanes.used[l])
            table.columns.emplace_back(to_string(static_cast<Lane>(l)));
    }
    for (std::size_t s = 0; s < lanes.usage.size(); ++s) {
        table.rows.push_back({count_cell(static_cast<std::int64_t>(s))});
        for (std::size_t l = 0; l < lane_count; ++l) {
            if (lanes.used[l])
                table.rows.back().push_back(share_cell(lanes.usage[s][l]));
        }
    }
    return table;
}

Table memory_drawing(const StepTimeline& line, int columns) {
    constexpr int height = 8;
    const std::int64_t stage = fullest_stage(line);
    const std::vector<MemoryPoint> points = memory_over_step(line, stage);
    std::vector<double> most(static_cast<std::size_t>(columns), 0.0);
    const auto column = [&](Seconds at) {
        return std::min(most.size() - 1, static_cast<std::size_t>(at / line.total * columns));
    };
    const MemoryPoint* top = &points.front();
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].device > top->device)
            top = &points[i];
        const double here = points[i].device.value() / gibi;
        const double next = i + 1 < points.size() ? points[i + 1].device.value() / gibi : here;
        const Seconds end = i + 1 < points.size() ? points[i + 1].at : line.total;
        const std::size_t first = column(points[i].at);
        const std::size_t last = column(end);
        for (std::size_t c = first; c <= last; ++c) {
            const double share =
                last == first ? 1.0 : static_cast<double>(c - first) / static_cast<double>(last - first);
            most[c] = std::max({most[c], here + (next - here) * share, c == first ? here : 0.0});
        }
    }
    const double high = top->device.value() / gibi;
    Table table{.title = "Memory of stage " + std::to_string(stage),
                .columns = {"GiB", "peak " + to_text(top->device) + " at " + to_text(top->at) +
                                       "; available " + to_text(line.capacity)},
                .rows = {},
                .remarks = {}};
    for (int r = height; r > 0; --r) {
        const double upper = high * r / height;
        const double lower = high * (r - 1) / height;
        const bool limit = line.capacity.value() / gibi > lower && line.capacity.value() / gibi <= upper;
        std::string row;
        for (const double m : most)
            row += m >= (upper + lower) / 2.0 ? '#' : limit ? '-' : ' ';
        table.rows.push_back({Cell{.text = to_significant(upper), .number = true}, text_cell(row)});
    }
    const auto [marks, labels] = axis_rows(line.total, columns);
    table.rows.push_back({text_cell(""), text_cell(marks)});
    table.rows.push_back({text_cell(""), text_cell(labels)});
    return table;
}

Table timeline_events(const StepTimeline& line) {
    Table table{.title = "Events of the step",
                .columns = {"stage", "task", "chunk", "micro-batch", "begin", "end"},
                .rows = {},
                .remarks = {}};
    for (const PipelineEvent& e : line.pipeline.events) {
        table.rows.push_back({count_cell(e.stage), text_cell(task_name(e.task)), count_cell(e.chunk),
                              count_cell(e.micro_batch), cell(e.begin), cell(e.end)});
    }
    for (const Stretch& s : line.after) {
        table.rows.push_back({empty_cell(), text_cell(to_string(s.term)), empty_cell(), empty_cell(),
                              cell(s.begin), cell(s.end)});
    }
    return table;
}

}  // namespace traincost
