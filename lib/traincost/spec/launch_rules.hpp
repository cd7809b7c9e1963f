// What a stack's launcher does when nobody says, and what it is usually taken for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/spec/run.hpp"

namespace traincost {

/// A vendor's accelerators on which a stack is usual for some tasks.
struct UsualOn {
    std::string vendor;         ///< how the vendor's name begins; "*": any other
    std::int64_t rank;          ///< 1: the first to be taken
    std::vector<Tuning> tasks;  ///< none: full training
    bool operator==(const UsualOn&) const = default;
};

/// What a stack record says under "launch".
struct LaunchRules {
    std::vector<UsualOn> usual_on{};
    std::optional<std::int64_t> zero{};       ///< stage of a data-parallel run, where nobody says
    std::optional<std::int64_t> most_zero{};  ///< highest stage it is usual with
    std::vector<std::pair<Tuning, Recompute>> recompute{};  ///< by task, where nobody says
    /// Share of the inputs of blocks recomputed so that waits in the host's memory.
    std::optional<double> offload_activations{};
    std::string why;
    bool operator==(const LaunchRules&) const = default;
};

/// How a model was trained by those who published it, as a model record says under "recipe".
struct PublishedRecipe {
    std::optional<std::int64_t> sequence{};         ///< tokens
    std::optional<std::int64_t> tokens_per_step{};  ///< of the main phase
    std::string precision;                          ///< recipe; empty: not published
    std::string stack;                              ///< id; empty: none of the catalogue
    std::string vendor;                             ///< of the accelerators the stack ran on
    std::string source;
    bool operator==(const PublishedRecipe&) const = default;
};

}  // namespace traincost
