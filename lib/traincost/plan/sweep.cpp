#include "traincost/plan/sweep.hpp"

#include <algorithm>
#include <cstdint>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

[[noreturn]] void fail(const std::string& text, const std::string& why) {
    throw Error(ErrorKind::usage, "'" + text + "' " + why +
                                      "; write FLAG=a,b,c, or FLAG=LO..HI xK (times K), or FLAG=LO..HI +K");
}

/// "LO..HI", "LO..HI xK", "LO..HI +K".
struct Range3 {
    std::int64_t low;
    std::int64_t high;
    std::int64_t by;
    bool times;
};

Range3 range_of(const std::string& range) {
    const auto dots = range.find("..");
    std::string high = range.substr(dots + 2);
    Range3 r{parse_count(range.substr(0, dots), Range::positive), 0, 2, true};
    const auto mark = high.find_first_of("x+");
    if (mark != high.npos) {
        r.times = high[mark] == 'x';
        r.by = parse_count(high.substr(mark + 1), Range::positive);
        high.resize(mark);
    }
    while (!high.empty() && high.back() == ' ')
        high.pop_back();
    r.high = parse_count(high, Range::positive);
    return r;
}

std::vector<std::string> range_values(const std::string& text, const std::string& range) {
    constexpr std::size_t most = 10'000;
    const Range3 r = range_of(range);
    if (r.low > r.high)
        fail(text, "goes from " + std::to_string(r.low) + " down to " + std::to_string(r.high));
    if (r.times && r.by < 2)
        fail(text, "multiplies by 1 and never ends");
    std::vector<std::string> values;
    for (std::int64_t x = r.low; x <= r.high; x = r.times ? x * r.by : x + r.by) {
        if (values.size() == most)
            fail(text, "has more than 10000 values");
        values.push_back(std::to_string(x));
        if (r.times ? x > r.high / r.by : x > r.high - r.by)
            break;
    }
    return values;
}

}  // namespace

SweepAxis sweep_axis(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == text.npos || equals == 0 || equals + 1 == text.size())
        fail(text, "needs a flag and values");
    SweepAxis axis{text.substr(0, equals), {}};
    while (axis.flag.starts_with('-'))
        axis.flag.erase(0, 1);
    const std::string list = text.substr(equals + 1);
    if (list.find("..") != list.npos) {
        axis.values = range_values(text, list);
        return axis;
    }
    axis.values = split(list, ',');
    if (std::find(axis.values.begin(), axis.values.end(), "") != axis.values.end())
        fail(text, "has an empty value");
    return axis;
}

std::vector<std::vector<std::string>> sweep_combinations(const std::vector<SweepAxis>& axes) {
    constexpr std::size_t most = 1'000'000;
    std::vector<std::vector<std::string>> points{{}};
    for (const SweepAxis& axis : axes) {
        if (points.size() > most / axis.values.size())
            throw Error(ErrorKind::usage,
                        "more than a million combinations; 'recommend' streams through them");
        std::vector<std::vector<std::string>> longer;
        longer.reserve(points.size() * axis.values.size());
        for (const auto& point : points) {
            for (const std::string& value : axis.values) {
                longer.push_back(point);
                longer.back().push_back(value);
            }
        }
        points = std::move(longer);
    }
    return points;
}

}  // namespace traincost
