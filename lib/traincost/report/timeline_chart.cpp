#include "traincost/report/timeline_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "traincost/base/text.hpp"
#include "traincost/report/svg.hpp"

namespace traincost {

namespace {

/// Forward passes by the last digit of their micro-batch, backward passes by a letter for that digit.
char mark_of(const PipelineEvent& e) {
    const auto digit = static_cast<char>(e.micro_batch % 10);
    switch (e.task) {
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

char mark_of(StepTerm term) {
    switch (term) {
        case StepTerm::data_parallel:
            return 'D';
        case StepTerm::offload:
            return 'H';
        case StepTerm::optimizer:
            return 'O';
        case StepTerm::allocator:
            return 'A';
        default:
            return 'X';
    }
}

std::string name_of(const PipelineEvent& e) {
    static constexpr std::array<std::string_view, 4> tasks = {"forward", "backward", "input gradients",
                                                              "weight gradients"};
    return std::string(tasks[static_cast<std::size_t>(e.task)]);
}

/// Writes `mark` over the columns whose middle lies between `begin` and `end`.
void fill(std::string& line, Seconds begin, Seconds end, Seconds total, char mark) {
    const auto columns = static_cast<double>(line.size());
    const auto first = static_cast<std::size_t>(std::ceil(begin / total * columns - 0.5));
    for (std::size_t c = first; c < line.size() && static_cast<double>(c) + 0.5 < end / total * columns; ++c)
        line[c] = mark;
}

std::string_view colour_of(PipelineTask task) {
    static constexpr std::array<std::string_view, 4> colours = {"#4477aa", "#66ccee", "#66ccee", "#228833"};
    return colours[static_cast<std::size_t>(task)];
}

}  // namespace

Table timeline_table(const StepTimeline& line, int columns) {
    Table table{.title = "Step of " + to_text(line.total),
                .columns = {"stage", "works", "from 0 to " + to_text(line.total)},
                .rows = {},
                .remarks = {}};
    std::vector<std::string> rows(static_cast<std::size_t>(line.stages),
                                  std::string(static_cast<std::size_t>(columns), '.'));
    for (const PipelineEvent& e : line.pipeline.events)
        fill(rows[static_cast<std::size_t>(e.stage)], e.begin, e.end, line.total, mark_of(e));
    for (const Stretch& s : line.after) {
        for (std::string& row : rows)
            fill(row, s.begin, s.end, line.total, mark_of(s.term));
    }
    for (std::size_t s = 0; s < rows.size(); ++s) {
        table.rows.push_back({count_cell(static_cast<std::int64_t>(s)),
                              share_cell(line.pipeline.busy[s] / line.pipeline.total), text_cell(rows[s])});
    }
    table.remarks = {
        "0-9 forward, a-j backward pass of the micro-batch with that last digit; + put-off weight "
        "gradients; . waiting;",
        "D data parallel, H offload, O optimizer, X fixed host time. Work is a share of the "
        "pipelined part."};
    return table;
}

Table timeline_events(const StepTimeline& line) {
    Table table{.title = "Events of a step",
                .columns = {"stage", "task", "chunk", "micro-batch", "begin", "end"},
                .rows = {},
                .remarks = {}};
    for (const PipelineEvent& e : line.pipeline.events) {
        table.rows.push_back({count_cell(e.stage), text_cell(name_of(e)), count_cell(e.chunk),
                              count_cell(e.micro_batch), cell(e.begin), cell(e.end)});
    }
    for (const Stretch& s : line.after) {
        table.rows.push_back({empty_cell(), text_cell(to_string(s.term)), empty_cell(), empty_cell(),
                              cell(s.begin), cell(s.end)});
    }
    return table;
}

std::string timeline_svg(const StepTimeline& line, const std::string& title) {
    constexpr double width = 1200.0;
    constexpr double left = 60.0;
    constexpr double row = 22.0;
    constexpr double top = 34.0;
    const double height = top + row * static_cast<double>(line.stages) + 30.0;
    const auto x = [&](Seconds t) { return left + t / line.total * (width - left - 10.0); };
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{2:.0f}\" y=\"18\">{3}</text>\n",
        width, height, left, xml_text(title));
    const auto box = [&](Seconds begin, Seconds end, double y, double h, std::string_view colour,
                         const std::string& what) {
        out += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\" "
            "stroke=\"white\" stroke-width=\"0.3\"><title>{}, {} to {}</title></rect>\n",
            x(begin), y, x(end) - x(begin), h, colour, xml_text(what), to_text(begin), to_text(end));
    };
    for (std::int64_t s = 0; s < line.stages; ++s) {
        out += fmt::format("<text x=\"4\" y=\"{:.1f}\">stage {}</text>\n",
                           top + row * (static_cast<double>(s) + 0.7), s);
    }
    for (const PipelineEvent& e : line.pipeline.events) {
        box(e.begin, e.end, top + row * static_cast<double>(e.stage) + 1.0, row - 2.0, colour_of(e.task),
            fmt::format("{} of micro-batch {}, chunk {}", name_of(e), e.micro_batch, e.chunk));
    }
    for (const Stretch& s : line.after)
        box(s.begin, s.end, top, row * static_cast<double>(line.stages), "#bbbbbb",
            std::string(to_string(s.term)));
    out += fmt::format(
        "<text x=\"{:.0f}\" y=\"{:.1f}\">0</text>\n<text x=\"{:.0f}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">{}</text>\n</svg>\n",
        left, height - 10.0, width - 10.0, height - 10.0, to_text(line.total));
    return out;
}

}  // namespace traincost
