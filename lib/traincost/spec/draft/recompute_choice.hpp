// What is run again in the backward pass, as one choice.
#pragma once

#include <cstdint>
#include <optional>

#include "traincost/spec/run.hpp"

namespace traincost {

/// What is run again in the backward pass.
struct RecomputeChoice {
    Recompute kind = Recompute::none;
    RecomputeModules modules{};          ///< selective only
    std::int64_t every = 1;              ///< full: every k-th block
    std::optional<std::int64_t> layers;  ///< full: only so many blocks a stage
    bool operator==(const RecomputeChoice&) const = default;
};

}  // namespace traincost
