// What flags are read as, and which of them must or must not be given.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

inline std::int64_t positive_count(const std::string& text) {
    return parse_count(text, Range::positive);
}

inline double positive_number(const std::string& text) {
    return parse_number(text, Range::positive);
}

/// "7B", "124.4M": parameters, as a real number.
inline double positive_parameters(const std::string& text) {
    return static_cast<double>(parse_count(text, Range::positive));
}

/// The number at the front of a value and the unit behind it: "50" and "GB/s" of "50 GB/s". Either may be
/// empty.
inline std::pair<std::string, std::string> number_and_unit(const std::string& text) {
    const auto end = text.find_last_of("0123456789.");
    const std::size_t size = end == std::string::npos ? 0 : end + 1;
    const auto unit = text.find_first_not_of(' ', size);
    return {text.substr(0, size), unit == std::string::npos ? std::string() : text.substr(unit)};
}

/// "400", "400Gb/s", "50 GB/s": a bandwidth in units of `bare` bytes a second, which a number without a unit
/// is in; b is a bit, B a byte. `Error` that names the units.
inline double bandwidth_in(const std::string& text, const char* bare_name, double bare) {
    struct Unit {
        std::string_view name;
        double bytes;
    };
    constexpr double giga = 1e9;
    constexpr double tera = 1e12;
    constexpr double bits = 8.0;
    constexpr Unit units[] = {{"GB/s", giga},          {"TB/s", tera},        {"Gb/s", giga / bits},
                              {"Gbit/s", giga / bits}, {"Tb/s", tera / bits}, {"Tbit/s", tera / bits},
                              {"MB/s", 1e6},           {"Gbps", giga / bits}, {"Tbps", tera / bits}};
    const auto [number, unit] = number_and_unit(text);
    double factor = unit.empty() ? bare : 0.0;
    for (const Unit& known : units) {
        factor = known.name == unit ? known.bytes : factor;
    }
    if (factor == 0.0 || number.empty()) {
        throw Error(ErrorKind::input, "'" + text + "' is not a bandwidth; allowed: a number of " + bare_name +
                                          ", or with a unit: MB/s, GB/s, TB/s, Gb/s, Gbit/s, Tb/s, Tbit/s");
    }
    const double value = parse_number(number, Range::positive);
    return unit.empty() ? value : in_range(value * factor / bare, Range::positive, text);
}

/// In GB/s, which a number without a unit is.
inline double gigabytes_per_second(const std::string& text) {
    return bandwidth_in(text, "GB/s", 1e9);
}

/// In Gbit/s, which a number without a unit is.
inline double gigabits_per_second(const std::string& text) {
    return bandwidth_in(text, "Gbit/s", 1e9 / 8.0);
}

/// Copies what was given over a default.
template <class T, class U>
void take(const std::optional<T>& given, U& field) {
    if (given) {
        field = *given;
    }
}

/// An `Error` that names every flag that was not given.
inline void require_all(std::initializer_list<std::pair<const char*, bool>> flags) {
    std::vector<Problem> missing;
    for (const auto& [name, given] : flags) {
        if (!given) {
            missing.push_back({name, "missing"});
        }
    }
    if (!missing.empty()) {
        throw Error(ErrorKind::usage, std::move(missing));
    }
}

/// An `Error` that names every flag that was given, though it means nothing `where`.
inline void refuse_all(const std::string& where, std::initializer_list<std::pair<const char*, bool>> flags) {
    std::vector<Problem> refused;
    for (const auto& [name, given] : flags) {
        if (given) {
            refused.push_back({name, "has no effect " + where});
        }
    }
    if (!refused.empty()) {
        throw Error(ErrorKind::usage, std::move(refused));
    }
}

}  // namespace traincost
