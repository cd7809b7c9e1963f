// The numbers that most cells of tables are: digits with a fraction, and nothing beside them. In line, as
// tables are mostly numbers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

/// Powers of ten that are exact as doubles.
inline constexpr std::array exact_powers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Takes the digits from `c` on into `digits`; where they end.
inline const char* take_plain_digits(const char* c, const char* stop, std::uint64_t& digits) {
    if (std::endian::native == std::endian::little && stop - c >= 8) {  // eight at once
        const std::uint64_t eight = eight_at(c) ^ eight_of('0');
        const std::uint64_t others =
            ((eight + eight_of(0x76)) | eight) & eight_of(static_cast<char>(0x80));  // exact up to the first
        if (others != 0) {
            const int count = std::countr_zero(others) / 8;
            if (count == 0) {
                return c;
            }
            std::uint64_t value = eight << (64 - 8 * count);
            value = value * 10 + (value >> 8);
            constexpr std::uint64_t pairs = 0x000000FF000000FFU;
            value = ((value & pairs) * (100 + (std::uint64_t{1'000'000} << 32)) +
                     ((value >> 16) & pairs) * (1 + (std::uint64_t{10'000} << 32))) >>
                    32;
            digits =
                digits * static_cast<std::uint64_t>(exact_powers[static_cast<std::size_t>(count)]) + value;
            return c + count;
        }
    }
    for (unsigned digit = 0; c < stop && (digit = static_cast<unsigned char>(*c) - unsigned{'0'}) < 10; ++c) {
        digits = digits * 10U + digit;
    }
    return c;
}

/// Reads the unsigned decimal number at `at` where it is of the simplest kind, digits with or without a
/// fraction, and nothing but `end` or the end of the text follows, blanks apart. Where the number's cell
/// ends; npos where it is not of that kind, or not exact in one division.
inline std::size_t plain_number_at(std::string_view text, std::size_t at, char end, LogNumber& number) {
    constexpr std::ptrdiff_t longest = 15;  // digits that a double holds whatever they are
    const char* c = text.data() + at;
    const char* const stop = text.data() + text.size();
    const char* first = c;
    std::uint64_t digits = 0;
    c = take_plain_digits(c, stop, digits);
    std::ptrdiff_t decimals = 0;
    if (c < stop && *c == '.' && c > first) {
        const char* const fraction = ++c;
        c = take_plain_digits(c, stop, digits);
        decimals = c - fraction;
        ++first;  // the point is no digit
    }
    const std::ptrdiff_t count = c - first;
    number.end = static_cast<std::size_t>(c - text.data());
    while (c < stop && (*c == ' ' || *c == '\t') && *c != end) {
        ++c;
    }
    if (count <= 0 || count > longest || (c < stop && *c != end)) {
        return std::string_view::npos;
    }
    number.value = static_cast<double>(static_cast<std::int64_t>(digits));
    if (decimals > 0) {
        number.value /= exact_powers[static_cast<std::size_t>(decimals)];
    }
    number.decimals = static_cast<int>(decimals);
    return static_cast<std::size_t>(c - text.data());
}

}  // namespace traincost
