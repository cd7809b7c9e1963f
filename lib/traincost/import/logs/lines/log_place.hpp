// Where in its epoch a step stands: "Epoch [1][ 50/2500]", "Train: 0 [  50/1251 (  4%)]".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace traincost {

/// A number in brackets with the length of its epoch, behind the number of the epoch.
struct EpochPlace {
    std::int64_t iteration = 0;  ///< with those of the epochs before, where the epochs are numbered
    std::size_t end = 0;         ///< where the rest of the line begins
};

/// The place that a line names; nothing where it names none.
std::optional<EpochPlace> place_in_epoch(std::string_view line);

/// The line without the clock and the level that a logger put before it: "02:40:52 SUCCESS Step 0 | …".
std::string_view without_stamp(std::string_view line);

}  // namespace traincost
