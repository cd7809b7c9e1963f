// How often intervals hold that come from unlike runs alone: what an unfamiliar job may expect.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traincost/fit/calibrate.hpp"
#include "traincost/fit/validate.hpp"

namespace traincost {

/// What besides a run's source has no say in its interval.
struct LeftOutKinds {
    bool stack = false;        ///< all runs of its stack
    bool accelerator = false;  ///< all runs on its class of accelerators
};

/// Runs of one source and how many of them lie inside their 80 % interval.
struct LeftOutCoverage {
    std::string source;
    std::int64_t times = 0;  ///< step times and rates
    std::int64_t times_held = 0;
    std::int64_t memories = 0;  ///< in the record's own kind
    std::int64_t memories_held = 0;
};

/// The residuals without those of a stack and of a class of accelerators; empty names leave nothing out.
Residuals residuals_without(const Residuals& all, const std::string& stack, const std::string& accelerators);

/// By source, in their order. Every interval leaves the run's own source out, and `kinds`.
std::vector<LeftOutCoverage> coverage_left_out(std::span<const SourcedRecord> records, const JobOf& job_of,
                                               const Residuals& residuals, LeftOutKinds kinds);

/// Median absolute relative errors of one source; 0 where it has none of the kind.
struct LeftOutMedians {
    std::string source;
    std::int64_t times = 0;  ///< step times and rates
    double time_as_it_stands = 0.0;
    double time_left_out = 0.0;  ///< with stack constants fitted to other sources
    std::int64_t memories = 0;   ///< in every view the records state
    double memory_as_it_stands = 0.0;
    double memory_left_out = 0.0;
    bool refitted = false;  ///< some of it; else no other source has runs of its stacks
};

/// By source, in their order.
std::vector<LeftOutMedians> medians_left_out(std::span<const LeftOutError> errors);

/// Mean over the sources that have any; 0 where none has.
LeftOutMedians mean_over_sources(std::span<const LeftOutMedians> rows);

/// Mean over sources of the share held; 0 where no source has any.
double mean_time_coverage(std::span<const LeftOutCoverage> rows);
double mean_memory_coverage(std::span<const LeftOutCoverage> rows);

}  // namespace traincost
