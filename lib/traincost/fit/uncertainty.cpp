#include "traincost/fit/uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "traincost/fit/statistics.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, residual_kind_count> kind_names = {"step_time", "allocated",
                                                                          "reserved", "device"};
constexpr std::array<std::string_view, 3> extent_names = {"any", "node", "fabric"};

// Probability of the i-th stored point.
double point_probability(int i) {
    return static_cast<double>(i + 1) / static_cast<double>(ResidualQuantiles::points + 1);
}

struct Weighted {
    double value;
    double weight;
};

// Type 6 with weights: the k-th of n values of equal weight is the k/(n+1) quantile.
double plotting_quantile(const std::vector<Weighted>& ascending, double total, double p) {
    const double target = p * (total + total / static_cast<double>(ascending.size()));
    double below = 0.0;  // weight up to and including the last value passed
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        const double here = below + ascending[i].weight;
        if (here >= target) {
            if (i == 0)
                return ascending[0].value;
            const double fraction = (target - below) / ascending[i].weight;
            return ascending[i - 1].value + fraction * (ascending[i].value - ascending[i - 1].value);
        }
        below = here;
    }
    return ascending.back().value;
}

ResidualQuantiles quantiles_of(std::vector<Weighted> values) {
    ResidualQuantiles q;
    q.n = static_cast<std::int64_t>(values.size());
    if (values.empty())
        return q;
    std::sort(values.begin(), values.end(),
              [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
    double total = 0.0;
    for (const Weighted& value : values)
        total += value.weight;
    q.low = plotting_quantile(values, total, 0.1);
    q.high = plotting_quantile(values, total, 0.9);
    for (int i = 0; i < ResidualQuantiles::points; ++i)
        q.at[static_cast<std::size_t>(i)] = plotting_quantile(values, total, point_probability(i));
    return q;
}

ResidualEntry entry_of(const ResidualGroupKey& key, const std::vector<const Residual*>& group) {
    std::map<std::string_view, double> stacks;
    for (const Residual* residual : group)
        stacks[residual->group.stack] += 1.0;
    std::vector<Weighted> all;
    std::array<std::vector<Weighted>, residual_folds> without;
    for (const Residual* residual : group) {
        const Weighted value{residual->log_error, 1.0 / stacks[residual->group.stack]};
        all.push_back(value);
        const int fold = fold_of(residual->id, residual_folds);
        for (int other = 0; other < residual_folds; ++other) {
            if (other != fold)
                without[static_cast<std::size_t>(other)].push_back(value);
        }
    }
    ResidualEntry entry{key, quantiles_of(std::move(all)), {}};
    for (std::size_t fold = 0; fold < without.size(); ++fold)
        entry.without[fold] = quantiles_of(std::move(without[fold]));
    return entry;
}

// A run's groups, narrowest first.
std::vector<ResidualGroupKey> widening(const ResidualGroupKey& key) {
    return {key,
            {key.kind, key.stack, key.accelerator_class, Extent::any},
            {key.kind, key.stack, "", Extent::any},
            {key.kind, "", key.accelerator_class, Extent::any},
            {key.kind, "", "", Extent::any}};
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

std::string_view to_string(Extent extent) {
    return extent_names[static_cast<std::size_t>(extent)];
}

std::optional<Extent> extent_from(std::string_view name) {
    const auto found = std::find(extent_names.begin(), extent_names.end(), name);
    if (found == extent_names.end())
        return std::nullopt;
    return static_cast<Extent>(found - extent_names.begin());
}

std::string accelerator_class(const AcceleratorSpec& accelerator) {
    return accelerator.architecture.substr(0, accelerator.architecture.find(' '));
}

ResidualGroupKey residual_group(ResidualKind kind, const Job& job) {
    return {kind, job.stack.id, accelerator_class(job.cluster.accelerator),
            nodes(job.cluster) > 1 ? Extent::fabric : Extent::node};
}

Residuals residuals_from(std::span<const Residual> residuals) {
    std::map<ResidualGroupKey, std::vector<const Residual*>> groups;
    for (const Residual& residual : residuals) {
        for (const ResidualGroupKey& key : widening(residual.group))
            groups[key].push_back(&residual);
    }
    Residuals table;
    for (const auto& [key, group] : groups) {
        const bool everything = key.stack.empty() && key.accelerator_class.empty();
        if (everything || static_cast<std::int64_t>(group.size()) >= comparable_records)
            table.entries.push_back(entry_of(key, group));
    }
    return table;
}

std::optional<Comparable> comparable(const Residuals& residuals, const ResidualGroupKey& group, int fold) {
    for (const ResidualGroupKey& wanted : widening(group)) {
        for (const ResidualEntry& entry : residuals.entries) {
            if (entry.group != wanted)
                continue;
            const ResidualQuantiles& q = fold < 0 ? entry.all : entry.without[static_cast<std::size_t>(fold)];
            if (q.n == 0)
                continue;
            std::string words = std::to_string(q.n) + " runs";
            if (!wanted.stack.empty())
                words += " of " + wanted.stack;
            if (!wanted.accelerator_class.empty())
                words += " on " + wanted.accelerator_class;
            if (wanted.extent != Extent::any)
                words += wanted.extent == Extent::node ? ", one node" : ", several nodes";
            return Comparable{&q, std::move(words), !wanted.stack.empty()};
        }
    }
    return std::nullopt;
}

Interval interval_80(const ResidualQuantiles& quantiles, double predicted) {
    return {predicted * std::exp(quantiles.low), predicted * std::exp(quantiles.high)};
}

double probability_below(const ResidualQuantiles& quantiles, double predicted, double limit) {
    const double x = std::log(limit / predicted);
    const auto& at = quantiles.at;
    const auto above = std::upper_bound(at.begin(), at.end(), x) - at.begin();
    const int last = ResidualQuantiles::points - 1;
    // Beyond the outer quantiles the remaining probability decays over the width of the outer quarter.
    constexpr double least_width = 1e-3;
    if (above == 0) {
        const double width = std::max(at[5] - at[0], least_width);
        return point_probability(0) * std::exp((x - at[0]) / width);
    }
    if (above > last) {
        const double width = std::max(
            at[static_cast<std::size_t>(last)] - at[static_cast<std::size_t>(last - 5)], least_width);
        return 1.0 -
               (1.0 - point_probability(last)) * std::exp(-(x - at[static_cast<std::size_t>(last)]) / width);
    }
    const auto i = static_cast<std::size_t>(above);
    const double fraction = (x - at[i - 1]) / (at[i] - at[i - 1]);
    const double below = point_probability(static_cast<int>(i) - 1);
    return below + fraction * (point_probability(static_cast<int>(i)) - below);
}

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::fits:
            return "fits";
        case Verdict::risky:
            return "risky";
        case Verdict::out_of_memory:
            return "out of memory";
    }
    return {};
}

Verdict verdict_of(double probability_of_fitting) {
    constexpr double safe = 0.9;
    if (probability_of_fitting >= safe)
        return Verdict::fits;
    return probability_of_fitting < 1.0 - safe ? Verdict::out_of_memory : Verdict::risky;
}

namespace {

/// The residuals of memory that say most about a stack: its own before others', reserved before device before
/// allocated.
struct MemoryResiduals {
    Comparable group;
    Bytes StageMemory::*view;
};

std::optional<MemoryResiduals> memory_residuals(const Residuals& residuals, const Job& job, int fold) {
    constexpr std::array<std::pair<ResidualKind, Bytes StageMemory::*>, 3> views = {
        {{ResidualKind::reserved, &StageMemory::reserved},
         {ResidualKind::device, &StageMemory::device},
         {ResidualKind::allocated, &StageMemory::allocated}}};
    std::optional<MemoryResiduals> widest;
    for (const auto& [kind, view] : views) {
        auto group = comparable(residuals, residual_group(kind, job), fold);
        if (!group)
            continue;
        const bool own = group->same_stack;
        if (own || !widest)
            widest = MemoryResiduals{std::move(*group), view};
        if (own)
            break;
    }
    return widest;
}

const StageMemory& fullest(const Estimate& estimate) {
    return estimate.stages[static_cast<std::size_t>(estimate.peak_stage)];
}

}  // namespace

std::optional<double> probability_of_fitting(const Residuals& residuals, const Job& job,
                                             const Estimate& estimate, int fold) {
    const auto memory = memory_residuals(residuals, job, fold);
    if (!memory)
        return std::nullopt;
    const StageMemory& stage = fullest(estimate);
    const Bytes view = stage.*(memory->view);
    const Bytes outside = stage.device - view;
    if (outside >= estimate.capacity)
        return 0.0;
    return probability_below(*memory->group.quantiles, view.value(), (estimate.capacity - outside).value());
}

Uncertainty uncertainty(const Residuals& residuals, const Job& job, const Estimate& estimate) {
    Uncertainty u{};
    const StageMemory& stage = fullest(estimate);
    const auto of = [&](ResidualKind kind, double predicted, std::string* words) -> std::optional<Interval> {
        auto group = comparable(residuals, residual_group(kind, job));
        if (!group)
            return std::nullopt;
        if (words)
            *words = std::move(group->words);
        return interval_80(*group->quantiles, predicted);
    };
    u.step_time_s = of(ResidualKind::step_time, estimate.step.total.value(), &u.step_comparable);
    u.allocated_bytes = of(ResidualKind::allocated, stage.allocated.value(), nullptr);
    u.reserved_bytes = of(ResidualKind::reserved, stage.reserved.value(), nullptr);
    u.device_bytes = of(ResidualKind::device, stage.device.value(), nullptr);
    u.verdict = estimate.fits ? Verdict::fits : Verdict::out_of_memory;
    if (const auto memory = memory_residuals(residuals, job, -1)) {
        u.probability_of_fitting = probability_of_fitting(residuals, job, estimate);
        u.verdict = verdict_of(*u.probability_of_fitting);
        u.memory_comparable = memory->group.words;
    }
    return u;
}

}  // namespace traincost
