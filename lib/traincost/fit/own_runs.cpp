#include "traincost/fit/own_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "traincost/fit/statistics.hpp"

namespace traincost {

namespace {

constexpr std::int64_t least_runs = 12;
constexpr std::array<std::int64_t, 4> own_run_counts = {0, 1, 3, 10};
const double most_log_error = std::log(2.0);

double mean_of(std::span<const double> values) {
    double sum = 0.0;
    for (const double x : values)
        sum += std::clamp(x, -most_log_error, most_log_error);
    return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values) {
    const double mean = mean_of(values);
    double sum = 0.0;
    for (const double x : values) {
        const double d = std::clamp(x, -most_log_error, most_log_error) - mean;
        sum += d * d;
    }
    return values.size() > 1 ? sum / static_cast<double>(values.size() - 1) : 0.0;
}

/// Whether the i-th of `size` runs is among `n` at even distances.
bool is_own(std::size_t i, std::size_t size, std::int64_t n) {
    const auto own = static_cast<std::size_t>(n);
    return (i + 1) * own / size > i * own / size;
}

struct Sums {
    double error = 0.0, held = 0.0, width = 0.0;
};

Sums of_source(const std::vector<double>& errors, const SourceSpread& spread, std::int64_t n) {
    std::vector<double> own;
    std::vector<double> next;
    for (std::size_t i = 0; i < errors.size(); ++i)
        (is_own(i, errors.size(), n) ? own : next).push_back(errors[i]);
    const NextError expected = next_error(spread, own);
    constexpr double tenth = 1.2816;  // of a normal distribution above
    std::vector<double> relative;
    double held = 0.0;
    for (const double x : next) {
        relative.push_back(std::expm1(expected.mean - x));
        held += std::abs(x - expected.mean) <= tenth * expected.deviation ? 1.0 : 0.0;
    }
    return {error_statistics(relative).median_ape, held / static_cast<double>(next.size()),
            std::exp(2.0 * tenth * expected.deviation)};
}

}  // namespace

SourceSpread source_spread(std::span<const std::vector<double>> sources) {
    SourceSpread spread{};
    std::vector<double> means;
    double within = 0.0;
    double of_means = 0.0;  // mean variance that a mean of n runs has by itself
    double several = 0.0;
    for (const std::vector<double>& errors : sources) {
        if (errors.empty())
            continue;
        means.push_back(mean_of(errors));
        if (errors.size() < 2)
            continue;
        within += variance_of(errors);
        of_means += variance_of(errors) / static_cast<double>(errors.size());
        several += 1.0;
    }
    spread.mean = mean_of(means);
    if (several > 0.0) {
        spread.within = within / several;
        spread.between = std::max(0.0, variance_of(means) - of_means / several);
    }
    return spread;
}

NextError next_error(const SourceSpread& spread, std::span<const double> own) {
    const double n = static_cast<double>(own.size());
    const double both = spread.within + n * spread.between;
    if (both <= 0.0)
        return {spread.mean, std::sqrt(spread.within + spread.between)};
    return {(spread.mean * spread.within + n * spread.between * mean_of(own)) / both,
            std::sqrt(spread.within + spread.within * spread.between / both)};
}

std::vector<OwnRunsRow> own_runs_rows(const Validation& validation, std::span<const SourcedRecord> records,
                                      Metric metric) {
    std::map<std::string, std::vector<double>> by_source;
    for (const ValidationRow& row : validation.rows) {
        if (row.metric == metric && row.measured > 0.0 && row.predicted > 0.0)
            by_source[records[row.record].source].push_back(std::log(row.measured / row.predicted));
    }
    std::vector<OwnRunsRow> rows;
    for (const std::int64_t n : own_run_counts) {
        OwnRunsRow mean{n, 0, 0.0, 0.0, 0.0};
        for (const auto& [name, errors] : by_source) {
            if (static_cast<std::int64_t>(errors.size()) < least_runs)
                continue;
            std::vector<std::vector<double>> others;
            for (const auto& [other, values] : by_source) {
                if (other != name)
                    others.push_back(values);
            }
            if (others.empty())
                continue;
            const Sums sums = of_source(errors, source_spread(others), n);
            ++mean.sources;
            mean.median_error += sums.error;
            mean.held += sums.held;
            mean.width += sums.width;
        }
        if (mean.sources == 0)
            continue;
        const auto sources = static_cast<double>(mean.sources);
        mean.median_error /= sources;
        mean.held /= sources;
        mean.width /= sources;
        rows.push_back(mean);
    }
    return rows;
}

}  // namespace traincost
