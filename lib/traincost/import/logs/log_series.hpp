// Values of many iterations in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "traincost/import/logs/training_log.hpp"

namespace traincost {

/// One printed value.
struct LogSample {
    double value = 0;
    std::int64_t iteration = 0;
    std::int64_t line = 0;
    bool first = false;   ///< of a start: warm-up
    bool beside = false;  ///< next to an evaluation or a checkpoint
};

/// Printed values in order. Beyond 65,536 every second one is kept, then every fourth, and so on.
class LogSeries {
public:
    void add(const LogSample& sample) {
        const bool kept = (count_ & (stride_ - 1)) == 0;
        ++count_;
        if (kept || sample.first) {
            keep(sample);
        }
    }

    bool empty() const {
        return samples_.empty();
    }
    /// Counts the first sample as no warm-up, unless it is 1.5 times away from the others.
    void begin_midway();
    /// The median without warm-up and without what stands next to evaluations; of all where nothing else is
    /// left.
    std::optional<double> median() const;
    /// Whether half of the values are close to each other, of three at least.
    bool is_steady() const;
    /// The spread around `median`, without warm-up.
    StepSpread spread(double median) const;
    /// The first sample of a start that took more than twice the median, if one did.
    std::optional<LogSample> warm_up(double median) const;

private:
    void keep(const LogSample& sample);
    std::vector<double> ordinary() const;

    std::vector<LogSample> samples_;
    std::size_t stride_ = 1;  ///< a power of two
    std::size_t count_ = 0;
};

/// Which numbers were seen: a bit each below 2^26, and beyond that a bounded set.
class IterationSet {
public:
    /// Whether `n` is new; it is in the set afterwards.
    bool insert(std::int64_t n);
    bool contains(std::int64_t n) const;
    std::int64_t size() const {
        return size_;
    }

private:
    std::vector<std::uint64_t> bits_;
    std::set<std::int64_t> large_;
    std::int64_t largest_ = -1;
    std::int64_t size_ = 0;
};

}  // namespace traincost
