#include "traincost/plan/search.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "traincost/base/parallel.hpp"
#include "traincost/cost/blocks.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/cost/step.hpp"
#include "traincost/plan/plan_ranking.hpp"

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
    pruned += o.pruned;
    evaluated += o.evaluated;
    does_not_fit += o.does_not_fit;
    over_deadline += o.over_deadline;
    over_budget += o.over_budget;
    feasible += o.feasible;
    return *this;
}

Job job_of(const SearchRequest& request, const Configuration& configuration) {
    const Site& site = request.sites[static_cast<std::size_t>(configuration.site)];
    Job job{request.model, site.cluster, site.stack, request.run};
    apply(configuration, site.space, job.run);
    return job;
}

namespace {

/// Price and power of a cluster's nodes.
struct Rates {
    double dollars_per_s;
    double watts;
    PlanMetrics metrics(Seconds time, Bytes memory) const {
        return {time, memory, Dollars{time.value() * dollars_per_s}, time.value() * watts};
    }
};

Rates rates_of(const ClusterSpec& cluster) {
    return {hourly_price(cluster).value_or(Dollars{}).value() * static_cast<double>(nodes(cluster)) / 3600.0,
            power_watts(cluster).value_or(0.0)};
}

}  // namespace

PlanMetrics metrics_of(const ClusterSpec& cluster, Seconds time, Bytes memory) {
    return rates_of(cluster).metrics(time, memory);
}

namespace {

/// What a search has found so far; two can be added.
struct Findings {
    explicit Findings(std::size_t top) : best(top) {
    }
    TopPlans best;
    ParetoFront pareto;
    std::optional<Plan> smallest;
    SearchCounts counts;

    void keep_smallest(const Plan& plan) {
        const auto before = [](const Plan& a, const Plan& b) {
            return a.value != b.value ? a.value < b.value : a.configuration < b.configuration;
        };
        if (!smallest || before(plan, *smallest))
            smallest = plan;
    }
    void add(const Findings& other) {
        best.add(other.best);
        pareto.add(other.pareto);
        if (other.smallest)
            keep_smallest(*other.smallest);
        counts += other.counts;
    }
    SearchResult result() const {
        SearchResult out{best.sorted(), pareto.sorted(), smallest, counts, false};
        if (counts.feasible > 0)
            out.smallest.reset();
        return out;
    }
};

/// All configurations of one shape on one site.
void search_shape(const SearchRequest& request, std::int32_t site_index, const ShapeKey& key,
                  Findings& found) {
    const Site& site = request.sites[static_cast<std::size_t>(site_index)];
    const Rates rates = rates_of(site.cluster);
    const Bytes capacity = usable_memory(site.cluster.accelerator) * (1.0 - request.limits.headroom);
    Job job{request.model, site.cluster, site.stack, request.run};
    for_each_configuration(job, site.space, key, [&](const Configuration& given) {
        Configuration c = given;
        c.site = site_index;
        apply(c, site.space, job.run);
        ++found.counts.enumerated;
        ++found.counts.evaluated;
        const Shape shape = shape_of(job);
        BlockOps ops;
        fill_ops(job, shape, ops);
        const BlockTable table = block_table(job, shape, ops);
        const StageClasses stages = stage_classes(job, table);
        Plan plan{c, {}, 0.0};
        plan.metrics.memory = peak_device_memory(job, shape, table, stages);
        if (plan.metrics.memory > capacity) {
            ++found.counts.does_not_fit;
            plan.value = plan.metrics.memory / capacity;
            found.keep_smallest(plan);
            return true;
        }
        plan.metrics = rates.metrics(step_time(job, shape, table, stages).total, plan.metrics.memory);
        if (request.limits.step_time && plan.metrics.time > *request.limits.step_time) {
            ++found.counts.over_deadline;
            return true;
        }
        if (request.limits.step_cost && plan.metrics.cost > *request.limits.step_cost) {
            ++found.counts.over_budget;
            return true;
        }
        ++found.counts.feasible;
        plan.value = objective_value(request.objective, plan.metrics);
        found.best.add(plan);
        found.pareto.add(plan);
        return request.monitor == nullptr || !request.monitor->stop.load(std::memory_order_relaxed);
    });
}

struct Task {
    std::int32_t site;
    ShapeKey key;
};

}  // namespace

SearchResult search(const SearchRequest& request) {
    if (request.shards < 1 || request.shard < 0 || request.shard >= request.shards) {
        throw Error(ErrorKind::input, "shard " + std::to_string(request.shard) + " of " +
                                          std::to_string(request.shards) + " does not exist");
    }
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < request.sites.size(); ++i) {
        const Site& site = request.sites[i];
        Job job{request.model, site.cluster, site.stack, request.run};
        if (site.cluster.accelerators < 1) {
            throw Error(ErrorKind::input, "cluster.accelerators: is " +
                                              std::to_string(site.cluster.accelerators) +
                                              ", must be at least 1");
        }
        // On one accelerator everything that no configuration can change must already be right.
        job.cluster.accelerators = 1;
        job.run.parallel = Parallelism{};
        job.run.micro_batch = 1;
        throw_if_any(validate(job));
        job.cluster.accelerators = site.cluster.accelerators;
        for (const ShapeKey& key : shape_keys(job, site.space))
            tasks.push_back({static_cast<std::int32_t>(i), key});
    }
    std::vector<Task> mine;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (static_cast<std::int64_t>(i) % request.shards == request.shard)
            mine.push_back(tasks[i]);
    }
    if (request.monitor != nullptr)
        request.monitor->shapes = static_cast<std::int64_t>(mine.size());

    Findings all(request.top);
    std::mutex mutex;
    parallel_for(
        mine.size(),
        [&](std::size_t i) {
            SearchMonitor* monitor = request.monitor;
            if (monitor != nullptr && monitor->stop)
                return;
            Findings found(request.top);
            search_shape(request, mine[i].site, mine[i].key, found);
            const std::scoped_lock lock(mutex);
            all.add(found);
            if (monitor != nullptr) {
                ++monitor->shapes_done;
                monitor->evaluated = all.counts.evaluated;
            }
        },
        request.threads);
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
        found.counts = shard.counts;
        all.add(found);
        interrupted = interrupted || shard.interrupted;
    }
    SearchResult result = all.result();
    result.interrupted = interrupted;
    return result;
}

}  // namespace traincost
