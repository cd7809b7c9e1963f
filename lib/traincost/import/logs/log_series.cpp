#include "traincost/import/logs/log_series.hpp"

#include <algorithm>

namespace traincost {

namespace {

constexpr std::size_t most_samples = std::size_t{1} << 16;
constexpr std::int64_t small_numbers = std::int64_t{1} << 26;
constexpr std::size_t most_large_numbers = 100'000;
constexpr double slow_factor = 1.5;     // a step slower than this many medians is slow
constexpr double warm_up_factor = 2.0;  // a first step slower than this many medians is named

double median_of(std::vector<double>& values) {
    const std::size_t half = values.size() / 2;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) {
        return *middle;
    }
    return (*std::max_element(values.begin(), middle) + *middle) / 2.0;
}

}  // namespace

void LogSeries::keep(const LogSample& sample) {
    if (samples_.size() == most_samples) {
        std::size_t to = 0;
        for (std::size_t from = 0; from < samples_.size(); ++from) {
            if (from % 2 == 0 || samples_[from].first) {
                samples_[to++] = samples_[from];
            }
        }
        samples_.resize(std::min(to, most_samples / 2 + most_samples / 4));
        stride_ *= 2;
    }
    samples_.push_back(sample);
}

void LogSeries::begin_midway() {
    if (samples_.size() < 2 || !samples_.front().first) {
        return;
    }
    const double ratio = samples_.front().value / *median();
    samples_.front().first = ratio > slow_factor || ratio < 1.0 / slow_factor;
}

std::vector<double> LogSeries::ordinary() const {
    std::vector<double> values;
    const auto take = [&](auto&& wanted) {
        values.clear();
        for (const LogSample& sample : samples_) {
            if (wanted(sample)) {
                values.push_back(sample.value);
            }
        }
        return !values.empty();
    };
    if (take([](const LogSample& s) { return !s.first && !s.beside; }) ||
        take([](const LogSample& s) { return !s.first; }) || take([](const LogSample&) { return true; })) {
        return values;
    }
    return {};
}

std::optional<double> LogSeries::median() const {
    std::vector<double> values = ordinary();
    if (values.empty()) {
        return std::nullopt;
    }
    return median_of(values);
}

bool LogSeries::is_steady() const {
    constexpr double close = 1.5;
    std::vector<double> values = ordinary();
    if (samples_.size() < 3 || values.empty()) {
        return false;
    }
    std::sort(values.begin(), values.end());
    const std::size_t last = values.size() - 1;
    return values[3 * last / 4] <= close * values[last / 4];
}

StepSpread LogSeries::spread(double median) const {
    StepSpread spread;
    std::vector<double> values;
    double total = 0;
    double lost = 0;
    for (const LogSample& sample : samples_) {
        if (sample.first && samples_.size() > 1) {
            continue;
        }
        values.push_back(sample.value);
        total += sample.value;
        const bool slow = sample.value > slow_factor * median;
        spread.slow += slow ? 1 : 0;
        lost += slow ? sample.value - median : 0.0;
        if (values.size() == 1 || sample.value > spread.slowest.value()) {
            spread.slowest = Seconds{sample.value};
            spread.slowest_iteration = sample.iteration;
            spread.slowest_line = sample.line;
        }
    }
    if (values.empty()) {
        return spread;
    }
    spread.steps = static_cast<std::int64_t>(values.size());
    spread.slow_share = total > 0 ? lost / total : 0.0;
    std::sort(values.begin(), values.end());
    spread.fastest = Seconds{values.front()};
    spread.p90 = Seconds{values[(values.size() * 9 + 9) / 10 - 1]};
    return spread;
}

std::optional<LogSample> LogSeries::warm_up(double median) const {
    const auto found = std::find_if(samples_.begin(), samples_.end(), [&](const LogSample& s) {
        return s.first && s.value > warm_up_factor * median;
    });
    return found == samples_.end() ? std::nullopt : std::optional(*found);
}

bool IterationSet::contains(std::int64_t n) const {
    if (n < small_numbers) {
        const auto word = static_cast<std::size_t>(n / 64);
        return word < bits_.size() && (bits_[word] >> (n % 64) & 1U) != 0;
    }
    return large_.contains(n);
}

bool IterationSet::insert(std::int64_t n) {
    if (n < 0 || contains(n)) {
        return false;
    }
    if (n < small_numbers) {
        const auto word = static_cast<std::size_t>(n / 64);
        if (word >= bits_.size()) {
            bits_.resize(std::max(word + 1, bits_.size() * 2));
        }
        bits_[word] |= std::uint64_t{1} << (n % 64);
    } else if (large_.size() < most_large_numbers) {
        large_.insert(n);
    } else if (n <= largest_) {
        return false;
    }
    largest_ = std::max(largest_, n);
    ++size_;
    return true;
}

}  // namespace traincost
