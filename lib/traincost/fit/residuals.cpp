#include "traincost/fit/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

namespace traincost {

namespace {

constexpr std::array<std::string_view, residual_kind_count> kind_names = {"step_time", "allocated",
                                                                          "reserved", "device"};

/// Share of exposed communication from which on residuals widen.
constexpr double communication_share = 0.2;

/// How much wider the step of a stack on a class of accelerators is known where no source shows the two
/// together: the constants were fitted to most of the sources that the pool is made of, and many were read
/// again after they had been predicted. Of 21 sources predicted once (2026-11-28) 42 % of the runs lay inside
/// the pool's own interval with 1/4, mean over sources. Of 1/4, 2/5, 1/2 and 1 the widest with which neither
/// runs of known sources nor, where no setting is stated, those of sources left out are covered beyond 88 %
/// (85 % of runs whose source is left out, mean over 170 sources). Falls with the effective number of sources
/// that do show them. Memory takes none: sources that speak alike hold 79 % of the runs of one left out.
constexpr double unfamiliar_width = 0.4;

// Quantiles moved away from the median.
void widen(ResidualQuantiles& q, double factor) {
    const double middle = q.at[q.at.size() / 2];
    for (double& x : q.at)
        x = middle + (x - middle) * factor;
    q.low = middle + (q.low - middle) * factor;
    q.high = middle + (q.high - middle) * factor;
}

// The residuals, or their quantiles at the middles of equal parts.
std::vector<double> sketch(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    constexpr std::size_t most = ResidualCluster::most_points;
    if (values.size() <= most)
        return values;
    std::vector<double> at(most);
    const double n = static_cast<double>(values.size());
    for (std::size_t i = 0; i < most; ++i) {
        const double position = (static_cast<double>(i) + 0.5) / static_cast<double>(most) * n - 0.5;
        const auto below = static_cast<std::size_t>(position);
        const double fraction = position - static_cast<double>(below);
        at[i] = values[below] + fraction * (values[below + 1] - values[below]);
    }
    return at;
}

bool left_out(const ResidualCluster& cluster, const LeftOut& out) {
    return !out.source.empty() && cluster.source == out.source &&
           (out.model.empty() || cluster.model == out.model);
}

bool is_own(const ResidualCluster& cluster, const ResidualGroupKey& group) {
    return cluster.group.kind == group.kind && cluster.group.stack == group.stack &&
           cluster.group.accelerator_class == group.accelerator_class;
}

bool in_pool(const ResidualCluster& cluster, const ResidualGroupKey& group, bool any_kernels) {
    const bool time = cluster.group.kind == ResidualKind::step_time;
    if (time != (group.kind == ResidualKind::step_time))
        return false;
    return !time || any_kernels || cluster.group.measured_kernels == group.measured_kernels;
}

// Shares of clusters in a set of them.
struct Shares {
    std::vector<double> of;          // by cluster; 0: not in the set
    double effective_sources = 0.0;  // 0: the set is empty
    std::int64_t runs = 0;
    std::int64_t sources = 0;
};

/// How much each source of a set says: as the root of its clusters' sum, or all alike.
enum class SourceWeight : std::uint8_t { root, alike };

template <class Contains>
Shares shares_of(const Residuals& residuals, SourceWeight weight, Contains contains) {
    Shares s;
    s.of.assign(residuals.clusters.size(), 0.0);
    std::vector<double> by_source(residuals.sources, 0.0);
    for (std::size_t i = 0; i < residuals.clusters.size(); ++i) {
        const ResidualCluster& cluster = residuals.clusters[i];
        if (!contains(cluster))
            continue;
        s.of[i] = std::sqrt(static_cast<double>(cluster.n));
        by_source[residuals.source_of[i]] += s.of[i];
        s.runs += cluster.n;
    }
    double total = 0.0;
    double squares = 0.0;
    const auto said = [&](double sum) {
        return weight == SourceWeight::root ? std::sqrt(sum) : (sum > 0.0 ? 1.0 : 0.0);
    };
    for (const double sum : by_source) {
        total += said(sum);
        squares += said(sum) * said(sum);
        s.sources += sum > 0.0 ? 1 : 0;
    }
    if (total <= 0.0)
        return s;
    for (std::size_t i = 0; i < s.of.size(); ++i) {
        const double sum = by_source[residuals.source_of[i]];
        if (s.of[i] > 0.0)
            s.of[i] *= said(sum) / sum / total;
    }
    s.effective_sources = total * total / squares;
    return s;
}

// 1 / sum of the squared shares of the sources.
double effective_sources(const Residuals& residuals, const std::vector<double>& shares) {
    std::vector<double> by_source(residuals.sources, 0.0);
    for (std::size_t i = 0; i < shares.size(); ++i)
        by_source[residuals.source_of[i]] += shares[i];
    double squares = 0.0;
    for (const double share : by_source)
        squares += share * share;
    return 1.0 / squares;
}

// Quantiles of the points, each cluster's share dealt evenly to its points; half of a point's mass lies to
// each side of it, and between two points the distribution is linear.
ResidualQuantiles quantiles_of(const Residuals& residuals, const std::vector<double>& shares) {
    std::vector<double> weight(shares.size());
    for (std::size_t i = 0; i < shares.size(); ++i)
        weight[i] = shares[i] / static_cast<double>(residuals.clusters[i].at.size());
    ResidualQuantiles q;
    std::size_t next = 0;
    double mass = 0.0;
    std::optional<std::pair<double, double>> last;  // probability and value of the last point passed
    for (const ResidualPoint& point : residuals.points) {
        const double w = weight[point.cluster];
        if (w <= 0.0)
            continue;
        const double here = mass + 0.5 * w;
        for (; next < q.at.size() && ResidualQuantiles::probability(static_cast<int>(next)) <= here; ++next) {
            const double p = ResidualQuantiles::probability(static_cast<int>(next));
            q.at[next] =
                last ? last->second + (p - last->first) / (here - last->first) * (point.value - last->second)
                     : point.value;
        }
        mass += w;
        last = {here, point.value};
    }
    for (; next < q.at.size(); ++next)
        q.at[next] = last ? last->second : 0.0;
    const auto between = [&](double p) {
        const double position = p * static_cast<double>(ResidualQuantiles::points + 1) - 1.0;
        const std::size_t below = std::min(static_cast<std::size_t>(position), q.at.size() - 2);
        return q.at[below] + (position - static_cast<double>(below)) * (q.at[below + 1] - q.at[below]);
    };
    // The k-th of n values, its mass around it, is the (k - 1/2)/n quantile; a new value lies below it with
    // probability k/(n + 1): the tail of p is that of p - (1/2 - p)/n.
    constexpr double tail = 0.1;
    const double n = runs_a_source_is_worth * effective_sources(residuals, shares);
    const double p = std::max(ResidualQuantiles::probability(0), tail - (0.5 - tail) / n);
    q.low = between(p);
    q.high = between(1.0 - p);
    return q;
}

/// `comparable`, found anew.
std::optional<Comparable> compared(const Residuals& residuals, const ResidualGroupKey& group,
                                   const LeftOut& out) {
    const auto pool_of = [&](bool any_kernels) {
        return shares_of(residuals, SourceWeight::alike, [&](const ResidualCluster& cluster) {
            return in_pool(cluster, group, any_kernels) && !left_out(cluster, out);
        });
    };
    Shares pool = pool_of(false);
    const bool any_kernels = pool.runs == 0;
    if (any_kernels)
        pool = pool_of(true);
    if (pool.runs == 0)
        return std::nullopt;
    const Shares own = shares_of(residuals, SourceWeight::root, [&](const ResidualCluster& cluster) {
        return is_own(cluster, group) && !left_out(cluster, out);
    });
    const double s = own.effective_sources;
    std::vector<double> shares(pool.of.size());
    for (std::size_t i = 0; i < shares.size(); ++i)
        shares[i] = (s * own.of[i] + pooling_sources * pool.of[i]) / (s + pooling_sources);
    const Shares others = shares_of(residuals, SourceWeight::root, [&](const ResidualCluster& cluster) {
        return in_pool(cluster, group, any_kernels) && !is_own(cluster, group) && !left_out(cluster, out);
    });
    ResidualQuantiles quantiles = quantiles_of(residuals, shares);
    if (group.kind == ResidualKind::step_time)
        widen(quantiles, 1.0 + unfamiliar_width / (1.0 + s));
    return Comparable{quantiles, own.runs, own.sources, others.runs, others.sources};
}

}  // namespace

std::string_view to_string(ResidualKind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

std::optional<ResidualKind> residual_kind_from(std::string_view name) {
    const auto found = std::find(kind_names.begin(), kind_names.end(), name);
    if (found == kind_names.end())
        return std::nullopt;
    return static_cast<ResidualKind>(found - kind_names.begin());
}

std::string accelerator_class(const AcceleratorSpec& accelerator) {
    return accelerator.architecture.substr(0, accelerator.architecture.find(' '));
}

bool ResidualGroupKey::operator<(const ResidualGroupKey& other) const {
    return std::tie(kind, stack, accelerator_class, measured_kernels) <
           std::tie(other.kind, other.stack, other.accelerator_class, other.measured_kernels);
}

ResidualGroupKey residual_group(ResidualKind kind, const Job& job) {
    return {kind, job.stack.id, accelerator_class(job.cluster.accelerator), job.cluster.kernels.measured};
}

double exposed_communication(const StepTime& step) {
    constexpr std::array<StepTerm, 5> terms = {StepTerm::tensor_parallel, StepTerm::context_parallel,
                                               StepTerm::expert_parallel, StepTerm::pipeline_transfer,
                                               StepTerm::data_parallel};
    Seconds sum{};
    for (const StepTerm term : terms)
        sum = sum + step[term];
    return step.total > Seconds{} ? sum / step.total : 0.0;
}

double residual_scale(ResidualKind kind, double exposed_communication) {
    return kind == ResidualKind::step_time ? std::max(1.0, exposed_communication / communication_share) : 1.0;
}

Residuals indexed(std::vector<ResidualCluster> clusters) {
    Residuals residuals;
    std::map<std::string, std::uint32_t> numbers;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
        const auto next = static_cast<std::uint32_t>(numbers.size());
        residuals.source_of.push_back(numbers.emplace(clusters[i].source, next).first->second);
        for (const double value : clusters[i].at)
            residuals.points.push_back({value, static_cast<std::uint32_t>(i)});
    }
    std::stable_sort(residuals.points.begin(), residuals.points.end(),
                     [](const ResidualPoint& a, const ResidualPoint& b) { return a.value < b.value; });
    residuals.sources = static_cast<std::uint32_t>(numbers.size());
    residuals.clusters = std::move(clusters);
    return residuals;
}

Residuals residuals_from(std::span<const Residual> residuals) {
    std::map<std::tuple<ResidualGroupKey, std::string, std::string>, std::vector<double>> clusters;
    for (const Residual& residual : residuals)
        clusters[{residual.group, residual.source, residual.model}].push_back(residual.log_error);
    std::vector<ResidualCluster> result;
    for (auto& [key, values] : clusters) {
        const auto n = static_cast<std::int64_t>(values.size());
        result.push_back(
            {std::get<0>(key), std::get<1>(key), std::get<2>(key), n, sketch(std::move(values))});
    }
    return indexed(std::move(result));
}

ComparableMemo& ComparableMemo::operator=(const ComparableMemo& other) {
    if (this != &other) {
        const std::unique_lock lock(mutex_);
        known_.clear();
    }
    return *this;
}

ComparableMemo::Answer ComparableMemo::of(const ResidualGroupKey& group,
                                          const std::function<Answer()>& find) const {
    {
        const std::shared_lock lock(mutex_);
        if (const auto at = known_.find(group); at != known_.end())
            return at->second;
    }
    const Answer found = find();
    const std::unique_lock lock(mutex_);
    return known_.emplace(group, found).first->second;
}

std::optional<Comparable> comparable(const Residuals& residuals, const ResidualGroupKey& group,
                                     const LeftOut& out) {
    if (out.source.empty() && out.model.empty())
        return residuals.memo.of(group, [&] { return compared(residuals, group, out); });
    return compared(residuals, group, out);
}

}  // namespace traincost
