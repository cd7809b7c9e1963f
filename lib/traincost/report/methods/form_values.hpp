// What the fields of published calculators have in common. Internal to report/methods/.
#pragma once

#include <string>

#include "traincost/base/elided.hpp"
#include "traincost/base/flag_values.hpp"
#include "traincost/methods/printed.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// `x`, which `text` came to: so far from 0 and from infinity that what the calculators make of it is a
/// number.
inline double form_reach(double x, const std::string& text) {
    constexpr double least = 1e-30;
    constexpr double most = 1e30;
    if (x < least || x > most) {
        throw Error(ErrorKind::usage, "'" + elided(text, 60) + "' is out of range; allowed: 1e-30 to 1e30");
    }
    return x;
}

inline double form_number(const std::string& text) {
    return form_reach(positive_number(text), text);
}

inline double form_fraction(const std::string& text) {
    return form_reach(parse_fraction(text, Range::positive), text);
}

inline Seconds form_duration(const std::string& text) {
    return Seconds{form_reach(parse_duration(text, Range::positive).value(), text)};
}

inline double form_gigabytes_per_second(const std::string& text) {
    return form_reach(gigabytes_per_second(text), text);
}

inline double form_gigabits_per_second(const std::string& text) {
    return form_reach(gigabits_per_second(text), text);
}

/// A number as the calculator prints it, and as a program wants it.
inline Cell printed_cell(double x, int digits) {
    return {.text = python_round_text(x, digits), .exact = to_exact(x), .number = true};
}

}  // namespace traincost
