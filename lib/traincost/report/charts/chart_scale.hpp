// Where values lie on an axis, and the round ones that are marked.
#pragma once

#include <string>
#include <vector>

namespace traincost {

/// An axis from `low` to `high`, drawn from `begin` to `end`.
struct ChartScale {
    double low;
    double high;
    bool logarithmic;
    double begin;
    double end;

    /// The place of a value.
    double at(double value) const;
};

/// A scale over the values, widened to round ends: linear ones to zero where that costs less than half the
/// axis. Values of a logarithmic scale must be positive; with no spread it is widened to one.
ChartScale chart_scale(const std::vector<double>& values, bool logarithmic, double begin, double end);

/// The marked values, rising: of a linear scale 1, 2 or 5 times a power of ten apart, some five of them; of a
/// logarithmic one the powers of ten, with 2 and 5 where there are few.
std::vector<double> ticks(const ChartScale& scale);

/// "0", "0.05", "250", "20K", "1.5B", "1e21".
std::string tick_text(double value);

}  // namespace traincost
