// Numbers that know what they measure: a double tagged with the exponents of byte, flop, second and dollar.
// Flops / FlopRate is Seconds; Bytes + Flops does not compile. Values are in base units; prefixes live in the
// literals below and in text.hpp.
#pragma once

#include <compare>
#include <type_traits>

namespace traincost {

template <int byte, int flop, int second, int dollar>
class Quantity;

namespace detail {
// A quantity without dimension is a plain double.
template <int b, int f, int s, int d>
using quantity_or_double =
    std::conditional_t<b == 0 && f == 0 && s == 0 && d == 0, double, Quantity<b, f, s, d>>;

template <class T>
concept number = std::is_arithmetic_v<T>;
}  // namespace detail

/// A double in byte^b flop^f second^s dollar^d. As small and as fast as the double.
template <int b, int f, int s, int d>
class Quantity {
public:
    constexpr Quantity() = default;  ///< zero
    /// `value` in base units.
    constexpr explicit Quantity(double value) : value_(value) {
    }
    /// The value in base units: bytes, flops, seconds, dollars and their products.
    constexpr double value() const {
        return value_;
    }

    friend constexpr auto operator<=>(Quantity, Quantity) = default;
    friend constexpr Quantity operator+(Quantity x, Quantity y) {
        return Quantity(x.value_ + y.value_);
    }
    friend constexpr Quantity operator-(Quantity x, Quantity y) {
        return Quantity(x.value_ - y.value_);
    }
    friend constexpr Quantity operator-(Quantity x) {
        return Quantity(-x.value_);
    }
    friend constexpr Quantity operator*(Quantity x, detail::number auto y) {
        return Quantity(x.value_ * static_cast<double>(y));
    }
    friend constexpr Quantity operator*(detail::number auto x, Quantity y) {
        return Quantity(static_cast<double>(x) * y.value_);
    }
    friend constexpr Quantity operator/(Quantity x, detail::number auto y) {
        return Quantity(x.value_ / static_cast<double>(y));
    }
    friend constexpr Quantity<-b, -f, -s, -d> operator/(detail::number auto x, Quantity y) {
        return Quantity<-b, -f, -s, -d>(static_cast<double>(x) / y.value_);
    }
    constexpr Quantity& operator+=(Quantity y) {
        value_ += y.value_;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity y) {
        value_ -= y.value_;
        return *this;
    }
    constexpr Quantity& operator*=(detail::number auto y) {
        value_ *= static_cast<double>(y);
        return *this;
    }
    constexpr Quantity& operator/=(detail::number auto y) {
        value_ /= static_cast<double>(y);
        return *this;
    }

private:
    double value_ = 0;
};

template <int b, int f, int s, int d, int b2, int f2, int s2, int d2>
constexpr auto operator*(Quantity<b, f, s, d> x, Quantity<b2, f2, s2, d2> y) {
    return detail::quantity_or_double<b + b2, f + f2, s + s2, d + d2>(x.value() * y.value());
}
template <int b, int f, int s, int d, int b2, int f2, int s2, int d2>
constexpr auto operator/(Quantity<b, f, s, d> x, Quantity<b2, f2, s2, d2> y) {
    return detail::quantity_or_double<b - b2, f - f2, s - s2, d - d2>(x.value() / y.value());
}

using Scalar = double;
using Bytes = Quantity<1, 0, 0, 0>;
using Flops = Quantity<0, 1, 0, 0>;  ///< floating-point operations: a count, not a rate
using Seconds = Quantity<0, 0, 1, 0>;
using Dollars = Quantity<0, 0, 0, 1>;
using ByteRate = Quantity<1, 0, -1, 0>;    ///< bytes per second
using FlopRate = Quantity<0, 1, -1, 0>;    ///< floating-point operations per second
using DollarRate = Quantity<0, 0, -1, 1>;  ///< dollars per second

/// `80_GiB`, `900_GBps`, `989_TFLOPs`, `2.5_us`: k, M, G, T, P are powers of 1000; Ki, Mi, Gi, Ti of 1024.
namespace literals {
#define TRAINCOST_LITERAL(suffix, Type, factor)                \
    constexpr Type operator""_##suffix(long double x) {        \
        return Type(static_cast<double>(x) * (factor));        \
    }                                                          \
    constexpr Type operator""_##suffix(unsigned long long x) { \
        return Type(static_cast<double>(x) * (factor));        \
    }
TRAINCOST_LITERAL(B, Bytes, 1)
TRAINCOST_LITERAL(KiB, Bytes, 1024.0)
TRAINCOST_LITERAL(MiB, Bytes, 1024.0 * 1024)
TRAINCOST_LITERAL(GiB, Bytes, 1024.0 * 1024 * 1024)
TRAINCOST_LITERAL(TiB, Bytes, 1024.0 * 1024 * 1024 * 1024)
TRAINCOST_LITERAL(kB, Bytes, 1e3)
TRAINCOST_LITERAL(MB, Bytes, 1e6)
TRAINCOST_LITERAL(GB, Bytes, 1e9)
TRAINCOST_LITERAL(TB, Bytes, 1e12)
TRAINCOST_LITERAL(FLOP, Flops, 1)
TRAINCOST_LITERAL(GFLOP, Flops, 1e9)
TRAINCOST_LITERAL(TFLOP, Flops, 1e12)
TRAINCOST_LITERAL(PFLOP, Flops, 1e15)
TRAINCOST_LITERAL(ns, Seconds, 1e-9)
TRAINCOST_LITERAL(us, Seconds, 1e-6)
TRAINCOST_LITERAL(ms, Seconds, 1e-3)
TRAINCOST_LITERAL(s, Seconds, 1)
TRAINCOST_LITERAL(min, Seconds, 60)
TRAINCOST_LITERAL(h, Seconds, 3600)
TRAINCOST_LITERAL(days, Seconds, 86400)
TRAINCOST_LITERAL(USD, Dollars, 1)
TRAINCOST_LITERAL(MBps, ByteRate, 1e6)
TRAINCOST_LITERAL(GBps, ByteRate, 1e9)
TRAINCOST_LITERAL(TBps, ByteRate, 1e12)
TRAINCOST_LITERAL(Gbitps, ByteRate, 1e9 / 8)  // gigabits per second, as network links are sold
TRAINCOST_LITERAL(GFLOPs, FlopRate, 1e9)      // per second
TRAINCOST_LITERAL(TFLOPs, FlopRate, 1e12)
TRAINCOST_LITERAL(PFLOPs, FlopRate, 1e15)
#undef TRAINCOST_LITERAL
}  // namespace literals

}  // namespace traincost
