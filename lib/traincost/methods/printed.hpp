// Numbers as the published Python and JavaScript programs print them. Internal to methods/ and to what prints
// its results.
#pragma once

#include <string>

namespace traincost {

/// `round(x, digits)` as Python prints it: correctly rounded, trailing zeros dropped, at least one decimal
/// ("0.3", "5.0", "12.89"). `digits` ≥ 1.
std::string python_round_text(double x, int digits);

/// `x` with exactly `digits` decimals, as JavaScript's toFixed prints it: "12.00".
std::string fixed_text(double x, int digits);

}  // namespace traincost
