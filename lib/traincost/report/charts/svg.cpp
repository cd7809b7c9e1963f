#include "traincost/report/charts/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "traincost/base/text.hpp"
#include "traincost/report/charts/chart_scale.hpp"

namespace traincost {

namespace {

// ---- Layout, in pixels ----

constexpr double width = 860.0;
constexpr double left = 80.0;
constexpr double plot_right = 600.0;
constexpr double legend_left = 620.0;
constexpr double plot_height = 300.0;
constexpr double title_height = 44.0;
constexpr double axis_height = 48.0;
constexpr double line_height = 18.0;
constexpr double bar_height = 26.0;
constexpr double bar_pitch = 40.0;
constexpr std::size_t longest_name = 34;  // of a legend or bar, in characters

/// Okabe and Ito's colours, which also the colour-blind tell apart; the last are tints for long legends.
constexpr std::array<const char*, 14> colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                                 "#56B4E9", "#7F7F7F", "#F0E442", "#004D7A", "#8F3F00",
                                                 "#00654A", "#8A4A6C", "#9A6A00", "#B8B8B8"};

const char* colour(std::size_t i) {
    return colours[i % colours.size()];
}

std::string number(double x) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f", finite(x));
    std::string s = text.data();
    while (s.back() == '0')
        s.pop_back();
    if (s.back() == '.')
        s.pop_back();
    return s == "-0" ? "0" : s;
}

/// Six digits, no zeros behind them.
std::string value_text(double x) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", finite(x));
    return text.data();
}

std::string shortened(const std::string& text) {
    if (text.size() <= longest_name)
        return text;
    // Not in the middle of a character.
    std::size_t end = longest_name - 1;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        --end;
    return text.substr(0, end) + "\xE2\x80\xA6";
}

// ---- Elements ----

class Drawing {
public:
    void text(double x, double y, const std::string& words, const std::string& more = "") {
        body_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\"" + (more.empty() ? "" : " " + more) +
                 ">" + xml_text(words) + "</text>\n";
    }
    void line(double x1, double y1, double x2, double y2, const std::string& style) {
        body_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" +
                 number(y2) + "\" " + style + "/>\n";
    }
    void path(const std::string& points, const std::string& style, const std::string& title = "") {
        body_ += "<path d=\"" + points + "\" " + style +
                 (title.empty() ? "/>\n" : "><title>" + xml_text(title) + "</title></path>\n");
    }
    void box(double x, double y, double w, double h, const std::string& style, const std::string& title) {
        body_ += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(w) +
                 "\" height=\"" + number(h) + "\" " + style +
                 (title.empty() ? "/>\n" : "><title>" + xml_text(title) + "</title></rect>\n");
    }
    /// A circle, square, triangle or diamond, by the series' number.
    void marker(double x, double y, std::size_t series, bool hollow, const std::string& title) {
        constexpr double r = 4.5;
        const auto at = [&](double dx, double dy) { return number(x + dx * r) + " " + number(y + dy * r); };
        const std::array<std::string, 4> shapes = {
            "M" + at(-1, 0) + " A" + number(r) + " " + number(r) + " 0 1 0 " + at(1, 0) + " A" + number(r) +
                " " + number(r) + " 0 1 0 " + at(-1, 0) + " Z",
            "M" + at(-0.9, -0.9) + " L" + at(0.9, -0.9) + " L" + at(0.9, 0.9) + " L" + at(-0.9, 0.9) + " Z",
            "M" + at(0, -1.1) + " L" + at(1.1, 0.9) + " L" + at(-1.1, 0.9) + " Z",
            "M" + at(0, -1.2) + " L" + at(1.2, 0) + " L" + at(0, 1.2) + " L" + at(-1.2, 0) + " Z"};
        path(shapes[series % shapes.size()],
             "fill=\"" + std::string(hollow ? "#FFFFFF" : colour(series)) + "\" stroke=\"" + colour(series) +
                 "\" stroke-width=\"1.5\"",
             title);
    }
    const std::string& body() const {
        return body_;
    }

private:
    std::string body_;
};

constexpr const char* grid = "stroke=\"#E3E3E3\" stroke-width=\"1\"";
constexpr const char* frame = "stroke=\"#555555\" stroke-width=\"1\"";
constexpr const char* rule = "stroke=\"#555555\" stroke-width=\"1\" stroke-dasharray=\"5 4\"";
constexpr const char* middle = "text-anchor=\"middle\"";
constexpr const char* at_end = "text-anchor=\"end\"";

void draw_title(Drawing& d, const std::string& title, double y) {
    d.text(left, y + 24.0, title, "font-size=\"15\" font-weight=\"bold\"");
}

double draw_remarks(Drawing& d, const std::vector<std::string>& remarks, double y) {
    for (const std::string& remark : remarks) {
        d.text(left, y + 13.0, remark, "fill=\"#555555\"");
        y += line_height;
    }
    return y;
}

void draw_x_axis(Drawing& d, const ChartScale& x, const std::string& label, double top, double bottom) {
    for (const double tick : ticks(x)) {
        d.line(x.at(tick), top, x.at(tick), bottom, grid);
        d.text(x.at(tick), bottom + 16.0, tick_text(tick), middle);
    }
    d.line(x.begin, bottom, x.end, bottom, frame);
    d.text((x.begin + x.end) / 2.0, bottom + 36.0, label, middle);
}

void draw_y_axis(Drawing& d, const ChartScale& y, const std::string& label, double right) {
    for (const double tick : ticks(y)) {
        d.line(left, y.at(tick), right, y.at(tick), grid);
        d.text(left - 7.0, y.at(tick) + 4.0, tick_text(tick), at_end);
    }
    d.line(left, y.begin, left, y.end, frame);
    const double centre = (y.begin + y.end) / 2.0;
    d.text(20.0, centre, label, std::string(middle) + " transform=\"rotate(-90 20 " + number(centre) + ")\"");
}

// ---- Lines ----

std::vector<double> values_of(const LineChart& chart, bool of_x) {
    std::vector<double> values;
    for (const ChartSeries& series : chart.series) {
        for (const ChartPoint& point : series.points)
            values.push_back(of_x ? point.x : point.y);
    }
    for (const ChartRule& r : chart.rules) {
        if (r.vertical == of_x)
            values.push_back(r.at);
    }
    return values;
}

void draw_rule(Drawing& d, const ChartRule& r, const ChartScale& x, const ChartScale& y) {
    if (r.vertical) {
        d.line(x.at(r.at), y.begin, x.at(r.at), y.end, rule);
        d.text(x.at(r.at) + 4.0, y.end + 12.0, r.name, "fill=\"#555555\"");
    } else {
        d.line(x.begin, y.at(r.at), x.end, y.at(r.at), rule);
        d.text(x.end - 4.0, y.at(r.at) - 4.0, r.name, std::string(at_end) + " fill=\"#555555\"");
    }
}

void draw_series(Drawing& d, const ChartSeries& series, std::size_t i, const LineChart& chart,
                 const ChartScale& x, const ChartScale& y) {
    if (series.line && series.points.size() > 1) {
        std::string points;
        for (const ChartPoint& p : series.points)
            points += (points.empty() ? "M" : " L") + number(x.at(p.x)) + " " + number(y.at(p.y));
        d.path(points, "fill=\"none\" stroke=\"" + std::string(colour(i)) + "\" stroke-width=\"2\"");
    }
    if (!series.markers)
        return;
    for (const ChartPoint& p : series.points) {
        d.marker(x.at(p.x), y.at(p.y), i, p.hollow,
                 series.name + ": " + chart.x.label + " " + value_text(p.x) + "; " + chart.y.label + " " +
                     value_text(p.y));
    }
}

double draw(Drawing& d, const LineChart& chart, double top) {
    draw_title(d, chart.title, top);
    const double plot_top = top + title_height;
    const double bottom = plot_top + plot_height;
    const ChartScale x = chart_scale(values_of(chart, true), chart.x.logarithmic, left, plot_right);
    const ChartScale y = chart_scale(values_of(chart, false), chart.y.logarithmic, bottom, plot_top);
    draw_x_axis(d, x, chart.x.label, plot_top, bottom);
    draw_y_axis(d, y, chart.y.label, plot_right);
    for (const ChartRule& r : chart.rules)
        draw_rule(d, r, x, y);
    double legend = plot_top + 12.0;
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        const ChartSeries& series = chart.series[i];
        draw_series(d, series, i, chart, x, y);
        if (chart.series.size() == 1)
            continue;  // the title says it
        if (series.line) {
            d.line(legend_left, legend - 4.0, legend_left + 22.0, legend - 4.0,
                   "stroke=\"" + std::string(colour(i)) + "\" stroke-width=\"2\"");
        }
        if (series.markers)
            d.marker(legend_left + 11.0, legend - 4.0, i, false, "");
        d.text(legend_left + 30.0, legend, shortened(series.name));
        legend += line_height;
    }
    return draw_remarks(d, chart.remarks, std::max(bottom + axis_height, legend));
}

// ---- Bars ----

double draw(Drawing& d, const BarChart& chart, double top) {
    draw_title(d, chart.title, top);
    const double plot_top = top + title_height;
    std::vector<double> sums(chart.names.size(), 0.0);
    for (const BarPart& part : chart.parts) {
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += part.values[i];
    }
    std::vector<double> reach = sums;
    reach.push_back(0.0);
    for (const ChartRule& r : chart.rules)
        reach.push_back(r.at);
    const ChartScale x = chart_scale(reach, false, left, plot_right);
    // A bar's name stands above it, so that it may be as long as it is.
    const double bottom = plot_top + static_cast<double>(sums.size()) * (bar_pitch + line_height);
    draw_x_axis(d, x, chart.label, plot_top, bottom);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const double y = plot_top + static_cast<double>(i) * (bar_pitch + line_height) + line_height;
        d.text(left + 2.0, y - 4.0, chart.names[i] + ": " + to_significant(sums[i]));
        double begin = 0.0;
        for (std::size_t p = 0; p < chart.parts.size(); ++p) {
            const double value = chart.parts[p].values[i];
            if (value == 0.0)
                continue;
            d.box(x.at(begin), y, x.at(begin + value) - x.at(begin), bar_height,
                  "fill=\"" + std::string(colour(p)) + "\" stroke=\"#FFFFFF\" stroke-width=\"0.5\"",
                  chart.parts[p].name + ": " + value_text(value));
            begin += value;
        }
    }
    d.line(left, plot_top, left, bottom, frame);
    for (const ChartRule& r : chart.rules) {
        d.line(x.at(r.at), plot_top, x.at(r.at), bottom, rule);
        d.text(x.at(r.at) - 4.0, plot_top - 4.0, r.name, std::string(at_end) + " fill=\"#555555\"");
    }
    double legend = plot_top + 12.0;
    for (std::size_t p = 0; chart.parts.size() > 1 && p < chart.parts.size(); ++p) {
        d.box(legend_left, legend - 11.0, 14.0, 12.0, "fill=\"" + std::string(colour(p)) + "\"", "");
        d.text(legend_left + 22.0, legend, shortened(chart.parts[p].name));
        legend += line_height;
    }
    return draw_remarks(d, chart.remarks, std::max(bottom + axis_height, legend));
}

}  // namespace

std::string xml_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default: {
                const bool control = (c >= 0 && c < ' ' && c != '\t' && c != '\n') || c == '\x7f';
                out += control ? '?' : c;
            }
        }
    }
    return out;
}

std::string svg(std::span<const Chart> charts) {
    constexpr double gap = 16.0;
    Drawing d;
    double y = 0.0;
    for (const Chart& chart : charts)
        y = std::visit([&](const auto& one) { return draw(d, one, y); }, chart) + gap;
    const std::string size = "width=\"" + number(width) + "\" height=\"" + number(y) + "\"";
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
           " viewBox=\"0 0 " + number(width) + " " + number(y) +
           "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n<rect width=\"100%\" "
           "height=\"100%\" fill=\"#FFFFFF\"/>\n" +
           d.body() + "</svg>\n";
}

}  // namespace traincost
