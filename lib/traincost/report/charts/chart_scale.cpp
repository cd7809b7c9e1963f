#include "traincost/report/charts/chart_scale.hpp"

#include "traincost/base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace traincost {

namespace {

constexpr double wanted_ticks = 5.0;

/// 1, 2 or 5 times a power of ten, not less than a fifth of the span.
double round_step(double span) {
    const double raw = span / wanted_ticks;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (raw <= factor * power)
            return factor * power;
    }
    return 10.0 * power;
}

ChartScale linear_scale(double low, double high) {
    // Bars and curves are read from zero; far from it the differences matter.
    if (low > 0.0 && low < 0.5 * high)
        low = 0.0;
    if (high < 0.0 && high > 0.5 * low)
        high = 0.0;
    if (low == high) {
        const double half = low == 0.0 ? 1.0 : std::abs(low) * 0.1;
        low -= low == 0.0 ? 0.0 : half;
        high += half;
    }
    const double step = round_step(high - low);
    return {std::floor(low / step) * step, std::ceil(high / step) * step, false, 0.0, 0.0};
}

ChartScale logarithmic_scale(double low, double high) {
    constexpr double margin = 1.25;  // so that no point lies on the frame
    if (low == high)
        return {low / 2.0, high * 2.0, true, 0.0, 0.0};
    return {low / margin, high * margin, true, 0.0, 0.0};
}

}  // namespace

double ChartScale::at(double value) const {
    const double share =
        logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return begin + share * (end - begin);
}

ChartScale chart_scale(const std::vector<double>& values, bool logarithmic, double begin, double end) {
    ChartScale scale{0.0, 1.0, false, begin, end};
    if (!values.empty()) {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        scale = logarithmic ? logarithmic_scale(*low, *high) : linear_scale(*low, *high);
        scale.begin = begin;
        scale.end = end;
    }
    return scale;
}

std::vector<double> ticks(const ChartScale& scale) {
    std::vector<double> marks;
    if (!scale.logarithmic) {
        const double step = round_step(scale.high - scale.low);
        const double first = std::ceil(scale.low / step - 1e-9);
        for (int i = 0; (first + i) * step <= scale.high + 1e-9 * step; ++i)
            marks.push_back((first + i) * step);
        return marks;
    }
    const double decades = std::log10(scale.high / scale.low);
    const auto add = [&](double factor, double every) {
        for (double power = std::floor(std::log10(scale.low)); std::pow(10.0, power) <= scale.high;
             power += every) {
            const double value = factor * std::pow(10.0, power);
            if (value >= scale.low && value <= scale.high)
                marks.push_back(value);
        }
    };
    add(1.0, std::max(1.0, std::ceil(decades / (2.0 * wanted_ticks))));
    if (decades < 3.0) {
        add(2.0, 1.0);
        add(5.0, 1.0);
    }
    std::sort(marks.begin(), marks.end());
    return marks;
}

std::string tick_text(double value) {
    struct Unit {
        double size;
        const char* name;
    };
    constexpr std::array<Unit, 5> units = {{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}, {1.0, ""}}};
    constexpr double most = 1e15;
    constexpr double least = 1e-3;
    const double size = std::abs(value);
    std::array<char, 32> text{};
    if (size >= most || (size < least && size > 0.0)) {
        std::snprintf(text.data(), text.size(), "%.3g", finite(value));
        std::string s = text.data();
        for (const char* zeros : {"e+0", "e+", "e-0"}) {
            const auto at = s.find(zeros);
            if (at != s.npos)
                s.replace(at, std::string(zeros).size(), zeros[1] == '-' ? "e-" : "e");
        }
        return s;
    }
    for (const Unit& unit : units) {
        if (size >= unit.size || unit.size == 1.0) {
            std::snprintf(text.data(), text.size(), "%.4g%s", finite(value) / unit.size, unit.name);
            return text.data();
        }
    }
    return "0";
}

}  // namespace traincost
