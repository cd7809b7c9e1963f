#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "traincost/base/elided.hpp"
#include "traincost/base/error.hpp"
#include "traincost/base/quantity.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

/// Collects the problems of one spec under a common path. A spec's `validate` is the one description of its
/// fields' ranges: flags, files and shards all go through it.
class Checker {
public:
    Checker(std::vector<Problem>& problems, std::string prefix)
        : problems_(problems), prefix_(std::move(prefix)) {
    }

    void add(const std::string& field, std::string message) {
        problems_.push_back({prefix_ + field, std::move(message)});
    }

    void positive(const std::string& field, std::int64_t value) {
        at_least(field, value, 1);
    }

    void at_least(const std::string& field, std::int64_t value, std::int64_t low) {
        if (value < low)
            add(field, "is " + std::to_string(value) + ", must be at least " + std::to_string(low));
    }

    /// From `low` to `high`, above which products of such counts would not stay exact.
    void between(const std::string& field, std::int64_t value, std::int64_t low, std::int64_t high) {
        at_least(field, value, low);
        if (value > high)
            add(field, "is " + std::to_string(value) + ", must be at most " + std::to_string(high));
    }

    /// From 1 to `high`: no machine has more.
    void count(const std::string& field, std::int64_t value, std::int64_t high) {
        between(field, value, 1, high);
    }

    /// More than 0 and at most `high`.
    void positive(const std::string& field, double value, double high = std::numeric_limits<double>::max()) {
        if (!(value > 0.0) || !std::isfinite(value))
            add(field, "is " + shown(value) + ", must be a positive number");
        else if (value > high)
            add(field, "is " + shown(value) + ", must be at most " + to_exact(high));
    }

    void in_range(const std::string& field, double value, double low, double high) {
        if (!(value >= low && value <= high)) {
            add(field,
                "is " + shown(value) + ", must lie between " + to_exact(low) + " and " + to_exact(high));
        }
    }

    /// The same of a value that may be absent, or has a dimension; `high` in base units.
    template <class T>
    void positive(const std::string& field, const std::optional<T>& value, double high) {
        if (value)
            positive(field, number(*value), high);
    }
    template <class T>
    void in_range(const std::string& field, const std::optional<T>& value, double low, double high) {
        if (value)
            in_range(field, number(*value), low, high);
    }
    template <int b, int f, int s, int d>
    void positive(const std::string& field, Quantity<b, f, s, d> value, double high) {
        positive(field, value.value(), high);
    }
    template <int b, int f, int s, int d>
    void in_range(const std::string& field, Quantity<b, f, s, d> value, double low, double high) {
        in_range(field, value.value(), low, high);
    }
    void count(const std::string& field, const std::optional<std::int64_t>& value, std::int64_t high) {
        if (value)
            count(field, *value, high);
    }

    /// A name: what people look up and tables print.
    void name(const std::string& field, const std::string& value) {
        constexpr std::size_t longest = 200;
        if (value.size() > longest) {
            add(field, "is '" + elided(value, 60) + "' of " + std::to_string(value.size()) +
                           " bytes, must have at most " + std::to_string(longest));
        }
    }

    /// `divisor` must divide `value`; `what` names the value.
    void divides(const std::string& field, std::int64_t divisor, std::int64_t value,
                 const std::string& what) {
        if (divisor > 0 && value % divisor != 0) {
            add(field, "is " + std::to_string(divisor) + ", which does not divide " + what + " = " +
                           std::to_string(value));
        }
    }

private:
    /// A unit may have taken a finite number of a file beyond every double.
    static std::string shown(double x) {
        return std::isfinite(x) ? to_exact(x) : "too large";
    }
    static double number(double x) {
        return x;
    }
    template <int b, int f, int s, int d>
    static double number(Quantity<b, f, s, d> x) {
        return x.value();
    }

    std::vector<Problem>& problems_;
    std::string prefix_;
};

}  // namespace traincost
