#include "traincost/import/logs/lines/log_scan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "traincost/base/decimal.hpp"
#include "traincost/import/logs/lines/log_plain_number.hpp"

namespace traincost {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
    while (at < text.size() && is_blank(text[at])) {
        ++at;
    }
    return at;
}

/// The letters behind a number, behind at most one blank.
std::string_view suffix_at(std::string_view text, std::size_t at) {
    std::size_t begin = at;
    if (begin + 1 < text.size() && text[begin] == ' ' && is_letter(text[begin + 1])) {
        ++begin;
    }
    std::size_t end = begin;
    while (end < text.size() && is_letter(text[end])) {
        ++end;
    }
    return text.substr(begin, end - begin);
}

/// "nan" and "inf", with any capitals; tensors print themselves around it.
std::optional<LogNumber> not_finite_at(std::string_view text, std::size_t at, bool negative) {
    const auto is = [&](std::string_view word) {
        for (std::size_t i = 0; i < word.size(); ++i) {
            if (at + i >= text.size() || (text[at + i] | 0x20) != word[i]) {
                return false;
            }
        }
        return true;
    };
    for (const std::string_view word : {"nan", "infinity", "inf"}) {
        if (is(word)) {
            const double infinite = std::numeric_limits<double>::infinity();
            const double value = word == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                 : negative    ? -infinite
                                               : infinite;
            return LogNumber{.value = value, .end = at + word.size()};
        }
    }
    return std::nullopt;
}

/// Whether ",ddd" and then no digit stands at `at`.
bool is_group(std::string_view text, std::size_t at) {
    return at + 3 < text.size() && text[at] == ',' && is_decimal_digit(text[at + 1]) &&
           is_decimal_digit(text[at + 2]) && is_decimal_digit(text[at + 3]) &&
           (at + 4 == text.size() || !is_decimal_digit(text[at + 4]));
}

/// The end of digits in groups: "1,234,567".
std::size_t groups_end(std::string_view text, std::size_t at, double& value) {
    while (is_group(text, at)) {
        value = value * 1000.0 + (text[at + 1] - '0') * 100.0 + (text[at + 2] - '0') * 10.0 +
                (text[at + 3] - '0');
        at += 4;
    }
    return at;
}

/// The end of "234,567.5" behind the first digits of a number in groups.
std::size_t grouped_end(std::string_view text, std::size_t at, LogNumber& number) {
    at = groups_end(text, at, number.value);
    if (at + 1 < text.size() && text[at] == '.' && is_decimal_digit(text[at + 1])) {
        double fraction = 0;
        const char* const begin = text.data() + at;
        const auto length = read_decimal(begin, text.data() + text.size(), fraction).ptr - begin;
        number.value += fraction;
        number.decimals = static_cast<int>(length) - 1;
        number.exponent =
            std::find_if(begin, begin + length, [](char c) { return (c | 0x20) == 'e'; }) != begin + length;
        at += static_cast<std::size_t>(length);
    }
    return at;
}

/// The end of a fraction behind a comma, "1234,5" or "0,123E+01", where no list of numbers stands; `at` where
/// there is none. Its digits and exponent are added to `value`.
std::size_t comma_fraction_end(std::string_view text, std::size_t at, LogNumber& number) {
    constexpr std::size_t longest = 30;  // of a fraction with its exponent
    if (at + 1 >= text.size() || text[at] != ',' || !is_decimal_digit(text[at + 1])) {
        return at;
    }
    std::string fraction(text.substr(at, longest));
    fraction.front() = '.';
    double value = 0;
    const char* const begin = fraction.data();
    const auto [stop, error] = read_decimal(begin, begin + fraction.size(), value);
    const auto length = static_cast<std::size_t>(stop - begin);
    const std::size_t end = at + length;
    const bool in_a_list = end < text.size() && (text[end] == ',' || text[end] == '.');
    if (error != std::errc{} || in_a_list) {
        return at;
    }
    const std::size_t exponent = fraction.find_first_of("eE");
    double power = 1.0;
    if (exponent < length) {
        const std::string scale = "1" + fraction.substr(exponent, length - exponent);
        read_decimal(scale.data(), scale.data() + scale.size(), power);
    }
    number.value = number.value * power + value;
    number.decimals = static_cast<int>(std::min(exponent, length)) - 1;
    number.exponent = exponent < length;
    return end;
}

/// Where the parts of a decimal number stand, its end where it has no such part; and its digits as a whole
/// number, of which the last are left out where there are very many.
struct Decimal {
    std::size_t point;
    std::size_t exponent;
    std::size_t end;
    std::uint64_t digits = 0;
    std::size_t count = 0;  ///< of digits, with those left out
    int power = 0;          ///< the number is `digits` times ten to this, where none are left out
};

constexpr std::size_t most_digits = 18;  // that a whole number of 64 bits is sure to hold

std::size_t take_digits(std::string_view text, std::size_t at, Decimal& decimal) {
    for (; at < text.size() && is_decimal_digit(text[at]); ++at) {
        if (decimal.count++ < most_digits) {
            decimal.digits = decimal.digits * 10U + static_cast<std::uint64_t>(text[at] - '0');
        }
    }
    return at;
}

/// The unsigned decimal number that begins at `at`, by the rules of std::from_chars; empty where none does.
Decimal decimal_at(std::string_view text, std::size_t begin) {
    constexpr int largest_power = 10000;  // beyond any number
    Decimal decimal{};
    std::size_t at = take_digits(text, begin, decimal);
    decimal.point = text.size();
    if (at < text.size() && text[at] == '.') {
        decimal.point = at;
        at = take_digits(text, at + 1, decimal);
        decimal.power = -static_cast<int>(at - decimal.point - 1);
    }
    decimal.exponent = at;
    decimal.end = decimal.count > 0 ? at : begin;
    if (decimal.count > 0 && at < text.size() && (text[at] | 0x20) == 'e') {
        const std::size_t sign = at + 1;
        const bool negative = sign < text.size() && text[sign] == '-';
        const std::size_t digits = negative || (sign < text.size() && text[sign] == '+') ? sign + 1 : sign;
        int power = 0;
        std::size_t end = digits;
        for (; end < text.size() && is_decimal_digit(text[end]); ++end) {
            power = std::min(power * 10 + (text[end] - '0'), largest_power);
        }
        if (end > digits) {
            decimal.power += negative ? -power : power;
            decimal.end = end;
        }
    }
    return decimal;
}

constexpr std::uint64_t most_exact = std::uint64_t{1} << 53;

/// The value of a number whose parts are known. Digits and a power of ten that are both exact as doubles give
/// it in one rounding; all other numbers are read by the library. Whether it is one.
bool read_value(std::string_view text, const Decimal& decimal, double& value) {
    const auto power = static_cast<std::size_t>(std::abs(decimal.power));
    if (decimal.count <= most_digits && decimal.digits <= most_exact && power < exact_powers.size()) {
        const auto digits = static_cast<double>(decimal.digits);
        value = decimal.power < 0 ? digits / exact_powers[power] : digits * exact_powers[power];
        return true;
    }
    const std::errc error = read_decimal(text.data(), text.data() + text.size(), value).ec;
    if (error == std::errc::result_out_of_range) {
        value = std::numeric_limits<double>::infinity();
    }
    return error != std::errc::invalid_argument;
}

/// Reads the unsigned number at `at`, with groups, a fraction and letters; whether there is one.
bool read_number(std::string_view text, std::size_t at, LogNumber& number) {
    const std::size_t first = at;
    const Decimal decimal = decimal_at(text, at);
    if (decimal.end == at || !read_value(text.substr(at, decimal.end - at), decimal, number.value)) {
        return false;
    }
    at = decimal.end;
    number.exponent = decimal.exponent < at;
    if (decimal.point < at) {
        number.decimals = static_cast<int>(decimal.exponent - decimal.point) - 1;
    } else if (!number.exponent && at < text.size() && text[at] == ',') {
        const bool group = at - first <= 3 && (at - first > 1 || text[first] != '0') && is_group(text, at);
        at = group ? grouped_end(text, at, number) : comma_fraction_end(text, at, number);
    }
    number.end = at;
    number.suffix = suffix_at(text, at);
    return true;
}

/// Where `key` begins at the end of `text`, which is not shorter, its blanks printed as "_", "-" or wider
/// gaps; null where it is not there.
const char* spread_key(std::string_view text, std::string_view key) {
    std::size_t spare = text.size() - key.size();  // characters beyond the key's own
    const char* end = text.data() + text.size();
    for (std::size_t i = key.size(); i > 0; --i) {
        const char wanted = key[i - 1];
        const char c = *--end;
        if (c == wanted && c != ' ') {
            continue;
        }
        if (wanted != ' ' || (c != ' ' && c != '_' && c != '-')) {
            return nullptr;
        }
        for (; c == ' ' && spare > 0 && end[-1] == ' '; --spare) {
            --end;
        }
    }
    return end;
}

}  // namespace

std::optional<LogNumber> number_at(std::string_view text) {
    std::optional<LogNumber> number;  // the only one, made where the caller wants it: copies cost half a call
    std::size_t at = skip_blanks(text, 0);
    if (at < text.size() && (text[at] == '\'' || text[at] == '"')) {
        at = skip_blanks(text, at + 1);
    }
    const bool negative = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) {
        ++at;
    }
    if (at >= text.size()) {
        return number;
    }
    if (!is_decimal_digit(text[at]) && text[at] != '.') {
        number = not_finite_at(text, at, negative);
        return number;
    }
    number.emplace();
    if (!read_number(text, at, *number)) {
        number.reset();
    } else if (negative) {
        number->value = -number->value;
    }
    return number;
}

std::optional<std::int64_t> whole_number_at(std::string_view text, std::size_t& at) {
    const std::size_t begin = skip_blanks(text, at);
    std::int64_t value = 0;
    const auto [stop, error] =
        std::from_chars(text.data() + std::min(begin, text.size()), text.data() + text.size(), value);
    if (error != std::errc() || value < 0 || value > (std::int64_t{1} << 53)) {
        return std::nullopt;
    }
    at = static_cast<std::size_t>(stop - text.data());
    return value;
}

std::optional<double> clock_at(std::string_view text) {
    std::size_t at = skip_blanks(text, 0);
    at += at < text.size() && (text[at] == '"' || text[at] == '\'') ? 1 : 0;
    double seconds = 0;
    std::optional<std::int64_t> part = whole_number_at(text, at);
    if (!part) {
        return std::nullopt;
    }
    if (const std::string_view rest = text.substr(at); rest.starts_with(" day")) {
        constexpr double day = 86400.0;
        seconds = static_cast<double>(*part) * day;
        at += rest.starts_with(" days, ") ? 7 : 6;
        part = at <= text.size() ? whole_number_at(text, at) : std::nullopt;
        if (!part) {
            return std::nullopt;
        }
    }
    double clock = static_cast<double>(*part);
    int colons = 0;
    while (at < text.size() && text[at] == ':' && colons < 2) {
        ++at;
        part = whole_number_at(text, at);
        if (!part || *part >= 60) {
            return std::nullopt;
        }
        clock = clock * 60.0 + static_cast<double>(*part);
        ++colons;
    }
    return colons > 0 ? std::optional(seconds + clock) : std::nullopt;
}

std::size_t find_in(std::string_view text, std::string_view needle, std::size_t from) {
    const std::size_t size = needle.size();
    if (size < 2 || from >= text.size() || text.size() - from < size) {
        return from >= text.size() ? std::string_view::npos : text.find(needle, from);
    }
    const std::uint64_t first = eight_of(needle.front());
    const std::uint64_t last = eight_of(needle.back());
    const std::size_t end = text.size() - size + 1;  // of the places where it may begin
    std::size_t at = from;
    while (at < end) {
        if (at + 8 <= end) {  // eight places at once: where neither end of it stands, it does not
            const char* const places = text.data() + at;
            const std::uint64_t others = (eight_at(places) ^ first) | (eight_at(places + size - 1) ^ last);
            if (!has_nought(others)) {
                at += 8;
                continue;
            }
        }
        for (const std::size_t stop = std::min(at + 8, end); at < stop; ++at) {
            if (text[at] == needle.front() && same_bytes(text.data() + at, needle.data(), size)) {
                return at;
            }
        }
    }
    return std::string_view::npos;
}

std::optional<double> value_behind(std::string_view line, std::string_view name) {
    const std::size_t at = find_in(line, name);
    if (at == line.npos) {
        return std::nullopt;
    }
    const std::optional<LogNumber> number = number_at(line.substr(at + name.size()));
    return number ? std::optional(number->value) : std::nullopt;
}

bool ends_in_key(std::string_view text, std::string_view key) {
    if (text.size() < key.size() || text.back() != key.back()) {
        return false;
    }
    const char* const begin = text.data();
    const char* end = begin + (text.size() - key.size());
    if (std::memcmp(end, key.data(), key.size()) != 0) {
        end = spread_key(text, key);
        if (end == nullptr) {
            return false;
        }
    }
    if (end == begin) {
        return true;
    }
    const char before = end[-1];
    return !is_letter(before) && !is_decimal_digit(before) && before != '_' && before != '/' &&
           before != '-' && before != '.';
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = skip_blanks(text, 0);
    std::size_t end = text.size();
    while (end > begin && is_blank(text[end - 1])) {
        --end;
    }
    return text.substr(begin, end - begin);
}

}  // namespace traincost
