#pragma once

namespace traincost {

/** Prefixes of units: `80 * gibi` bytes, `989 * tera` operations a second. Decimal by powers of 1,000, binary
 * by powers of 1,024. */
inline constexpr double micro = 1e-6;
inline constexpr double milli = 1e-3;
inline constexpr double kilo = 1e3;
inline constexpr double mega = 1e6;
inline constexpr double giga = 1e9;
inline constexpr double tera = 1e12;
inline constexpr double mebi = 1024.0 * 1024.0;
inline constexpr double gibi = 1024.0 * mebi;

}  // namespace traincost
