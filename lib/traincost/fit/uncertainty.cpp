#include "traincost/fit/uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "traincost/fit/statistics.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, residual_kind_count> kind_names = {"step_time", "memory"};

// Probability of the i-th stored point.
double point_probability(int i) {
    return static_cast<double>(i + 1) / static_cast<double>(ResidualQuantiles::points + 1);
}

// Type 6: the k-th of n ascending values is the k/(n+1) quantile.
double plotting_quantile(const std::vector<double>& ascending, double p) {
    const double n = static_cast<double>(ascending.size());
    const double rank = std::clamp(p * (n + 1.0) - 1.0, 0.0, n - 1.0);
    const auto below = static_cast<std::size_t>(rank);
    const std::size_t above = std::min(below + 1, ascending.size() - 1);
    return ascending[below] + (rank - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

ResidualQuantiles quantiles_of(std::vector<double> values) {
    ResidualQuantiles q;
    q.n = static_cast<std::int64_t>(values.size());
    if (values.empty())
        return q;
    std::sort(values.begin(), values.end());
    q.low = plotting_quantile(values, 0.1);
    q.high = plotting_quantile(values, 0.9);
    for (int i = 0; i < ResidualQuantiles::points; ++i)
        q.at[static_cast<std::size_t>(i)] = plotting_quantile(values, point_probability(i));
    return q;
}

ResidualEntry entry_of(ResidualKind kind, std::string stack, std::string accelerator_class,
                       const std::vector<const Residual*>& group) {
    std::vector<double> all;
    std::array<std::vector<double>, residual_folds> without;
    for (const Residual* residual : group) {
        all.push_back(residual->log_error);
        const int fold = fold_of(residual->id, residual_folds);
        for (int other = 0; other < residual_folds; ++other) {
            if (other != fold)
                without[static_cast<std::size_t>(other)].push_back(residual->log_error);
        }
    }
    ResidualEntry entry{
        kind, std::move(stack), std::move(accelerator_class), quantiles_of(std::move(all)), {}};
    for (std::size_t fold = 0; fold < without.size(); ++fold)
        entry.without[fold] = quantiles_of(std::move(without[fold]));
    return entry;
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

Residuals residuals_from(std::span<const Residual> residuals) {
    using Key = std::tuple<ResidualKind, std::string, std::string>;
    std::map<Key, std::vector<const Residual*>> groups;
    for (const Residual& residual : residuals) {
        groups[{residual.kind, residual.stack, residual.accelerator_class}].push_back(&residual);
        groups[{residual.kind, residual.stack, ""}].push_back(&residual);
        groups[{residual.kind, "", residual.accelerator_class}].push_back(&residual);
        groups[{residual.kind, "", ""}].push_back(&residual);
    }
    Residuals table;
    for (const auto& [key, group] : groups) {
        const auto& [kind, stack, accelerator] = key;
        const bool everything = stack.empty() && accelerator.empty();
        if (everything || static_cast<std::int64_t>(group.size()) >= comparable_records)
            table.entries.push_back(entry_of(kind, stack, accelerator, group));
    }
    return table;
}

std::optional<Comparable> comparable(const Residuals& residuals, ResidualKind kind, std::string_view stack,
                                     std::string_view accelerator_class, int fold) {
    const std::array<std::pair<std::string_view, std::string_view>, 4> widening = {
        {{stack, accelerator_class}, {stack, ""}, {"", accelerator_class}, {"", ""}}};
    for (const auto& [wanted_stack, wanted_class] : widening) {
        for (const ResidualEntry& entry : residuals.entries) {
            if (entry.kind != kind || entry.stack != wanted_stack || entry.accelerator_class != wanted_class)
                continue;
            const ResidualQuantiles& q = fold < 0 ? entry.all : entry.without[static_cast<std::size_t>(fold)];
            if (q.n == 0)
                continue;
            std::string words = std::to_string(q.n) + " runs";
            if (!entry.stack.empty())
                words += " of " + entry.stack;
            if (!entry.accelerator_class.empty())
                words += " on " + entry.accelerator_class;
            return Comparable{&q, std::move(words)};
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

}  // namespace traincost
