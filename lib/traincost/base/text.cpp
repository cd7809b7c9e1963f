#include <traincost/base/text.hpp>

#include <traincost/base/decimal.hpp>
#include <traincost/base/elided.hpp>
#include <traincost/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

namespace traincost {

namespace {

struct Unit {
    std::string_view name;
    double factor;
};

constexpr double kilo = 1e3, mega = 1e6, giga = 1e9, tera = 1e12, peta = 1e15, exa = 1e18;
constexpr double kibi = 1024, mebi = 1024 * kibi, gibi = 1024 * mebi, tebi = 1024 * gibi, pebi = 1024 * tebi;
constexpr double minute = 60, hour = 60 * minute, day = 24 * hour, week = 7 * day;

constexpr Unit no_units[] = {{"", 1}};
constexpr Unit count_units[] = {{"", 1}, {"K", kilo}, {"M", mega}, {"B", giga}, {"T", tera}, {"Q", peta}};
constexpr Unit count_input_units[] = {{"", 1},     {"K", kilo}, {"M", mega},  {"B", giga},
                                      {"T", tera}, {"Q", peta}, {"Ki", kibi}, {"Mi", mebi}};
constexpr Unit byte_units[] = {{"B", 1},      {"kB", kilo},  {"MB", mega},  {"GB", giga},
                               {"TB", tera},  {"PB", peta},  {"KiB", kibi}, {"MiB", mebi},
                               {"GiB", gibi}, {"TiB", tebi}, {"PiB", pebi}};
constexpr Unit byte_rate_units[] = {{"B/s", 1},           {"kB/s", kilo},      {"MB/s", mega},
                                    {"GB/s", giga},       {"TB/s", tera},      {"Mbit/s", mega / 8},
                                    {"Gbit/s", giga / 8}, {"Tbit/s", tera / 8}};
constexpr Unit flop_rate_units[] = {{"FLOP/s", 1},     {"GFLOP/s", giga}, {"TFLOP/s", tera},
                                    {"PFLOP/s", peta}, {"EFLOP/s", exa},  {"GFLOPS", giga},
                                    {"TFLOPS", tera},  {"PFLOPS", peta},  {"EFLOPS", exa}};
constexpr Unit duration_units[] = {{"w", week}, {"d", day},   {"h", hour},  {"m", minute}, {"min", minute},
                                   {"s", 1},    {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
constexpr Unit dollar_units[] = {{"", 1}, {"K", kilo}, {"M", mega}, {"B", giga}, {"T", tera}};

std::string allowed(std::span<const Unit> units) {
    std::string names;
    for (const Unit& unit : units) {
        if (!unit.name.empty()) {
            names += (names.empty() ? "" : ", ") + std::string(unit.name);
        }
    }
    return names;
}

/// How much of a value that is refused its error repeats.
constexpr std::size_t repeated = 60;

[[noreturn]] void reject(std::string_view text, std::string_view what, std::string_view allowed_text) {
    throw Error(ErrorKind::input,
                fmt::format("'{}' is not {}; allowed: {}", elided(text, repeated), what, allowed_text));
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Takes the number off the front of `rest`; none where it does not start with a finite one.
std::optional<double> take_number(std::string_view& rest) {
    double x = 0;
    const auto [end, error] = read_decimal(rest.data(), rest.data() + rest.size(), x);
    if (error != std::errc() || !std::isfinite(x)) {
        return std::nullopt;
    }
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return x;
}

}  // namespace

double in_range(double x, Range range, std::string_view text) {
    if (range == Range::positive && !(x > 0)) {
        throw Error(ErrorKind::input, fmt::format("'{}' must be greater than 0", elided(text, repeated)));
    }
    if (range == Range::not_negative && !(x >= 0)) {
        throw Error(ErrorKind::input, fmt::format("'{}' must not be negative", elided(text, repeated)));
    }
    if (!std::isfinite(x)) {
        throw Error(ErrorKind::input, fmt::format("'{}' is too large", elided(text, repeated)));
    }
    return x;
}

namespace {

const Unit* find_unit(std::string_view name, std::span<const Unit> units) {
    const auto found =
        std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
    return found == units.end() ? nullptr : &*found;
}

const Unit* find_unit_folded(std::string_view name, std::span<const Unit> units) {
    const auto found = std::find_if(units.begin(), units.end(),
                                    [&](const Unit& unit) { return lower(unit.name) == lower(name); });
    return found == units.end() ? nullptr : &*found;
}

/// Whether "4k" is as good as "4K".
enum class Case : bool { matters, folded };

double parse_with_unit(std::string_view text, std::span<const Unit> units, Range range, std::string_view what,
                       Case letters = Case::matters) {
    const bool bare = find_unit("", units) != nullptr;
    const std::string hint =
        units.size() == 1 ? "a finite number"
                          : fmt::format("a number {}followed by {}", bare ? "alone or " : "", allowed(units));
    std::string_view rest = trim(text);
    const std::optional<double> x = take_number(rest);
    const Unit* unit =
        letters == Case::folded ? find_unit_folded(trim(rest), units) : find_unit(trim(rest), units);
    if (!x || unit == nullptr) {
        reject(text, what, hint);
    }
    return in_range(*x * unit->factor, range, text);
}

// The largest unit that `x` reaches once it is rounded to three digits.
const Unit& unit_that_fits(double x, std::span<const Unit> ascending) {
    const double rounded = std::abs(x) * (1 + 0.5e-3);
    const Unit* best = ascending.data();
    for (const Unit& unit : ascending) {
        if (rounded >= unit.factor) {
            best = &unit;
        }
    }
    return *best;
}

std::string with_unit(double x, std::span<const Unit> ascending, std::string_view space) {
    finite(x);
    const Unit& unit = unit_that_fits(x, ascending);
    if (unit.factor == 1 && x == std::floor(x)) {
        return fmt::format("{:.0f}{}{}", x, unit.name.empty() ? "" : space, unit.name);
    }
    return fmt::format("{}{}{}", to_significant(x / unit.factor), unit.name.empty() ? "" : space, unit.name);
}

}  // namespace

double parse_number(std::string_view text, Range range) {
    return parse_with_unit(text, no_units, range, "a number");
}

std::int64_t parse_count(std::string_view text, Range range) {
    const double x = parse_with_unit(text, count_input_units, range, "a count", Case::folded);
    constexpr double largest = 9007199254740992;  // 2^53: beyond it a double skips whole numbers
    if (std::abs(x) > largest) {
        throw Error(ErrorKind::input,
                    fmt::format("'{}' is too large: at most 9007T", elided(text, repeated)));
    }
    // 1.1M is 1100000.0000000001: the nearest whole number is meant when the difference is only rounding.
    const double whole = std::round(x);
    if (std::abs(x - whole) > std::abs(x) * 4 * std::numeric_limits<double>::epsilon()) {
        throw Error(ErrorKind::input, fmt::format("'{}' is not a whole number", elided(text, repeated)));
    }
    return static_cast<std::int64_t>(whole);
}

Bytes parse_bytes(std::string_view text, Range range) {
    return Bytes(parse_with_unit(text, byte_units, range, "a size"));
}

ByteRate parse_byte_rate(std::string_view text, Range range) {
    return ByteRate(parse_with_unit(text, byte_rate_units, range, "a bandwidth"));
}

FlopRate parse_flop_rate(std::string_view text, Range range) {
    return FlopRate(parse_with_unit(text, flop_rate_units, range, "a rate of floating-point operations"));
}

Seconds parse_duration(std::string_view text, Range range) {
    const std::string hint =
        fmt::format("numbers followed by {}, larger units first, as in 3d4h", allowed(duration_units));
    std::string_view rest = trim(text);
    double total = 0;
    double last_factor = std::numeric_limits<double>::infinity();
    do {
        const std::optional<double> x = take_number(rest);
        rest = trim(rest);
        const auto length = std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), rest.size());
        const Unit* unit = find_unit(rest.substr(0, length), duration_units);
        if (!x || unit == nullptr || unit->factor >= last_factor || (std::signbit(*x) && total != 0)) {
            reject(text, "a duration", hint);
        }
        total += *x * unit->factor;
        last_factor = unit->factor;
        rest = trim(rest.substr(length));
    } while (!rest.empty());
    return Seconds(in_range(total, range, text));
}

Dollars parse_dollars(std::string_view text, Range range) {
    std::string_view amount = trim(text);
    if (amount.starts_with('$')) {
        amount.remove_prefix(1);
    }
    return Dollars(parse_with_unit(amount, dollar_units, range, "an amount of dollars", Case::folded));
}

double parse_fraction(std::string_view text, Range range) {
    constexpr Unit fraction_units[] = {{"", 1}, {"%", 0.01}};
    const double x = parse_with_unit(text, fraction_units, range, "a fraction");
    if (std::abs(x) > 1 && !trim(text).ends_with('%')) {
        reject(text, "a fraction", fmt::format("0 to 1, or a percentage: {}%", trim(text)));
    }
    return x;
}

double finite(double x) {
    if (!std::isfinite(x)) {
        throw Error(ErrorKind::internal, "a figure to be printed is not finite");
    }
    return x;
}

std::string to_significant(double x, int digits) {
    if (finite(x) == 0) {
        return fmt::format("{:.0f}", x);
    }
    // The exponent after rounding: 9.996 has the digits of 10.0.
    const std::string scientific = fmt::format("{:.{}e}", x, digits - 1);
    const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
    const int decimals = digits - 1 - exponent;
    if (decimals >= 0) {
        return fmt::format("{:.{}f}", x, decimals);
    }
    return fmt::format("{:.0f}", std::strtod(scientific.c_str(), nullptr));
}

std::string to_exact(double x) {
    return fmt::format("{}", finite(x));
}

std::string to_text(Bytes x) {
    constexpr Unit units[] = {{"B", 1},      {"KiB", kibi}, {"MiB", mebi},
                              {"GiB", gibi}, {"TiB", tebi}, {"PiB", pebi}};
    return with_unit(x.value(), units, " ");
}

std::string to_text(Flops x) {
    constexpr Unit units[] = {{"FLOP", 1},     {"MFLOP", mega}, {"GFLOP", giga}, {"TFLOP", tera},
                              {"PFLOP", peta}, {"EFLOP", exa},  {"ZFLOP", 1e21}, {"YFLOP", 1e24}};
    return with_unit(x.value(), units, " ");
}

std::string to_text(Seconds x) {
    const double t = std::abs(finite(x.value()));
    if (t == 0) {
        return "0 s";
    }
    if (t < 99.95) {
        constexpr Unit units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
        const Unit& unit = unit_that_fits(t, units);
        return fmt::format("{} {}", to_significant(x.value() / unit.factor), unit.name);
    }
    if (t >= 100 * day) {
        return to_significant(x.value() / day) + "d";
    }
    struct Pair {
        Unit large, small;
        double limit;  // where the next pair begins, in seconds
    };
    constexpr Pair pairs[] = {{{"m", minute}, {"s", 1}, hour},
                              {{"h", hour}, {"m", minute}, day},
                              {{"d", day}, {"h", hour}, std::numeric_limits<double>::infinity()}};
    for (const auto& [large, small, limit] : pairs) {
        const double smalls = std::round(t / small.factor);
        if (smalls * small.factor < limit) {
            const double ratio = large.factor / small.factor;
            const double larges = std::floor(smalls / ratio);
            const double rest = smalls - larges * ratio;
            return fmt::format("{}{:.0f}{}", x.value() < 0 ? "-" : "", larges, large.name) +
                   (rest > 0 ? fmt::format("{:.0f}{}", rest, small.name) : "");
        }
    }
    return "";  // not reached: the last pair has no limit
}

std::string to_text(Dollars x) {
    return (x.value() < 0 ? "-$" : "$") + with_unit(std::abs(x.value()), dollar_units, "");
}

std::string to_text(ByteRate x) {
    constexpr Unit units[] = {{"B/s", 1},     {"kB/s", kilo}, {"MB/s", mega},
                              {"GB/s", giga}, {"TB/s", tera}, {"PB/s", peta}};
    return with_unit(x.value(), units, " ");
}

std::string to_text(FlopRate x) {
    constexpr Unit units[] = {{"FLOP/s", 1},     {"MFLOP/s", mega}, {"GFLOP/s", giga},
                              {"TFLOP/s", tera}, {"PFLOP/s", peta}, {"EFLOP/s", exa}};
    return with_unit(x.value(), units, " ");
}

std::string count_text(double x) {
    return with_unit(x, count_units, "");
}

std::string percent_text(double x) {
    return to_significant(x * 100) + "%";
}

int edit_distance(std::string_view a, std::string_view b) {
    // Rows of the dynamic programme: distances from the first i-2, i-1 and i characters of a to each prefix
    // of b.
    std::vector<int> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
    std::iota(current.begin(), current.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before.swap(previous);
        previous.swap(current);
        current[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({replaced, previous[j] + 1, current[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = std::min(current[j], before[j - 2] + 1);
            }
        }
    }
    return current[b.size()];
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return result;
}

std::string base_of(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

}  // namespace traincost
