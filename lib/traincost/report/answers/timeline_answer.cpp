#include "traincost/report/answers/timeline_answer.hpp"

#include <algorithm>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/answers/timeline_json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/answers/estimate_answer.hpp"
#include "traincost/report/charts/recording_chart.hpp"
#include "traincost/report/charts/timeline_chart.hpp"
#include "traincost/report/charts/timeline_svg.hpp"
#include "traincost/report/tables/estimate_tables.hpp"

namespace traincost {

namespace {

constexpr std::size_t beside_drawing = 33;  ///< columns of stage, lane and use

/// A drawing whose width was asked for is not wrapped.
TextStyle drawn_style(const TimelineView& view, TextStyle style) {
    if (view.width)
        style.width = std::max(style.width, static_cast<std::size_t>(*view.width) + beside_drawing);
    return style;
}

/// What the columns of stage, lane and use leave of a line.
int drawing_width(const TimelineView& view, const TextStyle& style) {
    constexpr std::size_t beside = beside_drawing;
    constexpr std::size_t least = 20;
    return view.width.value_or(
        static_cast<int>(std::max(least, style.width > beside ? style.width - beside : least)));
}

}  // namespace

int drawing_width_from(const std::string& text) {
    constexpr std::int64_t narrowest = 10;
    constexpr std::int64_t widest = 1000;
    const std::int64_t width = parse_count(text);
    if (width < narrowest || width > widest) {
        throw Error(ErrorKind::usage, "'" + text + "' is not allowed; allowed: 10 to 1000 characters");
    }
    return static_cast<int>(width);
}

std::string timeline_text(const TimelineAnswer& answer, const TimelineView& view, const TextStyle& style) {
    if (view.output.json) {
        JsonWriter out;
        write_json(out, answer);
        return out.text();
    }
    if (view.output.svg)
        return timeline_svg(answer.line, answer.lanes, job_title(answer.job), layout_text(answer.job));
    if (view.output.format == Format::csv)
        return render(std::vector<Table>{timeline_events(answer.line)}, Format::csv);
    return render(tables_of(answer, drawing_width(view, style)), view.output.format,
                  drawn_style(view, style));
}

std::string timeline_text(const RecordingAnswer& answer, const TimelineView& view, const TextStyle& style) {
    const RecordedStep& step = answer.steps[answer.picked];
    if (view.output.json) {
        JsonWriter out;
        write_recording(out, answer.file, answer.steps, answer.picked);
        return out.text();
    }
    const std::vector<NamedRecording> shown = {
        {"iteration " + std::to_string(answer.picked + 1) + " of " + std::to_string(answer.steps.size()),
         step}};
    if (view.output.svg)
        return recording_svg(shown);
    return render(std::vector<Table>{recording_table(shown, drawing_width(view, style)), phase_table(step)},
                  view.output.format, drawn_style(view, style));
}

std::string trace_text(const TimelineAnswer& answer) {
    return chrome_trace(answer.line, answer.lanes, job_title(answer.job) + ", " + layout_text(answer.job));
}

}  // namespace traincost
