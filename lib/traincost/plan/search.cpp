#include "traincost/plan/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

/// The shapes of some of a request's sites, and the stages their pipelines share.
struct Walk {
    std::size_t first_site = 0;
    std::vector<SearchTask> tasks;
    std::vector<std::unique_ptr<PipelineStages>> pipelines;  ///< by site, from the first
    PipelineStages& stages_of(const SearchTask& task) const {
        return *pipelines[static_cast<std::size_t>(task.site) - first_site];
    }
};

/// A site's job, checked for everything that no configuration can change.
Job checked_job(const SearchRequest& request, std::size_t site) {
    Job job = base_job(request, site);
    const std::int64_t accelerators = job.cluster.accelerators;
    require_searchable(job.cluster);
    job.cluster.accelerators = 1;
    job.run.parallel = Parallelism{};
    job.run.micro_batch = 1;
    throw_if_any(validate(job));
    job.cluster.accelerators = accelerators;
    return job;
}

/// The sites of a request in portions of so many shapes that memory does not grow with the sites.
class Portions {
public:
    explicit Portions(const SearchRequest& request) : request_(request) {
        constexpr std::size_t shapes_at_once = std::size_t{1} << 18;
        std::size_t in_portion = 0;
        for (std::size_t i = 0; i < request.sites.size(); ++i) {
            const std::size_t shapes = shape_keys(checked_job(request, i), request.sites[i].space).size();
            if (begins_.empty() || in_portion + shapes > shapes_at_once) {
                begins_.push_back(i);
                shapes_before_.push_back(shapes_);
                in_portion = 0;
            }
            in_portion += shapes;
            shapes_ += shapes;
        }
    }
    std::size_t size() const {
        return begins_.size();
    }
    std::size_t shapes() const {
        return shapes_;
    }
    /// Shapes of the portions before.
    std::size_t shapes_before(std::size_t portion) const {
        return shapes_before_[portion];
    }
    /// Valid until another is asked for.
    const Walk& operator[](std::size_t portion) {
        if (held_ == portion)
            return walk_;
        held_ = portion;
        walk_ = Walk{};
        walk_.first_site = begins_[portion];
        const std::size_t end = portion + 1 < size() ? begins_[portion + 1] : request_.sites.size();
        for (std::size_t i = walk_.first_site; i < end; ++i) {
            const Job job = checked_job(request_, i);
            const SearchSpace& space = request_.sites[i].space;
            walk_.pipelines.push_back(std::make_unique<PipelineStages>(job, space));
            for (const ShapeKey& key : shape_keys(job, space))
                walk_.tasks.push_back({static_cast<std::int32_t>(i), key});
        }
        return walk_;
    }

private:
    const SearchRequest& request_;
    std::vector<std::size_t> begins_;  ///< first site of each
    std::vector<std::size_t> shapes_before_;
    std::size_t shapes_ = 0;
    std::size_t held_ = std::numeric_limits<std::size_t>::max();
    Walk walk_;
};

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

/// A sample is walked in rounds, each with every so many-th of its tasks: multiples of one another.
constexpr std::size_t sample_strides[] = {64, 8, 1};

/// Every `stride`-th of the tasks, without every `had`-th, which the round before took (0: there was none).
std::vector<SearchTask> every(std::size_t stride, std::size_t had, const std::vector<SearchTask>& tasks) {
    std::vector<SearchTask> chosen;
    for (std::size_t i = 0; i < tasks.size(); i += stride) {
        if (had == 0 || i % had != 0)
            chosen.push_back(tasks[i]);
    }
    return chosen;
}

/// Walks the tasks on all cores, and adds what they are to `all`.
void walk_all(const SearchRequest& request, const Walk& walk, const std::vector<SearchTask>& tasks,
              const Incumbents& incumbents, WalkExtent extent, Findings& all) {
    SearchMonitor* monitor = request.monitor;
    std::mutex mutex;
    parallel_for(
        tasks.size(),
        [&](std::size_t i) {
            if (monitor != nullptr && monitor->stop)
                return;
            Findings found(request.top);
            walk_shape(request, tasks[i], walk.stages_of(tasks[i]), incumbents, extent, found);
            const std::scoped_lock lock(mutex);
            all.add(found);
            if (monitor != nullptr && extent == WalkExtent::everything) {
                ++monitor->shapes_done;
                monitor->evaluated = all.counts.evaluated;
            }
        },
        request.threads);
}

/// The walk's tasks that belong to the request's shard.
std::vector<SearchTask> shard_of(const SearchRequest& request, const Walk& walk, std::size_t shapes_before) {
    std::vector<SearchTask> mine;
    for (std::size_t i = 0; i < walk.tasks.size(); ++i) {
        if (static_cast<std::int64_t>(shapes_before + i) % request.shards == request.shard)
            mine.push_back(walk.tasks[i]);
    }
    return mine;
}

bool nothing_fits(const SearchCounts& counts) {
    return counts.feasible + counts.over_deadline + counts.over_budget == 0;
}

SearchResult search_with_margins(const SearchRequest& request) {
    if (request.shards < 1 || request.shard < 0 || request.shard >= request.shards) {
        throw Error(ErrorKind::input, "shard " + std::to_string(request.shard) + " of " +
                                          std::to_string(request.shards) + " does not exist");
    }
    Portions portions(request);
    if (request.monitor != nullptr)
        request.monitor->shapes = static_cast<std::int64_t>(portions.shapes()) / request.shards;
    Incumbents incumbents;
    Findings sample(request.top);
    if (request.prune) {
        for (std::size_t i = 0; i < portions.size(); ++i) {
            const Walk& walk = portions[i];
            const std::vector<SearchTask> tasks = sample_of(walk.tasks);
            std::size_t had = 0;
            // A few of the sample first: what they find cuts the others.
            for (const std::size_t stride : sample_strides) {
                walk_all(request, walk, every(stride, had, tasks), incumbents, WalkExtent::sample, sample);
                incumbents = Incumbents(request, sample.best.sorted(), sample.pareto.sorted());
                had = stride;
            }
        }
    }
    Findings all(request.top);
    const auto walk_mine = [&](WalkExtent extent, Findings& findings) {
        for (std::size_t i = 0; i < portions.size(); ++i) {
            const Walk& walk = portions[i];
            walk_all(request, walk, shard_of(request, walk, portions.shapes_before(i)), incumbents, extent,
                     findings);
        }
    };
    walk_mine(WalkExtent::everything, all);
    const SearchCounts& counts = all.counts;
    if (request.nearest && !request.margin_of && nothing_fits(counts)) {
        Findings nearest(request.top);
        walk_mine(WalkExtent::nearest, nearest);
        all.smallest = nearest.smallest;
    }
    SearchResult result = all.result();
    result.interrupted = request.monitor != nullptr && request.monitor->stop;
    if (result.interrupted && result.best.empty()) {
        result.best = sample.best.sorted();
        result.pareto = sample.pareto.sorted();
    }
    return result;
}

}  // namespace

SearchResult search(const SearchRequest& request) {
    if (!request.margin_of)
        return search_with_margins(request);
    SearchRequest sure = request;
    for (std::size_t i = 0; i < sure.sites.size(); ++i)
        sure.sites[i].margin = request.margin_of(base_job(request, i));
    SearchResult result = search_with_margins(sure);
    // Without the margin the search would find as little.
    const bool in_vain = !result.unsure && !request.nearest;
    if (!nothing_fits(result.counts) || result.interrupted || in_vain)
        return result;
    SearchRequest any = request;
    any.margin_of = {};
    SearchResult found = search_with_margins(any);
    if (request.shards > 1) {
        // A part of a search does not know whether the others find nothing.
        result.smallest = found.smallest;
        return result;
    }
    found.risky = !nothing_fits(found.counts);
    return found;
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
