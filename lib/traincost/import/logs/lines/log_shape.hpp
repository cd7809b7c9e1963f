// The shape of a line: what is left of it when its numbers are taken out. Lines of one program mostly share
// one, and then their values stand in the same places.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

/// A shape, and which parts of a line that has it are values.
class LogShape {
public:
    /// Takes the shape of `line` and the places of `values`, parts of it in their order. Whether it could: a
    /// value that begins or ends inside a number has no place in a shape.
    bool learn(std::string_view line, const std::vector<std::string_view>& values);

    /// Whether `line` has the shape; finds its values then.
    bool fits(std::string_view line);

    /// Value `i` of the line that fitted last.
    std::string_view value(std::size_t i) const {
        return {line_ + places_[2 * i], places_[2 * i + 1] - places_[2 * i]};
    }
    /// Whether a number of the line that fitted last has more digits before its point than are sure to be
    /// exact.
    bool has_huge_number() const {
        return huge_;
    }
    void clear() {
        parts_.clear();
    }

private:
    /// Where a value begins or ends: behind so many numbers and so many characters of the part behind them.
    struct Bound {
        std::size_t part;
        std::size_t offset;
    };
    std::string text_;                ///< without its numbers
    std::vector<std::size_t> parts_;  ///< the lengths of what stands between them; empty: nothing was learned
    std::vector<Bound> bounds_;
    std::vector<std::size_t> places_;  ///< the bounds in the line
    const char* line_ = nullptr;
    bool huge_ = false;
};

}  // namespace traincost
