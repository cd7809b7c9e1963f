#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/base/elided.hpp"
#include "traincost/base/error.hpp"
#include "traincost/base/quantity.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

/// Collects the problems of one spec under a common path. A spec's `validate` is the one description of its
/// fields' ranges: flags, files and shards all go through it. A path is put together only where something is
/// wrong; its names must outlive the checker.
class Checker {
public:
    /// `prefix` ends in its dot, if it has one.
    Checker(std::vector<Problem>& problems, std::string_view prefix) : problems_(problems), name_(prefix) {
    }

    /// A part of what is checked, as "scale_up"; with an index, as "groups[2]". It must not outlive this one.
    Checker part(std::string_view name) const {
        return Checker(*this, name, std::nullopt);
    }
    Checker part(std::string_view name, std::size_t index) const {
        return Checker(*this, name, index);
    }

    void add(std::string_view field, std::string message) {
        problems_.push_back({path().append(field), std::move(message)});
    }

    void positive(std::string_view field, std::int64_t value) {
        at_least(field, value, 1);
    }

    void at_least(std::string_view field, std::int64_t value, std::int64_t low) {
        if (value < low)
            add(field, std::to_string(value) + "; must be at least " + std::to_string(low));
    }

    /// From `low` to `high`, above which products of such counts would not stay exact.
    void between(std::string_view field, std::int64_t value, std::int64_t low, std::int64_t high) {
        at_least(field, value, low);
        if (value > high)
            add(field, std::to_string(value) + "; must be at most " + std::to_string(high));
    }

    /// From 1 to `high`: no machine has more.
    void count(std::string_view field, std::int64_t value, std::int64_t high) {
        between(field, value, 1, high);
    }

    /// More than 0 and at most `high`.
    void positive(std::string_view field, double value, double high = std::numeric_limits<double>::max()) {
        if (!(value > 0.0) || !std::isfinite(value))
            add(field, shown(value) + "; must be a positive number");
        else if (value > high)
            add(field, shown(value) + "; must be at most " + to_exact(high));
    }

    void in_range(std::string_view field, double value, double low, double high) {
        if (!(value >= low && value <= high)) {
            add(field, shown(value) + "; must be between " + to_exact(low) + " and " + to_exact(high));
        }
    }

    /// The same of a value that may be absent, or has a dimension; `high` in base units.
    template <class T>
    void positive(std::string_view field, const std::optional<T>& value, double high) {
        if (value)
            positive(field, number(*value), high);
    }
    template <class T>
    void in_range(std::string_view field, const std::optional<T>& value, double low, double high) {
        if (value)
            in_range(field, number(*value), low, high);
    }
    template <int b, int f, int s, int d>
    void positive(std::string_view field, Quantity<b, f, s, d> value, double high) {
        positive(field, value.value(), high);
    }
    template <int b, int f, int s, int d>
    void in_range(std::string_view field, Quantity<b, f, s, d> value, double low, double high) {
        in_range(field, value.value(), low, high);
    }
    void count(std::string_view field, const std::optional<std::int64_t>& value, std::int64_t high) {
        if (value)
            count(field, *value, high);
    }

    /// A name: what people look up and tables print.
    void name(std::string_view field, const std::string& value) {
        constexpr std::size_t longest = 200;
        if (value.size() > longest) {
            add(field, "'" + elided(value, 60) + "' of " + std::to_string(value.size()) +
                           " bytes; must have at most " + std::to_string(longest));
        }
    }

    /// `divisor` must divide `value`; `what` names the value.
    void divides(std::string_view field, std::int64_t divisor, std::int64_t value, std::string_view what) {
        if (divisor > 0 && value % divisor != 0) {
            add(field, std::to_string(divisor) + " does not divide " + std::string(what) + " = " +
                           std::to_string(value));
        }
    }

private:
    Checker(const Checker& whole, std::string_view name, std::optional<std::size_t> index)
        : problems_(whole.problems_), whole_(&whole), name_(name), index_(index) {
    }

    std::string path() const {
        if (!whole_)
            return std::string(name_);
        std::string text = whole_->path().append(name_);
        return text + (index_ ? "[" + std::to_string(*index_) + "]." : ".");
    }

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
    const Checker* whole_ = nullptr;
    std::string_view name_;
    std::optional<std::size_t> index_{};
};

}  // namespace traincost
