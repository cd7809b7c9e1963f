// The best configurations of a space, and the ones that no other beats in time, memory and cost at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/plan/search_space.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// What a plan is judged by, of one optimizer step.
struct PlanMetrics {
    Seconds time;   ///< step time over the site's goodput
    Bytes memory;   ///< device memory of the fullest stage
    Dollars cost;   ///< of all nodes for the step's time; zero where the cluster has no price
    double energy;  ///< joules; zero where the power is not known
    auto operator<=>(const PlanMetrics&) const = default;
};

/// Metrics of a step that takes `time` and `memory` on all of the cluster's nodes, which train for `goodput`
/// of the time.
PlanMetrics metrics_of(const ClusterSpec& cluster, double goodput, Seconds time, Bytes memory);

/// What is made small: one metric, or the product of powers of several (a weighted mix in logarithms).
struct Objective {
    double time = 1.0;
    double cost = 0.0;
    double memory = 0.0;
    double energy = 0.0;
    bool operator==(const Objective&) const = default;
};

/// The objective's value: smaller is better. A single metric with weight 1 is its own value.
double objective_value(const Objective& objective, const PlanMetrics& metrics);

/// A configuration that was evaluated and allowed.
struct Plan {
    Configuration configuration;
    PlanMetrics metrics;
    double value;  ///< of the objective
    bool operator==(const Plan&) const = default;
};

/// Limits on plans. Absent ones don't bind.
struct PlanLimits {
    std::optional<Seconds> step_time;
    std::optional<Dollars> step_cost;
    bool operator==(const PlanLimits&) const = default;
};

/// A cluster (with the number of accelerators used) under a stack, and the space searched on it.
struct Site {
    ClusterSpec cluster;
    StackSpec stack;
    SearchSpace space;
    std::optional<RunSpec> run{};  ///< the run here, where it is not the request's (another precision)
    double goodput =
        1.0;  ///< share of the wall time that trains: the rest is checkpoints, failures, restarts
    MemoryMargin margin{};  ///< what must fit beyond the prediction
};

/// Counters that another thread may read while a search runs, and its off switch.
struct SearchMonitor {
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> shapes{0};  ///< to do
    std::atomic<std::int64_t> shapes_done{0};
    std::atomic<std::int64_t> evaluated{0};
};

/// What is searched. The run's own degrees, micro-batch, recompute, schedule and offload don't matter: the
/// sites' spaces say.
struct SearchRequest {
    ModelSpec model;
    RunSpec run;
    std::vector<Site> sites;
    Objective objective{};
    PlanLimits limits{};
    std::size_t top = 10;
    std::int64_t shard = 0;  ///< this part of `shards`, 0-based
    std::int64_t shards = 1;
    int threads = 0;                   ///< 0: all cores
    bool prune = true;                 ///< false: every configuration is evaluated, to the same answer
    bool front = true;                 ///< whether plans that are best in time, memory or cost are wanted too
    bool nearest = true;               ///< whether the plan nearest to fitting is wanted where nothing fits
    bool says_batch = false;           ///< whether flags of plans say the global batch: nobody else did
    SearchMonitor* monitor = nullptr;  ///< may be absent
    /// Gives each site its margin, so that plans without it are left out as if they did not fit; where none
    /// has it, the search is done again without. Absent: the sites' own, and none left out.
    std::function<MemoryMargin(const Job& base)> margin_of{};
};

/// How many configurations met which end. enumerated = evaluated + pruned(); evaluated = does_not_fit +
/// over_deadline + over_budget + feasible.
struct SearchCounts {
    std::int64_t enumerated = 0;
    std::int64_t cut_by_memory = 0;  ///< unseen: a lower bound of their memory does not fit
    std::int64_t cut_by_plans = 0;   ///< unseen: by lower bounds of their time and memory neither among the
                                     ///< best nor on the front
    std::int64_t evaluated = 0;      ///< memory, and where that fits time, by the full engine
    std::int64_t does_not_fit = 0;   ///< of evaluated: memory
    std::int64_t over_deadline = 0;  ///< fits, but too slow
    std::int64_t over_budget = 0;    ///< fits and fast enough, but too dear
    std::int64_t feasible = 0;       ///< all limits kept
    std::int64_t pruned() const {
        return cut_by_memory + cut_by_plans;
    }
    SearchCounts& operator+=(const SearchCounts& o);
    bool operator==(const SearchCounts&) const = default;
};

/// The answer. Same request, same answer, whatever the threads; except for a stopped search.
struct SearchResult {
    std::vector<Plan> best;        ///< of the `top` best speeds, by rank (`guises_of`)
    std::vector<Plan> pareto;      ///< by time: no other feasible plan is as good in time, memory and cost
    std::optional<Plan> smallest;  ///< where nothing fits the nearest (its value is memory over capacity)
    std::optional<Plan> fastest;   ///< where nothing is allowed, of those that fit but are too slow or dear
    std::optional<Plan> cheapest;  ///< likewise
    SearchCounts counts;
    bool interrupted = false;
    bool risky = false;   ///< no plan fits with the margin asked for: these fit without it
    bool unsure = false;  ///< a plan was left out that fits without the margin asked for
};

/// Walks all sites' spaces. Throws `Error` where a site's job is invalid whatever the configuration.
SearchResult search(const SearchRequest& request);

/// The answer of a whole search from the answers of all its shards.
SearchResult merge(const std::vector<SearchResult>& shards, std::size_t top);

/// The job of a site before a configuration is chosen.
Job base_job(const SearchRequest& request, std::size_t site);

/// The job a configuration stands for.
Job job_of(const SearchRequest& request, const Configuration& configuration);

}  // namespace traincost
