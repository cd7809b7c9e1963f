// The flags that say what a search may choose: a value, a list, or a range for each dimension.
#pragma once

#include <cli/job_options.hpp>
#include <traincost/plan/search_space.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace traincost::cli {

/// Whole numbers that are allowed: "8", "1,2,4", "2..8", "..8", "4..".
struct NumberChoice {
    std::vector<std::int64_t> listed;  ///< rising; empty: the range
    std::int64_t low = 1;
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
};
NumberChoice number_choice(const std::string& text);

/// The flags as given; nothing where one was not.
struct DimensionFlags {
    std::optional<NumberChoice> tp{}, pp{}, vp{}, dp{}, cp{}, ep{}, etp{}, zero{}, hybrid_shard{},
        micro_batch{};
    std::optional<std::int64_t> max_tp{}, max_pp{}, max_cp{};
    std::vector<bool> sequence_parallel{};
    std::vector<Schedule> schedules{};
    std::vector<RecomputeChoice> recompute{};
    std::vector<Offload> offload_optimizer{}, offload_parameters{};
    std::vector<double> offload_activations{};
};

/// Declares the flags, in place of those of a job that take one value.
void add_dimension_options(CLI::App& app, DimensionFlags& flags);

/// The space with what was given in place of its own choices. `Error` where limits leave a dimension nothing.
SearchSpace restricted(SearchSpace space, const DimensionFlags& flags, const Job& job);

}  // namespace traincost::cli
