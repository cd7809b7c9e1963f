// Whole numbers rounded to multiples.
#pragma once

#include <cstdint>

namespace traincost {

/// The smallest multiple of `step`, which is positive, that is no less than `n`, which is not negative.
constexpr std::int64_t round_up(std::int64_t n, std::int64_t step) {
    return (n + step - 1) / step * step;
}

}  // namespace traincost
