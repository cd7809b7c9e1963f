#include "traincost/import/logs/log_scan.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>

#include "traincost/base/decimal.hpp"

namespace traincost {

namespace {

bool is_decimal_digit(char c) {
    return c >= '0' && c <= '9';
}

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
    return end;
}

}  // namespace

std::optional<LogNumber> number_at(std::string_view text) {
    std::size_t at = skip_blanks(text, 0);
    if (at < text.size() && (text[at] == '\'' || text[at] == '"')) {
        at = skip_blanks(text, at + 1);
    }
    const bool negative = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) {
        ++at;
    }
    if (at >= text.size()) {
        return std::nullopt;
    }
    if (!is_decimal_digit(text[at]) && text[at] != '.') {
        return not_finite_at(text, at, negative);
    }
    LogNumber number;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = read_decimal(text.data() + at, end, number.value);
    if (error == std::errc::invalid_argument) {
        return std::nullopt;
    }
    if (error == std::errc::result_out_of_range) {
        number.value = std::numeric_limits<double>::infinity();
    }
    const std::size_t first = at;
    at = static_cast<std::size_t>(stop - text.data());
    const std::string_view digits = text.substr(first, at - first);
    const bool whole = digits.find_first_not_of("0123456789") == digits.npos;
    if (whole && digits.size() <= 3 && digits != "0" && is_group(text, at)) {
        at = groups_end(text, at, number.value);
        if (at + 1 < text.size() && text[at] == '.' && is_decimal_digit(text[at + 1])) {
            double fraction = 0;
            const auto tail = read_decimal(text.data() + at, end, fraction);
            number.value += fraction;
            number.decimals = static_cast<int>(tail.ptr - (text.data() + at)) - 1;
            at = static_cast<std::size_t>(tail.ptr - text.data());
        }
    } else if (whole) {
        at = comma_fraction_end(text, at, number);
    } else if (const std::size_t point = digits.find('.'); point != digits.npos) {
        const std::size_t exponent = digits.find_first_of("eE");
        number.decimals = static_cast<int>((exponent == digits.npos ? digits.size() : exponent) - point - 1);
    }
    number.value = negative ? -number.value : number.value;
    number.end = at;
    number.suffix = suffix_at(text, at);
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
    if (from >= text.size()) {
        return std::string_view::npos;
    }
    const void* found = ::memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
    return found == nullptr ? std::string_view::npos
                            : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

bool ends_in_key(std::string_view text, std::string_view key) {
    if (text.size() < key.size()) {
        return false;
    }
    const char* end = text.data() + text.size();
    for (std::size_t i = key.size(); i > 0; --i) {
        const char wanted = key[i - 1];
        const char c = *--end;
        if (c != wanted && !(wanted == ' ' && (c == '_' || c == '-'))) {
            return false;
        }
    }
    if (end == text.data()) {
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
