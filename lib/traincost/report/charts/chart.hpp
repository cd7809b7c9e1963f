// Charts: what they show. `svg` draws them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace traincost {

/// What an axis measures, with its unit: "step time, s".
struct ChartAxis {
    std::string label;
    bool logarithmic = false;  ///< all values are positive
};

struct ChartPoint {
    double x;
    double y;
    bool hollow = false;  ///< drawn empty: what it stands for cannot be had
};

/// Points under one name in the legend, joined by a line where `line` says so.
struct ChartSeries {
    std::string name;
    std::vector<ChartPoint> points;
    bool line = true;
    bool markers = true;
};

/// A horizontal or vertical line across the chart, with its name beside it.
struct ChartRule {
    double at;
    std::string name;
    bool vertical = false;
};

struct LineChart {
    std::string title;
    ChartAxis x;
    ChartAxis y;
    std::vector<ChartSeries> series;
    std::vector<ChartRule> rules{};
    std::vector<std::string> remarks{};  ///< printed below
};

/// One part of every bar: as many values as the chart has bars.
struct BarPart {
    std::string name;
    std::vector<double> values;
};

/// Bars that lie on their side, one a name, made of parts that add up.
struct BarChart {
    std::string title;
    std::string label;  ///< of the values' axis, with its unit
    std::vector<std::string> names;
    std::vector<BarPart> parts;
    std::vector<ChartRule> rules{};
    std::vector<std::string> remarks{};
};

using Chart = std::variant<LineChart, BarChart>;

}  // namespace traincost
