#include "traincost/fit/setting_odds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace traincost {

namespace {

struct WeightedPoint {
    double value;
    double weight;
};

/// Every sum of one point and one factor of each setting.
std::vector<WeightedPoint> combinations(const ResidualQuantiles& quantiles,
                                        std::span<const SettingOdds> settings, double OtherOdds::*of) {
    std::vector<WeightedPoint> points;
    for (const double at : quantiles.at)
        points.push_back({at, 1.0});
    for (const SettingOdds& setting : settings) {
        std::vector<WeightedPoint> next;
        for (const WeightedPoint& point : points) {
            double taken = 1.0;
            for (const OtherOdds& other : setting) {
                next.push_back({point.value + other.*of, point.weight * other.probability});
                taken -= other.probability;
            }
            next.push_back({point.value, point.weight * std::max(0.0, taken)});
        }
        points = std::move(next);
    }
    std::sort(points.begin(), points.end(),
              [](const WeightedPoint& a, const WeightedPoint& b) { return a.value < b.value; });
    // Points at one place are one: which of them comes first must not matter.
    constexpr double one_place = 1e-9;
    std::size_t kept = 0;
    for (std::size_t n = 1; n < points.size(); ++n) {
        if (points[n].value - points[kept].value <= one_place)
            points[kept].weight += points[n].weight;
        else
            points[++kept] = points[n];
    }
    points.resize(std::min(points.size(), kept + 1));
    return points;
}

/// Values below which `probability` of the weight lies, half of a point's own included; linear between
/// points.
double weighted_quantile(const std::vector<WeightedPoint>& points, double probability) {
    double total = 0.0;
    for (const WeightedPoint& point : points)
        total += point.weight;
    double below = 0.0;
    const WeightedPoint* last = nullptr;
    double last_middle = 0.0;
    for (const WeightedPoint& point : points) {
        const double middle = below + 0.5 * point.weight;
        if (middle >= probability * total) {
            if (last == nullptr || middle <= last_middle)
                return point.value;
            const double part = (probability * total - last_middle) / (middle - last_middle);
            return last->value + part * (point.value - last->value);
        }
        below += point.weight;
        last = &point;
        last_middle = middle;
    }
    return points.empty() ? 0.0 : points.back().value;
}

/// The estimate of a run whose fullest rank needs `factor` times the memory on its device: activations and
/// what belongs to them differ, context and gaps that are given back do not.
Estimate with_memory(const Estimate& estimate, double factor) {
    Estimate other = estimate;
    StageMemory& stage = other.stages[static_cast<std::size_t>(other.peak_stage)];
    const Bytes more = stage.device * (factor - 1.0);
    for (Bytes StageMemory::*view : {&StageMemory::allocated, &StageMemory::reserved, &StageMemory::device})
        stage.*view = std::max(stage.*view + more, Bytes{1.0});
    return other;
}

/// The mean of the probabilities with each setting's values, by their odds; independently of each other.
double mean_probability(const Residuals& residuals, const Job& job, const Estimate& estimate,
                        std::span<const SettingOdds> settings) {
    std::vector<WeightedPoint> factors = {{0.0, 1.0}};
    for (const SettingOdds& setting : settings) {
        std::vector<WeightedPoint> next;
        for (const WeightedPoint& factor : factors) {
            double taken = 1.0;
            for (const OtherOdds& other : setting) {
                next.push_back({factor.value + other.log_memory, factor.weight * other.probability});
                taken -= other.probability;
            }
            next.push_back({factor.value, factor.weight * std::max(0.0, taken)});
        }
        factors = std::move(next);
    }
    double mean = 0.0;
    double total = 0.0;
    for (const WeightedPoint& factor : factors) {
        const auto p = probability_of_fitting(residuals, job, with_memory(estimate, std::exp(factor.value)));
        mean += factor.weight * p.value_or(0.0);
        total += factor.weight;
    }
    return total > 0.0 ? mean / total : 0.0;
}

}  // namespace

bool is_familiar(const Residuals& residuals, const Job& job) {
    for (int i = 0; i < residual_kind_count; ++i) {
        const auto group = comparable(residuals, residual_group(static_cast<ResidualKind>(i), job));
        if (group && group->own_runs > 0)
            return true;
    }
    return false;
}

ResidualQuantiles spread(const ResidualQuantiles& quantiles, std::span<const SettingOdds> settings,
                         double OtherOdds::*of) {
    const std::vector<WeightedPoint> before = combinations(quantiles, {}, of);
    const std::vector<WeightedPoint> after = combinations(quantiles, settings, of);
    // Moved by what the settings add, so that without any nothing moves.
    const auto moved = [&](double from, double probability) {
        return from + weighted_quantile(after, probability) - weighted_quantile(before, probability);
    };
    ResidualQuantiles result = quantiles;
    constexpr double tail = 0.1;
    result.low = moved(quantiles.low, tail);
    result.high = moved(quantiles.high, 1.0 - tail);
    for (std::size_t i = 0; i < result.at.size(); ++i) {
        const double probability = static_cast<double>(i + 1) / static_cast<double>(result.at.size() + 1);
        result.at[i] = moved(quantiles.at[i], probability);
    }
    return result;
}

Uncertainty with_unstated(Uncertainty stated, const Residuals& residuals, const Job& job,
                          const Estimate& estimate, std::span<const SettingOdds> settings) {
    if (settings.empty() || is_familiar(residuals, job))
        return stated;
    const StageMemory& stage = estimate.stages[static_cast<std::size_t>(estimate.peak_stage)];
    const double communication = exposed_communication(estimate.step);
    const auto interval_of = [&](ResidualKind kind, double predicted, std::optional<Interval>& interval) {
        const std::optional<Comparable> group = comparable(residuals, residual_group(kind, job));
        if (!group)
            return;
        const bool time = kind == ResidualKind::step_time;
        const ResidualQuantiles wide =
            spread(group->quantiles, settings, time ? &OtherOdds::log_time : &OtherOdds::log_memory);
        // What waits for communication scales the residuals, not the settings.
        const double scale = residual_scale(kind, communication);
        ResidualQuantiles scaled = wide;
        scaled.low += (scale - 1.0) * group->quantiles.low;
        scaled.high += (scale - 1.0) * group->quantiles.high;
        interval = interval_80(scaled, predicted);
    };
    interval_of(ResidualKind::step_time, estimate.step.total.value(), stated.step_time_s);
    interval_of(ResidualKind::allocated, stage.allocated.value(), stated.allocated_bytes);
    interval_of(ResidualKind::reserved, stage.reserved.value(), stated.reserved_bytes);
    interval_of(ResidualKind::device, stage.device.value(), stated.device_bytes);
    if (stated.probability_of_fitting) {
        stated.probability_of_fitting = mean_probability(residuals, job, estimate, settings);
        stated.verdict = verdict_of(*stated.probability_of_fitting);
    }
    return stated;
}

}  // namespace traincost
