// What each dimension of a space may be, given those before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "traincost/plan/search_space.hpp"

namespace traincost {

/// Whether the values hold x; no values stand for all.
inline bool contains(const std::vector<std::int64_t>& values, std::int64_t x) {
    return values.empty() || std::find(values.begin(), values.end(), x) != values.end();
}

inline std::int32_t narrow(std::int64_t x) {
    return static_cast<std::int32_t>(x);
}

/// All in rising order.
std::vector<std::int64_t> tp_choices(const Job& job, const SearchSpace& space);
std::vector<std::int64_t> cp_choices(const Job& job, const SearchSpace& space, std::int64_t tp);
std::vector<std::int64_t> ep_choices(const Job& job, const SearchSpace& space);
std::vector<std::int64_t> etp_choices(const SearchSpace& space, std::int64_t tp, std::int64_t ep, bool moe);
std::vector<std::int64_t> pp_choices(const Job& job, const SearchSpace& space, std::int64_t tp_cp);
std::vector<std::int64_t> batch_choices(const Job& job, const SearchSpace& space);
std::vector<std::int32_t> sequence_parallel_choices(const SearchSpace& space, std::int64_t tp);
/// Those that exist for a step of so many micro-batches.
std::vector<Schedule> schedules_of(const SearchSpace& space, std::int64_t pp, std::int64_t vp,
                                   std::int64_t micro_batches);

/// Shard groups of a ZeRO stage among `ranks` data-parallel ranks; 0: all.
std::vector<std::int64_t> shard_groups(const SearchSpace& space, std::int64_t zero, std::int64_t ranks);

/// Whether the experts' groups fit the ranks of a stage.
bool experts_fit(std::int64_t ranks, std::int64_t ep, std::int64_t etp);

}  // namespace traincost
