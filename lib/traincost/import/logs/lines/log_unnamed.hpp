// Values that a line for people gives no name: what a step takes by its unit, and which step it is by its
// place.
#pragma once

#include <optional>
#include <string_view>

namespace traincost {

/// A time of a step, as text that begins with its number, and how many seconds its unit is.
struct TimeOfStep {
    std::string_view value;
    double scale = 1.0;
};

/// "41.3s/step", "(57.126 sec/step)", "34.87 ms/iter", "per-step time 0.813s"; nothing in a progress bar.
std::optional<TimeOfStep> time_of_step(std::string_view line);

/// The number of the step in "[12/600] loss=..." at the beginning of a line, and in "100/ 1563 steps".
std::optional<std::string_view> bare_step_of(std::string_view line);

}  // namespace traincost
