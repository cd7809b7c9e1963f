// What a search may choose: a value, a list, or a range for each dimension.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/plan/search_space.hpp"

namespace traincost {

/// Whole numbers that are allowed: "8", "1,2,4", "2..8", "..8", "4..".
struct NumberChoice {
    std::vector<std::int64_t> listed;  ///< rising; empty: the range
    std::int64_t low = 1;
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
};
/// `Error` of kind usage where it is none of these.
NumberChoice number_choice(const std::string& text);

/// What was said of each dimension; nothing where nobody did.
struct DimensionChoices {
    std::optional<NumberChoice> tp{}, pp{}, vp{}, dp{}, cp{}, ep{}, etp{}, zero{}, hybrid_shard{},
        micro_batch{};
    std::optional<std::int64_t> max_tp{}, max_pp{}, max_cp{};
    std::vector<bool> sequence_parallel{};
    std::vector<Schedule> schedules{};
    std::vector<RecomputeChoice> recompute{};
    std::vector<Offload> offload_optimizer{}, offload_parameters{};
    std::vector<double> offload_activations{};
};

/// One dimension as it is said.
struct DimensionField {
    std::string_view flag;  ///< "--tp"
    std::string_view type;  ///< of its value, in the help: "N..."
    std::string_view help;
    /// `Error` of kind usage, without the flag, where the text is not allowed.
    void (*say)(DimensionChoices& choices, const std::string& text);
};

/// All of them, in the order of the help.
std::span<const DimensionField> dimension_fields();

/// The space with what was given in place of its own choices. `Error` where limits leave a dimension nothing.
SearchSpace restricted(SearchSpace space, const DimensionChoices& choices, const Job& job);

}  // namespace traincost
