#include "traincost/fit/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace traincost {

double mean(std::span<const double> values) {
    if (values.empty())
        return 0.0;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(std::span<const double> ascending, double p) {
    if (ascending.empty())
        return 0.0;
    const double position = p * static_cast<double>(ascending.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, ascending.size() - 1);
    const double fraction = position - static_cast<double>(below);
    return ascending[below] + fraction * (ascending[above] - ascending[below]);
}

ErrorStatistics error_statistics(std::span<const double> errors) {
    ErrorStatistics s{};
    s.n = static_cast<std::int64_t>(errors.size());
    if (errors.empty())
        return s;
    std::vector<double> absolute(errors.size());
    std::transform(errors.begin(), errors.end(), absolute.begin(), [](double e) { return std::abs(e); });
    std::sort(absolute.begin(), absolute.end());
    s.mape = mean(absolute);
    s.median_ape = quantile(absolute, 0.5);
    s.p90_ape = quantile(absolute, 0.9);
    s.worst_ape = absolute.back();
    s.bias = mean(errors);
    const auto within = std::upper_bound(absolute.begin(), absolute.end(), 0.1) - absolute.begin();
    s.within_10pct = static_cast<double>(within) / static_cast<double>(errors.size());
    return s;
}

int fold_of(std::string_view identifier, int folds) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : identifier) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3ULL;
    }
    return static_cast<int>(hash % static_cast<std::uint64_t>(folds));
}

}  // namespace traincost
