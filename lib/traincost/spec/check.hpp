#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "traincost/base/error.hpp"

namespace traincost {

/// Collects the problems of one spec under a common path.
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

    /// From 1 to `high`: no machine has more, and products of such counts stay exact.
    void count(const std::string& field, std::int64_t value, std::int64_t high) {
        positive(field, value);
        if (value > high)
            add(field, "is " + std::to_string(value) + ", must be at most " + std::to_string(high));
    }

    void positive(const std::string& field, double value) {
        if (!(value > 0.0) || !std::isfinite(value))
            add(field, "is " + std::to_string(value) + ", must be a positive number");
    }

    void in_range(const std::string& field, double value, double low, double high) {
        if (!(value >= low && value <= high)) {
            add(field, "is " + std::to_string(value) + ", must lie between " + std::to_string(low) + " and " +
                           std::to_string(high));
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
    std::vector<Problem>& problems_;
    std::string prefix_;
};

}  // namespace traincost
