// Reading numbers and named values out of a line of text: by hand, because logs are large.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace traincost {

inline bool is_decimal_digit(char c) {
    return c >= '0' && c <= '9';
}

/// A number as it stands in a log.
struct LogNumber {
    double value = 0;           ///< may be NaN or infinite: "nan", "inf" are printed by real runs
    int decimals = 0;           ///< digits after the point: tells a number that was cut off
    bool exponent = false;      ///< it is written with one
    std::string_view suffix{};  ///< letters directly behind it, or behind one blank: "ms", "K", "GiB"
    std::size_t end = 0;        ///< position behind the number in the text it was read from
};

/// The number at the beginning of `text`, behind blanks and an opening quote: "1,234", "1.2e-3", "nan", "-2".
/// Groups of three digits behind commas belong to it. Nothing where no number begins.
std::optional<LogNumber> number_at(std::string_view text);

/// The whole number at `at`, behind blanks; `at` moves behind it. Nothing where there is none or it is beyond
/// 2^53.
std::optional<std::int64_t> whole_number_at(std::string_view text, std::size_t& at);

/// Seconds of "1:02:03", "2:03", "1 day, 2:03:04"; nothing for another form.
std::optional<double> clock_at(std::string_view text);

/// Position of `needle` in `text` from `from`; npos where it is not.
std::size_t find_in(std::string_view text, std::string_view needle, std::size_t from = 0);

inline bool holds(std::string_view text, std::string_view needle) {
    return find_in(text, needle) != std::string_view::npos;
}

/// The number behind the first `name` in the line; nothing where there is no name or no number.
std::optional<double> value_behind(std::string_view line, std::string_view name);

/// Whether `text` ends in the name `key` with no letter, digit or one of "_/-." before it. A blank in `key`
/// also stands for '_' and '-', and for several blanks.
bool ends_in_key(std::string_view text, std::string_view key);

/// `text` without blanks at both ends.
std::string_view trimmed(std::string_view text);

/// Eight bytes as a number, to look at all of them at once.
inline std::uint64_t eight_at(const char* text) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text, sizeof(bytes));
    return bytes;
}

/// Whether `size` bytes are the same: in line, as most texts compared are short.
inline bool same_bytes(const char* a, const char* b, std::size_t size) {
    if (size < 8) {
        std::size_t i = 0;
        if (size >= 4) {
            std::uint32_t left = 0;
            std::uint32_t right = 0;
            std::memcpy(&left, a, sizeof(left));
            std::memcpy(&right, b, sizeof(right));
            if (left != right) {
                return false;
            }
            i = sizeof(left);
        }
        for (; i < size; ++i) {
            if (a[i] != b[i]) {
                return false;
            }
        }
        return true;
    }
    std::uint64_t differences = eight_at(a + size - 8) ^ eight_at(b + size - 8);
    for (std::size_t i = 0; i + 8 < size && differences == 0; i += 8) {
        differences = eight_at(a + i) ^ eight_at(b + i);
    }
    return differences == 0;
}

/// Eight times the same byte.
constexpr std::uint64_t eight_of(char c) {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    return ones * static_cast<unsigned char>(c);
}

/// Whether one of eight bytes is nought.
constexpr bool has_nought(std::uint64_t bytes) {
    return ((bytes - eight_of(1)) & ~bytes & eight_of(static_cast<char>(0x80))) != 0;
}

/// Whether eight bytes hold a ':' or a '='.
inline bool eight_separated(const char* text) {
    const std::uint64_t bytes = eight_at(text);
    return has_nought(bytes ^ eight_of(':')) || has_nought(bytes ^ eight_of('='));
}

/// Calls `take(before, after)` for every ':' and '=' of the line: what stands before it, without blanks and a
/// closing quote, and what stands behind it.
template <class Take>
void for_each_value(std::string_view line, Take&& take) {
    for (std::size_t i = 0; i < line.size(); ++i) {
        while (i + 8 <= line.size() && !eight_separated(line.data() + i)) {
            i += 8;
        }
        if (i == line.size() || (line[i] != ':' && line[i] != '=')) {
            continue;
        }
        std::size_t end = i;
        while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == '\t')) {
            --end;
        }
        if (end > 0 && (line[end - 1] == '\'' || line[end - 1] == '"')) {
            --end;
        }
        take(line.substr(0, end), line.substr(i + 1));
    }
}

}  // namespace traincost
