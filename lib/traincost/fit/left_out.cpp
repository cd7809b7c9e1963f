#include "traincost/fit/left_out.hpp"

#include <cmath>
#include <map>
#include <utility>

namespace traincost {

namespace {

void count(const ValidationRow& row, LeftOutCoverage& coverage) {
    const bool time = row.metric == Metric::step_time || row.metric == Metric::tflops;
    if (!row.interval_80_new_source || (!time && row.metric != Metric::memory))
        return;
    const Interval& i = *row.interval_80_new_source;
    const bool held = i.low <= row.measured && row.measured <= i.high;
    (time ? coverage.times : coverage.memories) += 1;
    (time ? coverage.times_held : coverage.memories_held) += held ? 1 : 0;
}

double mean_share(std::span<const LeftOutCoverage> rows, std::int64_t LeftOutCoverage::*n,
                  std::int64_t LeftOutCoverage::*held) {
    double sum = 0.0;
    double sources = 0.0;
    for (const LeftOutCoverage& row : rows) {
        if (row.*n == 0)
            continue;
        sum += static_cast<double>(row.*held) / static_cast<double>(row.*n);
        sources += 1.0;
    }
    return sources > 0.0 ? sum / sources : 0.0;
}

}  // namespace

Residuals residuals_without(const Residuals& all, const std::string& stack, const std::string& accelerators) {
    std::vector<ResidualCluster> kept;
    for (const ResidualCluster& cluster : all.clusters) {
        const bool out = (!stack.empty() && cluster.group.stack == stack) ||
                         (!accelerators.empty() && cluster.group.accelerator_class == accelerators);
        if (!out)
            kept.push_back(cluster);
    }
    return indexed(std::move(kept));
}

std::vector<LeftOutCoverage> coverage_left_out(std::span<const SourcedRecord> records, const JobOf& job_of,
                                               const Residuals& residuals, LeftOutKinds kinds) {
    std::map<std::pair<std::string, std::string>, std::vector<SourcedRecord>> alike;
    for (const SourcedRecord& record : records) {
        const RecordJob made = job_of(record.record);
        if (!made.job)
            continue;
        const ResidualGroupKey key = residual_group(ResidualKind::step_time, *made.job);
        alike[{kinds.stack ? key.stack : "", kinds.accelerator ? key.accelerator_class : ""}].push_back(
            record);
    }
    std::map<std::string, LeftOutCoverage> by_source;
    for (const auto& [key, group] : alike) {
        const Residuals others = residuals_without(residuals, key.first, key.second);
        for (const ValidationRow& row : validate(group, job_of, others).rows) {
            LeftOutCoverage& coverage = by_source[group[row.record].source];
            coverage.source = group[row.record].source;
            count(row, coverage);
        }
    }
    std::vector<LeftOutCoverage> rows;
    for (auto& [name, coverage] : by_source)
        rows.push_back(std::move(coverage));
    return rows;
}

std::vector<LeftOutMedians> medians_left_out(std::span<const LeftOutError> errors) {
    struct Errors {
        std::vector<double> time_before, time_after, memory_before, memory_after;
        bool refitted = false;
    };
    std::map<std::string, Errors> by_source;
    for (const LeftOutError& error : errors) {
        Errors& of = by_source[error.source];
        const bool time = error.to == Fitted::time;
        (time ? of.time_before : of.memory_before).push_back(std::expm1(error.as_it_stands));
        (time ? of.time_after : of.memory_after).push_back(std::expm1(error.left_out));
        of.refitted = of.refitted || error.refitted;
    }
    const auto median = [](const std::vector<double>& of) { return error_statistics(of).median_ape; };
    std::vector<LeftOutMedians> rows;
    for (const auto& [source, of] : by_source)
        rows.push_back({source, static_cast<std::int64_t>(of.time_before.size()), median(of.time_before),
                        median(of.time_after), static_cast<std::int64_t>(of.memory_before.size()),
                        median(of.memory_before), median(of.memory_after), of.refitted});
    return rows;
}

LeftOutMedians mean_over_sources(std::span<const LeftOutMedians> rows) {
    LeftOutMedians mean;
    double time_sources = 0.0;
    double memory_sources = 0.0;
    for (const LeftOutMedians& row : rows) {
        time_sources += row.times > 0 ? 1.0 : 0.0;
        memory_sources += row.memories > 0 ? 1.0 : 0.0;
    }
    for (const LeftOutMedians& row : rows) {
        mean.times += row.times;
        mean.memories += row.memories;
        mean.refitted = mean.refitted || row.refitted;
        if (row.times > 0) {
            mean.time_as_it_stands += row.time_as_it_stands / time_sources;
            mean.time_left_out += row.time_left_out / time_sources;
        }
        if (row.memories > 0) {
            mean.memory_as_it_stands += row.memory_as_it_stands / memory_sources;
            mean.memory_left_out += row.memory_left_out / memory_sources;
        }
    }
    return mean;
}

double mean_time_coverage(std::span<const LeftOutCoverage> rows) {
    return mean_share(rows, &LeftOutCoverage::times, &LeftOutCoverage::times_held);
}

double mean_memory_coverage(std::span<const LeftOutCoverage> rows) {
    return mean_share(rows, &LeftOutCoverage::memories, &LeftOutCoverage::memories_held);
}

}  // namespace traincost
