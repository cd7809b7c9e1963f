#include "traincost/plan/search.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

#include "traincost/base/parallel.hpp"
#include "traincost/plan/search_walk.hpp"

namespace traincost {

double objective_value(const Objective& o, const PlanMetrics& m) {
    if (o == Objective{1.0, 0.0, 0.0, 0.0})
        return m.time.value();
    if (o == Objective{0.0, 1.0, 0.0, 0.0})
        return m.cost.value();
    if (o == Objective{0.0, 0.0, 1.0, 0.0})
        return m.memory.value();
    if (o == Objective{0.0, 0.0, 0.0, 1.0})
        return m.energy;
    // A metric without weight must not enter: its logarithm may be infinite.
    const auto term = [](double weight, double x) { return weight == 0.0 ? 0.0 : weight * std::log(x); };
    return term(o.time, m.time.value()) + term(o.cost, m.cost.value()) + term(o.memory, m.memory.value()) +
           term(o.energy, m.energy);
}

SearchCounts& SearchCounts::operator+=(const SearchCounts& o) {
    enumerated += o.enumerated;
    cut_by_memory += o.cut_by_memory;
    cut_by_plans += o.cut_by_plans;
    evaluated += o.evaluated;
    does_not_fit += o.does_not_fit;
    over_deadline += o.over_deadline;
    over_budget += o.over_budget;
    feasible += o.feasible;
    return *this;
}

Job base_job(const SearchRequest& request, std::size_t site) {
    const Site& s = request.sites[site];
    return {request.model, s.cluster, s.stack, s.run.value_or(request.run)};
}

Job job_of(const SearchRequest& request, const Configuration& configuration) {
    const Site& site = request.sites[static_cast<std::size_t>(configuration.site)];
    Job job = base_job(request, static_cast<std::size_t>(configuration.site));
    apply(configuration, site.space, job.run);
    return job;
}

PlanMetrics metrics_of(const ClusterSpec& cluster, double goodput, Seconds time, Bytes memory) {
    return rates_of(cluster, goodput).metrics(time, memory);
}

namespace {

/// All of a request's shapes, and the stages their pipelines share.
struct Walk {
    std::vector<SearchTask> tasks;
    std::vector<std::unique_ptr<PipelineStages>> pipelines;  ///< by site
};

Walk walk_of(const SearchRequest& request) {
    Walk walk;
    for (std::size_t i = 0; i < request.sites.size(); ++i) {
        const Site& site = request.sites[i];
        Job job = base_job(request, i);
        constexpr std::int64_t most = std::int64_t{1} << 24;  // ranks of a configuration are 32-bit
        if (site.cluster.accelerators < 1 || site.cluster.accelerators > most) {
            throw Error(ErrorKind::input, "cluster.accelerators: is " +
                                              std::to_string(site.cluster.accelerators) +
                                              ", must be from 1 to " + std::to_string(most));
        }
        // On one accelerator everything that no configuration can change must already be right.
        job.cluster.accelerators = 1;
        job.run.parallel = Parallelism{};
        job.run.micro_batch = 1;
        throw_if_any(validate(job));
        job.cluster.accelerators = site.cluster.accelerators;
        walk.pipelines.push_back(std::make_unique<PipelineStages>(job, site.space));
        for (const ShapeKey& key : shape_keys(job, site.space))
            walk.tasks.push_back({static_cast<std::int32_t>(i), key});
    }
    return walk;
}

/// A sample of the space: the shapes that cut layers and batches least, up to one in `one_in`. It looks at
/// the whole space whatever the shard, so that every shard is cut alike.
std::vector<SearchTask> sample_of(const std::vector<SearchTask>& tasks) {
    constexpr std::size_t one_in = 32;
    std::vector<SearchTask> sample = tasks;
    const auto cuts = [](const ShapeKey& key) {
        return std::int64_t{key.tp} * key.cp * key.etp * key.micro_batch *
               (key.sequence_parallel != 0 ? 1 : 2);
    };
    std::stable_sort(sample.begin(), sample.end(),
                     [&](const SearchTask& a, const SearchTask& b) { return cuts(a.key) < cuts(b.key); });
    sample.resize((tasks.size() + one_in - 1) / one_in);
    return sample;
}

/// Walks the tasks on all cores. `done` shapes and configurations go to the monitor where one is given.
Findings walk_all(const SearchRequest& request, const Walk& walk, const std::vector<SearchTask>& tasks,
                  const Incumbents& incumbents, WalkExtent extent) {
    SearchMonitor* monitor = request.monitor;
    Findings all(request.top);
    std::mutex mutex;
    parallel_for(
        tasks.size(),
        [&](std::size_t i) {
            if (monitor != nullptr && monitor->stop)
                return;
            Findings found(request.top);
            walk_shape(request, tasks[i], *walk.pipelines[static_cast<std::size_t>(tasks[i].site)],
                       incumbents, extent, found);
            const std::scoped_lock lock(mutex);
            all.add(found);
            if (monitor != nullptr && extent == WalkExtent::everything) {
                ++monitor->shapes_done;
                monitor->evaluated = all.counts.evaluated;
            }
        },
        request.threads);
    return all;
}

}  // namespace

SearchResult search(const SearchRequest& request) {
    if (request.shards < 1 || request.shard < 0 || request.shard >= request.shards) {
        throw Error(ErrorKind::input, "shard " + std::to_string(request.shard) + " of " +
                                          std::to_string(request.shards) + " does not exist");
    }
    const Walk walk = walk_of(request);
    std::vector<SearchTask> mine;
    for (std::size_t i = 0; i < walk.tasks.size(); ++i) {
        if (static_cast<std::int64_t>(i) % request.shards == request.shard)
            mine.push_back(walk.tasks[i]);
    }
    if (request.monitor != nullptr)
        request.monitor->shapes = static_cast<std::int64_t>(mine.size());

    Incumbents incumbents;
    if (request.prune) {
        const Findings sample = walk_all(request, walk, sample_of(walk.tasks), {}, WalkExtent::sample);
        incumbents = Incumbents(request, sample.best.sorted(), sample.pareto.sorted());
    }
    Findings all = walk_all(request, walk, mine, incumbents, WalkExtent::everything);
    const SearchCounts& counts = all.counts;
    if (counts.feasible + counts.over_deadline + counts.over_budget == 0) {
        const Findings nearest = walk_all(request, walk, mine, {}, WalkExtent::nearest);
        all.smallest = nearest.smallest;
    }
    SearchResult result = all.result();
    result.interrupted = request.monitor != nullptr && request.monitor->stop;
    return result;
}

SearchResult merge(const std::vector<SearchResult>& shards, std::size_t top) {
    Findings all(top);
    bool interrupted = false;
    for (const SearchResult& shard : shards) {
        Findings found(top);
        for (const Plan& plan : shard.best)
            found.best.add(plan);
        for (const Plan& plan : shard.pareto)
            found.pareto.add(plan);
        found.smallest = shard.smallest;
        found.fastest = shard.fastest;
        found.cheapest = shard.cheapest;
        found.counts = shard.counts;
        all.add(found);
        interrupted = interrupted || shard.interrupted;
    }
    SearchResult result = all.result();
    result.interrupted = interrupted;
    return result;
}

}  // namespace traincost
