#include "traincost/report/charts/recording_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>

#include "traincost/base/text.hpp"
#include "traincost/report/charts/svg.hpp"
#include "traincost/report/charts/timeline_chart.hpp"

namespace traincost {

namespace {

Seconds longest_of(std::span<const NamedRecording> steps) {
    Seconds longest;
    for (const NamedRecording& s : steps)
        longest = std::max(longest, s.step.total);
    return longest;
}

/// The spans of one lane after the other.
template <class Visit>
void each_lane(const RecordedStep& step, Visit visit) {
    for (std::size_t begin = 0; begin < step.spans.size();) {
        std::size_t end = begin;
        while (end < step.spans.size() && step.spans[end].lane == step.spans[begin].lane)
            ++end;
        visit(std::span(step.spans).subspan(begin, end - begin));
        begin = end;
    }
}

std::string drawn(std::span<const RecordedSpan> spans, Seconds longest, int columns) {
    std::string row(static_cast<std::size_t>(columns), ' ');
    std::map<std::string, int> seen;
    for (const RecordedSpan& span : spans) {
        const bool capital = seen[span.name]++ % 2 == 0;
        const auto letter = static_cast<unsigned char>(span.name.empty() ? '?' : span.name.front());
        const char mark = static_cast<char>(capital ? std::toupper(letter) : std::tolower(letter));
        const auto first =
            static_cast<std::size_t>(std::max(0.0, std::ceil(span.begin / longest * columns - 0.5)));
        for (std::size_t c = first;
             c < row.size() && static_cast<double>(c) + 0.5 < span.end / longest * columns; ++c)
            row[c] = mark;
    }
    return row;
}

/// Okabe and Ito's colours.
constexpr std::array<std::string_view, 8> event_colours = {"#0072B2", "#56B4E9", "#009E73", "#E69F00",
                                                           "#D55E00", "#CC79A7", "#8C6D31", "#777777"};

}  // namespace

Table recording_table(std::span<const NamedRecording> steps, int columns) {
    const Seconds longest = longest_of(steps);
    Table table{
        .title = {}, .columns = {"", "time", "from 0 to " + to_text(longest)}, .rows = {}, .remarks = {}};
    for (const NamedRecording& s : steps) {
        each_lane(s.step, [&](std::span<const RecordedSpan> spans) {
            const bool alone = spans.size() == s.step.spans.size();
            table.rows.push_back({text_cell(alone ? s.name : s.name + ": " + spans.front().lane),
                                  cell(s.step.total), text_cell(drawn(spans, longest, columns))});
        });
    }
    table.remarks = {"Letters: initial of each phase, alternating between upper and lower case."};
    return table;
}

Table phase_table(const RecordedStep& step) {
    std::vector<std::pair<std::string, std::pair<std::int64_t, Seconds>>> phases;
    for (const RecordedSpan& span : step.spans) {
        auto at =
            std::find_if(phases.begin(), phases.end(), [&](const auto& p) { return p.first == span.name; });
        if (at == phases.end())
            at = phases.insert(phases.end(), {span.name, {0, Seconds{}}});
        ++at->second.first;
        at->second.second += span.end - span.begin;
    }
    Table table{
        .title = "Phases", .columns = {"phase", "times", "time", "each", "share"}, .rows = {}, .remarks = {}};
    for (const auto& [name, sum] : phases) {
        table.rows.push_back({text_cell(name), count_cell(sum.first), cell(sum.second),
                              cell(sum.second / static_cast<double>(sum.first)),
                              step.total.value() > 0.0 ? share_cell(sum.second / step.total) : empty_cell()});
    }
    return table;
}

std::string recording_svg(std::span<const NamedRecording> steps) {
    constexpr double width = 1200.0;
    constexpr double left = 180.0;
    constexpr double row = 26.0;
    constexpr double top = 50.0;
    const Seconds longest = longest_of(steps);
    const auto x = [&](Seconds t) { return left + t / longest * (width - left - 90.0); };
    std::vector<std::string> names;
    const auto colour = [&](const std::string& name) {
        auto at = std::find(names.begin(), names.end(), name);
        if (at == names.end())
            at = names.insert(names.end(), name);
        return event_colours[static_cast<std::size_t>(at - names.begin()) % event_colours.size()];
    };
    std::string bars;
    double y = top;
    for (const NamedRecording& s : steps) {
        each_lane(s.step, [&](std::span<const RecordedSpan> spans) {
            const bool alone = spans.size() == s.step.spans.size();
            bars += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 8.0,
                                y + 15.0, xml_text(alone ? s.name : spans.front().lane));
            for (const RecordedSpan& span : spans) {
                bars += fmt::format(
                    "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\" "
                    "stroke=\"white\" "
                    "stroke-width=\"0.4\"><title>{}, {} to {}</title></rect>\n",
                    x(span.begin), y, x(span.end) - x(span.begin), row - 6.0, colour(span.name),
                    xml_text(span.name), to_text(span.begin), to_text(span.end));
            }
            bars += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x(s.step.total) + 6.0,
                                y + 15.0, to_text(s.step.total));
            y += row;
        });
    }
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        width, y + 40.0);
    double at = left;
    for (std::size_t i = 0; i < names.size() && i < event_colours.size(); ++i) {
        out += fmt::format(
            "<rect x=\"{:.0f}\" y=\"18\" width=\"11\" height=\"11\" fill=\"{}\"/><text x=\"{:.0f}\" "
            "y=\"28\">{}</text>\n",
            at, event_colours[i], at + 15.0, xml_text(names[i]));
        at += 34.0 + 6.0 * static_cast<double>(names[i].size());
    }
    const TimeAxis axis = time_axis(longest);
    for (std::size_t i = 0; i < axis.marks.size(); ++i) {
        out += fmt::format(
            "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#dddddd\"/>"
            "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
            x(axis.marks[i]), top - 6.0, y, y + 16.0, axis.labels[i]);
    }
    return out + bars + "</svg>\n";
}

}  // namespace traincost
