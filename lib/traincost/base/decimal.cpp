#include "traincost/base/decimal.hpp"

#include <version>

#ifndef __cpp_lib_to_chars
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#endif

namespace traincost {

#ifdef __cpp_lib_to_chars

std::from_chars_result read_decimal(const char* first, const char* last, double& x) {
    return std::from_chars(first, last, x);
}

std::to_chars_result write_decimal(char* first, char* last, double x) {
    return std::to_chars(first, last, x);
}

#else

namespace {

bool is_decimal_digit(char c) {
    return c >= '0' && c <= '9';
}

const char* after_digits(const char* at, const char* last) {
    return std::find_if_not(at, last, is_decimal_digit);
}

// The end of the longest decimal number at `first`; `first` where there is none.
const char* decimal_end(const char* first, const char* last) {
    const char* const begin = first + (first != last && *first == '-' ? 1 : 0);
    const char* end = after_digits(begin, last);
    auto digits = end - begin;
    if (end != last && *end == '.') {
        const char* const tail = after_digits(end + 1, last);
        digits += tail - end - 1;
        end = tail;
    }
    if (digits == 0)
        return first;
    if (end != last && (*end == 'e' || *end == 'E')) {
        const char* exponent = end + 1;
        exponent += exponent != last && (*exponent == '-' || *exponent == '+') ? 1 : 0;
        const char* const tail = after_digits(exponent, last);
        end = tail != exponent ? tail : end;
    }
    return end;
}

bool is_zero_text(std::string_view text) {
    return text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == text.npos;
}

}  // namespace

std::from_chars_result read_decimal(const char* first, const char* last, double& x) {
    const char* const end = decimal_end(first, last);
    if (end == first)
        return {first, std::errc::invalid_argument};
    const std::string text(first, end);
    const double value = std::strtod(text.c_str(), nullptr);  // this program never leaves the locale "C"
    if (std::isinf(value) || (value == 0 && !is_zero_text(text)))
        return {end, std::errc::result_out_of_range};
    x = value;
    return {end, std::errc()};
}

// fmt finds the shortest digits, but chooses the notation by other rules than std::to_chars.
std::to_chars_result write_decimal(char* first, char* last, double x) {
    const std::string shortest = fmt::format("{}", std::abs(x));
    const auto mark = shortest.find('e');
    std::string digits = shortest.substr(0, mark);
    auto point = static_cast<int>(std::min(digits.find('.'), digits.size()));
    std::erase(digits, '.');
    point += mark == shortest.npos ? 0 : std::atoi(shortest.c_str() + mark + 1);
    const auto zeros = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    digits.erase(0, zeros);
    point -= static_cast<int>(zeros);
    digits.erase(std::max<std::size_t>(digits.find_last_not_of('0') + 1, 1));
    const int count = static_cast<int>(digits.size());
    if (digits == "0")
        point = 1;

    std::string scientific = digits.substr(0, 1) + (count > 1 ? "." : "") + digits.substr(1);
    scientific += fmt::format("e{}{:02}", point - 1 < 0 ? '-' : '+', std::abs(point - 1));
    const int fixed_size = point <= 0 ? 2 - point + count : point >= count ? point : count + 1;
    std::string text = std::signbit(x) ? "-" : "";
    if (fixed_size > static_cast<int>(scientific.size()))
        text += scientific;
    else if (point <= 0)
        text += "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
    else if (point < count)
        text += digits.substr(0, static_cast<std::size_t>(point)) + "." +
                digits.substr(static_cast<std::size_t>(point));
    else {
        std::array<char, 40> whole{};  // a whole number is written exactly
        std::snprintf(whole.data(), whole.size(), "%.0f", std::abs(x));
        text += whole.data();
    }
    if (static_cast<std::ptrdiff_t>(text.size()) > last - first)
        return {last, std::errc::value_too_large};
    return {std::copy(text.begin(), text.end(), first), std::errc()};
}

#endif

}  // namespace traincost
