// Numbers as people write them, and names as people mistype them.
//
// A parser accepts one number, an optional space, and a unit of its list, spelt exactly; anything else is an
// `Error` of kind `input` that shows what was given and what is allowed. NaN and infinity are never accepted.
#pragma once

#include <traincost/base/quantity.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

/// The values a parser accepts.
enum class Range { any, not_negative, positive };

/// `x`, which `text` came to; `Error` that quotes the text where the value is not finite or not in the range.
double in_range(double x, Range range, std::string_view text);

/// "0.9", "1e-3", "-2": a number without unit.
double parse_number(std::string_view text, Range range = Range::any);
/// "15T", "7B", "1.5M", "128K", "8192", "3e11": "128Ki": a whole number; K, M, B, T, Q are powers of 1000, Ki
/// and Mi of 1024; in either case.
std::int64_t parse_count(std::string_view text, Range range = Range::not_negative);
/// "80GiB", "80 GB", "512B": B; kB, MB, GB, TB, PB (powers of 1000); KiB, MiB, GiB, TiB, PiB (powers of
/// 1024).
Bytes parse_bytes(std::string_view text, Range range = Range::not_negative);
/// "900GB/s", "3.35TB/s", "400Gbit/s": bytes, or bits spelt out, per second.
ByteRate parse_byte_rate(std::string_view text, Range range = Range::not_negative);
/// "989TFLOP/s", "1.98PFLOPS".
FlopRate parse_flop_rate(std::string_view text, Range range = Range::not_negative);
/// "3d4h", "1h30m", "90s", "2.5 ms": ns, us, ms, s, m (or min), h, d, w; larger units first.
Seconds parse_duration(std::string_view text, Range range = Range::not_negative);
/// "$20M", "1.5K", "2.49": K, M, B, T are powers of 1000.
Dollars parse_dollars(std::string_view text, Range range = Range::not_negative);
/// "45%" or "0.45", as a fraction: 0.45. A number above 1 must have its percent sign.
double parse_fraction(std::string_view text, Range range = Range::not_negative);

/// `x`, which is to be printed; `Error` of kind `internal` where it is a NaN or an infinity. Whatever the
/// program prints, as text or as JSON, passes here.
double finite(double x);

/// `x` to `digits` significant digits, without exponent: "0.00123", "12.3", "123000".
std::string to_significant(double x, int digits = 3);
/// `x` so that a program reads back the same double.
std::string to_exact(double x);

// For people: three significant digits and the unit that fits.
std::string to_text(Bytes x);        ///< "74.5 GiB"
std::string to_text(Flops x);        ///< "1.98 PFLOP"
std::string to_text(Seconds x);      ///< "12.3 ms", "45.0 s", "1h30m", "3d4h", "123d"
std::string to_text(Dollars x);      ///< "$1.23M"
std::string to_text(ByteRate x);     ///< "3.35 TB/s"
std::string to_text(FlopRate x);     ///< "989 TFLOP/s"
std::string count_text(double x);    ///< "8.03B", "15.0T", "512"
std::string percent_text(double x);  ///< 0.453 is "45.3%"

/// The least number of characters inserted, deleted, replaced or swapped with a neighbour that makes `a` into
/// `b`.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate a person who typed `name` most probably meant, ignoring case; none where nothing is near.
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates);
std::optional<std::string> nearest(std::string_view name, std::span<const std::string_view> candidates);

/// The candidates that `name` is the beginning of, ignoring case, words and numbers taken whole: "t5" of
/// t5-11b, "gpt" of gpt2-1.5b, not "h10" of h100; where there are none, those that have it further on.
std::vector<std::string> names_with(std::string_view name, std::span<const std::string> candidates);

/// ASCII letters in lower case.
std::string lower(std::string_view text);

/// "train.py" of "src/train.py": what follows the last slash.
std::string base_of(std::string_view path);

/// The parts between separators, empty ones included; of an empty text one empty part.
std::vector<std::string> split(std::string_view text, char separator);

/// The end of an error message: "; did you mean 'llama-3-8b'?", or nothing where nothing is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace traincost
