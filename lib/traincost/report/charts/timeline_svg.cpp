#include "traincost/report/charts/timeline_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/cost/memory/memory_timeline.hpp"
#include "traincost/report/charts/chart_scale.hpp"
#include "traincost/report/charts/svg.hpp"
#include "traincost/report/charts/timeline_chart.hpp"

namespace traincost {

namespace {

constexpr double drawing_width = 1350.0;
constexpr double lanes_left = 70.0;
constexpr double right = 1120.0;  // beyond it the use of each lane
constexpr double top = 84.0;
/// Spans that get a box of their own with a <title>; more are drawn as one path a lane.
constexpr std::size_t titled_spans = 6000;

/// What is drawn in one colour.
enum Paint : std::size_t { forward, backward, weight, optimizer, tensor, data, pipeline, host };
/// Okabe and Ito's colours.
constexpr std::array<std::string_view, 8> lane_colours = {"#0072B2", "#56B4E9", "#009E73", "#E69F00",
                                                          "#D55E00", "#CC79A7", "#8C6D31", "#777777"};
constexpr std::array<std::string_view, 8> lane_names = {"forward",
                                                        "backward",
                                                        "weight gradients",
                                                        "optimizer",
                                                        "tensor/context/expert traffic",
                                                        "data parallel",
                                                        "stage to stage",
                                                        "host"};

Paint paint_of(const LaneSpan& span) {
    switch (span.lane) {
        case Lane::tensor_parallel:
            return tensor;
        case Lane::data_parallel:
            return data;
        case Lane::pipeline:
            return pipeline;
        case Lane::host:
            return host;
        case Lane::compute:
            break;
    }
    if (span.micro_batch < 0)
        return optimizer;
    return span.task == PipelineTask::forward           ? forward
           : span.task == PipelineTask::weight_gradient ? weight
                                                        : backward;
}

std::string span_name(const LaneSpan& span) {
    if (span.micro_batch < 0)
        return std::string(to_string(span.term));
    return fmt::format("{}, {} of micro-batch {}, chunk {}", to_string(span.lane), task_name(span.task),
                       span.micro_batch, span.chunk);
}

class TimelineSvg {
public:
    TimelineSvg(const StepTimeline& line, const StepLanes& lanes) : line_(line), lanes_(lanes) {
        const bool few = line.stages <= 16;
        heights_[0] = few ? 18.0 : 8.0;
        for (std::size_t l = 1; l < lane_count; ++l)
            heights_[l] = lanes.used[l] ? (few ? 7.0 : 2.5) : 0.0;
        stage_height_ = few ? 6.0 : 2.0;
        for (const double h : heights_)
            stage_height_ += h;
        bottom_ = top + stage_height_ * static_cast<double>(line.stages);
        for (const LaneSpan& span : lanes.spans)
            painted_[paint_of(span)] = true;
    }

    std::string document(const std::string& title, const std::string& layout) {
        const double height = bottom_ + 40.0 + memory_height + 40.0;
        put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
            "width=\"{0:.0f}\" "
            "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
            drawing_width, height);
        put("<text x=\"{}\" y=\"20\" font-size=\"15\" font-weight=\"bold\">{}</text>\n", lanes_left,
            xml_text(title));
        put("<text x=\"{}\" y=\"37\" fill=\"#555555\">{}; step of {}</text>\n", lanes_left, xml_text(layout),
            to_text(line_.total));
        legend();
        axis(top, bottom_, "");
        std::size_t begin = 0;
        for (std::int64_t s = 0; s < line_.stages; ++s)
            begin = stage(s, begin);
        memory(bottom_ + 40.0);
        put("</svg>\n");
        return {out_.data(), out_.size()};
    }

private:
    static constexpr double memory_height = 130.0;

    template <class... Args>
    void put(fmt::format_string<Args...> text, Args&&... args) {
        fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
    }

    double x(Seconds t) const {
        return lanes_left + t / line_.total * (right - lanes_left);
    }

    void legend() {
        double at = lanes_left;
        for (std::size_t p = 0; p < lane_colours.size(); ++p) {
            if (!painted_[p])
                continue;
            constexpr double letter = 5.8;
            put("<rect x=\"{:.0f}\" y=\"49\" width=\"11\" height=\"11\" fill=\"{}\"/><text "
                "x=\"{:.0f}\" "
                "y=\"59\">{}</text>\n",
                at, lane_colours[p], at + 15.0, lane_names[p]);
            at += 32.0 + letter * static_cast<double>(lane_names[p].size());
        }
    }

    /// Round times: lines over a drawing, labels below it.
    void axis(double from, double to, std::string_view what) {
        const TimeAxis axis = time_axis(line_.total);
        for (std::size_t i = 0; i < axis.marks.size(); ++i) {
            put("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#dddddd\"/>"
                "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
                x(axis.marks[i]), from - 6.0, to + 4.0, to + 16.0, axis.labels[i]);
        }
        put("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#555555\"/>{}\n",
            lanes_left, right, to + 2.0, to + 2.0, what);
    }

    /// Lanes of a stage from its first span on; returns the next stage's first.
    std::size_t stage(std::int64_t s, std::size_t begin) {
        std::size_t end = begin;
        while (end < lanes_.spans.size() && lanes_.spans[end].stage == s)
            ++end;
        const double y = top + stage_height_ * static_cast<double>(s);
        if (line_.stages <= 32 || s % 4 == 0) {
            put("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">stage {}</text>\n", lanes_left - 6.0,
                y + std::min(13.0, heights_[0]), s);
        }
        usage(s, y);
        double lane_y = y;
        for (std::size_t l = 0; l < lane_count; ++l) {
            lane(static_cast<Lane>(l), begin, end, lane_y);
            lane_y += heights_[l];
        }
        return end;
    }

    void usage(std::int64_t s, double y) {
        static constexpr std::array<std::string_view, lane_count> brief = {"", "t ", "d ", "p ", "h "};
        std::string text;
        for (std::size_t l = 0; l < lane_count; ++l) {
            if (!lanes_.used[l])
                continue;
            constexpr double percent = 100.0;
            text += fmt::format("{}{}{:.1f} %", text.empty() ? "" : "  ", brief[l],
                                lanes_.usage[static_cast<std::size_t>(s)][l] * percent);
        }
        if (line_.stages <= 32 || s % 4 == 0)
            put("<text x=\"{:.0f}\" y=\"{:.1f}\" font-size=\"9\" fill=\"#555555\">{}</text>\n", right + 8.0,
                y + std::min(13.0, heights_[0]), text);
    }

    void lane(Lane lane, std::size_t begin, std::size_t end, double y) {
        const double h = heights_[static_cast<std::size_t>(lane)];
        if (h == 0.0)
            return;
        put("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#f4f4f4\"/>\n",
            lanes_left, y, right - lanes_left, h - 1.0);
        if (lanes_.spans.size() <= titled_spans) {
            boxes(lane, begin, end, y, h - 1.0);
        } else {
            paths(lane, begin, end, y, h - 1.0);
        }
    }

    void boxes(Lane lane, std::size_t begin, std::size_t end, double y, double h) {
        for (std::size_t i = begin; i < end; ++i) {
            const LaneSpan& span = lanes_.spans[i];
            if (span.lane != lane)
                continue;
            const double from = x(span.begin);
            const double w = x(span.end) - from;
            put("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\" "
                "stroke=\"white\" "
                "stroke-width=\"0.3\"><title>{}, {} to {}</title></rect>\n",
                from, y, w, h, lane_colours[paint_of(span)], span_name(span), to_text(span.begin),
                to_text(span.end));
            const std::string number = std::to_string(span.micro_batch);
            constexpr double digit = 6.5;
            if (lane == Lane::compute && span.micro_batch >= 0 && h > 10.0 &&
                w > digit * static_cast<double>(number.size()) + 1.0) {
                put("<text x=\"{:.2f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"10\" fill=\"white\" "
                    "pointer-events=\"none\">{}</text>\n",
                    from + w / 2.0, y + h / 2.0 + 3.5, number);
            }
        }
    }

    /// One path for each colour of the lane; spans nearer than half a pixel are one.
    void paths(Lane lane, std::size_t begin, std::size_t end, double y, double h) {
        for (std::size_t paint = 0; paint < lane_colours.size(); ++paint) {
            double from = 0.0;
            double to = -1.0;
            bool any = false;
            const auto flush = [&] {
                if (to < from)
                    return;
                if (!any)
                    put("<path fill=\"{}\" d=\"", lane_colours[paint]);
                any = true;
                put("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", from, y, std::max(0.1, to - from), h,
                    std::max(0.1, to - from));
            };
            for (std::size_t i = begin; i < end; ++i) {
                const LaneSpan& span = lanes_.spans[i];
                if (span.lane != lane || paint_of(span) != paint)
                    continue;
                constexpr double apart = 0.25;
                const double b = x(span.begin);
                if (to >= from && b - to < apart) {
                    to = std::max(to, x(span.end));
                    continue;
                }
                flush();
                from = b;
                to = x(span.end);
            }
            flush();
            if (any)
                put("\"/>\n");
        }
    }

    /// The fullest stage's memory, with what is available.
    void memory(double y) {
        const std::int64_t stage = fullest_stage(line_);
        const std::vector<MemoryPoint> points = memory_over_step(line_, stage);
        const auto peak =
            std::max_element(points.begin(), points.end(),
                             [](const MemoryPoint& a, const MemoryPoint& b) { return a.device < b.device; });
        const double high = std::max(peak->device, line_.capacity).value() / gibi;
        const ChartScale scale = chart_scale({0.0, high}, false, y + memory_height, y + 14.0);
        const auto at = [&](Bytes b) { return scale.at(b.value() / gibi); };
        put("<text x=\"{}\" y=\"{:.1f}\">memory of stage {} (GiB), peak {} at {}</text>\n", lanes_left,
            y + 4.0, stage, to_text(peak->device), to_text(peak->at));
        for (const double tick : ticks(scale)) {
            put("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#dddddd\"/><text "
                "x=\"{3}\" "
                "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                lanes_left, right, scale.at(tick), lanes_left - 6.0, scale.at(tick) + 4.0, tick_text(tick));
        }
        axis(y + 20.0, y + memory_height - 2.0, "");
        put("<path fill=\"#0072B2\" fill-opacity=\"0.35\" stroke=\"#0072B2\" stroke-width=\"0.8\" "
            "d=\"M{:.1f} {:.1f}",
            lanes_left, y + memory_height);
        for (const MemoryPoint& p : points)
            put("L{:.1f} {:.1f}", x(p.at), at(p.device));
        put("L{:.1f} {:.1f}z\"/>\n", right, y + memory_height);
        put("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#D55E00\" "
            "stroke-dasharray=\"5 4\"/><text x=\"{3}\" y=\"{4:.1f}\" font-size=\"9\">available {5}</text>\n",
            lanes_left, right, at(line_.capacity), right + 8.0, at(line_.capacity) + 3.0,
            to_text(line_.capacity));
    }

    const StepTimeline& line_;
    const StepLanes& lanes_;
    std::array<double, lane_count> heights_{};
    std::array<bool, lane_colours.size()> painted_{};
    double stage_height_ = 0.0;
    double bottom_ = 0.0;
    fmt::memory_buffer out_;
};

}  // namespace

std::string timeline_svg(const StepTimeline& line, const StepLanes& lanes, const std::string& title,
                         const std::string& layout) {
    return TimelineSvg(line, lanes).document(title, layout);
}

}  // namespace traincost
