// The configurations a search walks through, in one fixed order.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "traincost/spec/draft/recompute_choice.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// Where model states and activations live.
struct OffloadChoice {
    Offload optimizer = Offload::none;
    Offload parameters = Offload::none;
    double activations = 0.0;     ///< share kept in host memory
    std::int64_t least_zero = 0;  ///< lower ZeRO stages don't have it
    bool operator==(const OffloadChoice&) const = default;
};

/// One point of a space: everything a search varies, and nothing else. Twelve numbers, no allocation.
struct Configuration {
    std::int32_t site = 0;  ///< index of the cluster and stack
    std::int32_t tp = 1;
    std::int32_t cp = 1;
    std::int32_t pp = 1;
    std::int32_t ep = 1;
    std::int32_t etp = 1;
    std::int32_t sequence_parallel = 0;
    std::int32_t micro_batch = 1;
    std::int32_t vp = 1;
    std::int32_t schedule = 0;  ///< of `Schedule`
    std::int32_t zero = 0;
    std::int32_t hybrid_shard = 0;  ///< 0: all of dp·cp
    std::int32_t recompute = 0;     ///< index in the space's list
    std::int32_t offload = 0;       ///< index in the space's list
    std::int32_t dp = 1;
    /// The order of a search: ties between equal plans go to the lower one.
    auto operator<=>(const Configuration&) const = default;
};

/// The choices of each dimension. An empty list means every value the specs allow (`validate`), for degrees
/// the divisors of the number of accelerators.
struct SearchSpace {
    std::vector<std::int64_t> tp;
    std::vector<std::int64_t> cp;
    std::vector<std::int64_t> pp;
    std::vector<std::int64_t> vp;
    std::vector<std::int64_t> dp;  ///< what tp, cp and pp leave must be among them
    std::vector<std::int64_t> ep;
    std::vector<std::int64_t> etp;
    std::vector<std::int64_t> zero;
    std::vector<std::int64_t> hybrid_shard;  ///< 0: all of dp·cp; empty: only that
    bool all_hybrid_shards = false;          ///< every divisor of dp·cp
    std::vector<std::int64_t> micro_batch;   ///< sequences; a step's micro-batches come out whole
    std::vector<bool> sequence_parallel;     ///< matters with tp > 1 only
    std::vector<Schedule> schedules;         ///< empty: all; interleaved where vp > 1
    std::vector<RecomputeChoice> recompute{{}};
    std::vector<OffloadChoice> offload{{}};
};

/// Throws `Error` of kind input where the cluster has more accelerators than a configuration can number
/// (2^24).
void require_searchable(const ClusterSpec& cluster);

/// All divisors of n, rising.
std::vector<std::int64_t> divisors(std::int64_t n);

/// What can live on the host: nothing, optimizer states, and sharded weights, activations, all of these;
/// states and weights on the node's drives where it has any.
std::vector<OffloadChoice> host_offloads(const HostSpec& host);

/// What a job's own stack can do on its cluster: ZeRO stages and schedules its engine has, selective and full
/// recompute, tensor parallelism inside the scale-up domain.
SearchSpace stack_space(const Job& job);

/// Everything that can be written down for the job: all degrees, ZeRO stages, shard groups, schedules and
/// recompute kinds, whatever its stack implements.
SearchSpace full_space(const Job& job);

/// The job's run with the configuration's choices in place.
void apply(const Configuration& configuration, const SearchSpace& space, RunSpec& run);

/// What a layer's costs depend on: configurations that agree in it share them.
struct ShapeKey {
    std::int32_t tp, cp, ep, etp, sequence_parallel, micro_batch;
    bool operator==(const ShapeKey&) const = default;
};

/// All shapes that occur in the space for the job, in order.
std::vector<ShapeKey> shape_keys(const Job& job, const SearchSpace& space);

/// ZeRO stage, shard group and place of model states and activations.
struct StateChoice {
    std::int32_t zero;
    std::int32_t hybrid_shard;  ///< 0: all of dp·cp
    std::int32_t offload;       ///< index in the space's list
};

/// All configurations of a shape that share one pipeline: the product of three lists. All valid, and each
/// list in order.
struct PipelineBranch {
    Configuration common;  ///< what the lists don't say
    std::vector<StateChoice> states;
    std::vector<Schedule> schedules;
    std::vector<std::int32_t> recompute;  ///< indices in the space's list
    std::int64_t size() const {
        return static_cast<std::int64_t>(states.size() * schedules.size() * recompute.size());
    }
};

/// The configuration of one choice from each list.
Configuration configuration_of(const PipelineBranch& branch, const StateChoice& state, Schedule schedule,
                               std::int32_t recompute);

/// Calls `visit` for every pipeline of the shape that has configurations, in order; it returns false to stop.
bool for_each_pipeline(const Job& job, const SearchSpace& space, const ShapeKey& shape,
                       const std::function<bool(const PipelineBranch&)>& visit);

/// Calls `visit` for every valid configuration of the shape, in order; it returns false to stop.
bool for_each_configuration(const Job& job, const SearchSpace& space, const ShapeKey& shape,
                            const std::function<bool(const Configuration&)>& visit);

}  // namespace traincost
