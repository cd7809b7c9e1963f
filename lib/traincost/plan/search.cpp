#include "traincost/plan/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

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

namespace {

/// Price and power of a cluster's nodes.
struct Rates {
    double slowdown;  ///< 1 / goodput
    double dollars_per_s;
    double watts;
    PlanMetrics metrics(Seconds step, Bytes memory) const {
        const Seconds time = step * slowdown;
        return {time, memory, Dollars{time.value() * dollars_per_s}, time.value() * watts};
    }
};

Rates rates_of(const ClusterSpec& cluster, double goodput) {
    return {1.0 / goodput,
            hourly_price(cluster).value_or(Dollars{}).value() * static_cast<double>(nodes(cluster)) / 3600.0,
            power_watts(cluster).value_or(0.0)};
}

}  // namespace

PlanMetrics metrics_of(const ClusterSpec& cluster, double goodput, Seconds time, Bytes memory) {
    return rates_of(cluster, goodput).metrics(time, memory);
}

namespace {

/// What a search has found so far; two can be added.
struct Findings {
    explicit Findings(std::size_t top) : best(top) {
    }
    TopPlans best;
    ParetoFront pareto;
    std::optional<Plan> smallest;
    std::optional<Plan> fastest;
    std::optional<Plan> cheapest;
    SearchCounts counts;

    void keep_smallest(const Plan& plan) {
        keep(smallest, plan, plan.value, smallest ? smallest->value : 0.0);
    }
    void keep_fastest(const Plan& plan) {
        keep(fastest, plan, plan.metrics.time.value(), fastest ? fastest->metrics.time.value() : 0.0);
    }
    void keep_cheapest(const Plan& plan) {
        keep(cheapest, plan, plan.metrics.cost.value(), cheapest ? cheapest->metrics.cost.value() : 0.0);
    }
    void add(const Findings& other) {
        best.add(other.best);
        pareto.add(other.pareto);
        if (other.smallest)
            keep_smallest(*other.smallest);
        if (other.fastest)
            keep_fastest(*other.fastest);
        if (other.cheapest)
            keep_cheapest(*other.cheapest);
        counts += other.counts;
    }
    SearchResult result() const {
        return {best.sorted(), pareto.sorted(), smallest, fastest, cheapest, counts, false};
    }

private:
    static void keep(std::optional<Plan>& kept, const Plan& plan, double value, double least) {
        if (!kept || value < least || (value == least && plan.configuration < kept->configuration))
            kept = plan;
    }
};

/// The stages of every pipeline in a site's space, by recompute choice: the same for all shapes.
class PipelineStages {
public:
    PipelineStages(const Job& base, const SearchSpace& space) : job_(base), space_(&space) {
        job_.run.parallel = Parallelism{};
        job_.run.micro_batch = 1;
        const Shape shape = shape_of(job_);
        BlockOps ops;
        fill_ops(job_, shape, ops);
        kinds_ = block_table(job_, shape, ops);
    }

    /// By recompute choice. May be called from several threads.
    const std::vector<StageClasses>& of(std::int64_t pp, std::int64_t vp) {
        const std::scoped_lock lock(mutex_);
        const auto [entry, fresh] = stages_.try_emplace({pp, vp});
        if (fresh) {
            job_.run.parallel.pp = pp;
            job_.run.parallel.vp = vp;
            for (const RecomputeChoice& choice : space_->recompute) {
                job_.run.recompute = choice.kind;
                job_.run.recompute_every = choice.every;
                job_.run.recompute_layers = choice.layers;
                entry->second.push_back(stage_classes(job_, kinds_));
            }
        }
        return entry->second;
    }

private:
    Job job_;
    const SearchSpace* space_;
    BlockTable kinds_;
    std::mutex mutex_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<StageClasses>> stages_;
};

/// Block tables of one shape: one for each set of selectively recomputed modules and each way gradients come
/// and go.
class ShapeTables {
public:
    struct Entry {
        RecomputeModules modules;
        bool selective;
        Bytes gradient;
        Shape shape;
        std::shared_ptr<const BlockOps> ops;
        BlockTable table;
    };

    const Entry& of(const Job& job) {
        const bool selective = job.run.recompute == Recompute::selective;
        const RecomputeModules modules = selective ? job.run.recompute_modules : RecomputeModules{};
        const Shape& any = entries_.empty() ? (shape_ = shape_of(job)) : shape_;
        const Bytes gradient = weight_bytes(job, any).gradient;
        const Entry* sibling = nullptr;
        for (const auto& entry : entries_) {
            if (entry->selective != selective || entry->modules != modules)
                continue;
            if (entry->gradient == gradient)
                return *entry;
            sibling = entry.get();
        }
        auto entry = std::make_unique<Entry>();
        entry->modules = modules;
        entry->selective = selective;
        entry->gradient = gradient;
        entry->shape = shape_of(job);
        if (sibling != nullptr) {
            entry->ops = sibling->ops;
            entry->table = sibling->table;
            set_totals(job, entry->shape, *entry->ops, entry->table);
        } else {
            const auto ops = std::make_shared<BlockOps>();
            fill_ops(job, entry->shape, *ops);
            entry->table = block_table(job, entry->shape, *ops);
            entry->ops = ops;
        }
        entries_.push_back(std::move(entry));
        return *entries_.back();
    }

private:
    Shape shape_{};
    std::vector<std::unique_ptr<Entry>> entries_;
};

/// All configurations of one shape on one site.
void search_shape(const SearchRequest& request, std::int32_t site_index, const ShapeKey& key,
                  PipelineStages& pipelines, Findings& found) {
    const Site& site = request.sites[static_cast<std::size_t>(site_index)];
    const Rates rates = rates_of(site.cluster, site.goodput);
    const Bytes capacity = usable_memory(site.cluster.accelerator) * (1.0 - request.limits.headroom);
    Job job = base_job(request, static_cast<std::size_t>(site_index));
    ShapeTables tables;
    const std::vector<StageClasses>* stages = nullptr;
    std::int32_t pp = 0;
    std::int32_t vp = 0;
    for_each_configuration(job, site.space, key, [&](const Configuration& given) {
        Configuration c = given;
        c.site = site_index;
        apply(c, site.space, job.run);
        ++found.counts.enumerated;
        ++found.counts.evaluated;
        if (c.pp != pp || c.vp != vp) {
            pp = c.pp;
            vp = c.vp;
            stages = &pipelines.of(pp, vp);
        }
        const ShapeTables::Entry& shared = tables.of(job);
        const StageClasses& pipeline = (*stages)[static_cast<std::size_t>(c.recompute)];
        Plan plan{c, {}, 0.0};
        plan.metrics.memory = peak_device_memory(job, shared.shape, shared.table, pipeline);
        if (plan.metrics.memory > capacity) {
            ++found.counts.does_not_fit;
            plan.value = plan.metrics.memory / capacity;
            found.keep_smallest(plan);
            return true;
        }
        plan.metrics =
            rates.metrics(step_time(job, shared.shape, shared.table, pipeline).total, plan.metrics.memory);
        if (request.limits.step_time && plan.metrics.time > *request.limits.step_time) {
            ++found.counts.over_deadline;
            found.keep_fastest(plan);
            found.keep_cheapest(plan);
            return true;
        }
        if (request.limits.step_cost && plan.metrics.cost > *request.limits.step_cost) {
            ++found.counts.over_budget;
            found.keep_fastest(plan);
            found.keep_cheapest(plan);
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
    std::vector<std::unique_ptr<PipelineStages>> pipelines;
    for (std::size_t i = 0; i < request.sites.size(); ++i) {
        const Site& site = request.sites[i];
        Job job = base_job(request, i);
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
        pipelines.push_back(std::make_unique<PipelineStages>(job, site.space));
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
            search_shape(request, mine[i].site, mine[i].key,
                         *pipelines[static_cast<std::size_t>(mine[i].site)], found);
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
