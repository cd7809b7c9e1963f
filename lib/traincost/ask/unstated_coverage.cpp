#include "traincost/ask/unstated_coverage.hpp"

#include <map>
#include <optional>
#include <string>

#include "traincost/ask/unstated.hpp"
#include "traincost/base/parallel.hpp"

namespace traincost {

namespace {

/// The job of somebody who says what a run is and not how its launcher is set.
Job forgotten(Job job, const Sources& sources) {
    RunSpec& run = job.run;
    run.recompute = Recompute::none;
    for (const auto& [task, kind] : sources.launch_rules_of(job.stack.id).recompute) {
        if (task == run.tuning)
            run.recompute = kind;
    }
    run.attention.reset();
    run.compile.reset();
    run.host_speed.reset();
    return job;
}

/// The words that go with it: precision and lengths of samples are said.
JobDraft words_of_forgotten(const Job& job) {
    JobDraft draft;
    draft.precision = Stated<std::string>{job.run.precision_name, "record"};
    draft.packed_length = Stated<std::int64_t>{job.run.sequence, "record"};
    return draft;
}

struct Held {
    bool counted = false;
    bool time = false;
    bool held = false;
};

std::optional<Interval> spread_interval(const Residuals& others, const ValidationRow& row,
                                        const RunRecord& record, const std::string& source, const Job& job,
                                        const Estimate& taken, std::span<const SettingOdds> odds) {
    const bool time = row.metric != Metric::memory;
    const ResidualKind kind = time                                         ? ResidualKind::step_time
                              : record.measured.memory_kind == "allocated" ? ResidualKind::allocated
                              : record.measured.memory_kind == "reserved"  ? ResidualKind::reserved
                                                                           : ResidualKind::device;
    const auto group = comparable(others, residual_group(kind, job), {source, {}});
    if (!group)
        return std::nullopt;
    const ResidualQuantiles wide =
        spread(group->quantiles, odds, time ? &OtherOdds::log_time : &OtherOdds::log_memory);
    const Interval interval =
        interval_80(wide, row.predicted, residual_scale(kind, exposed_communication(taken.step)));
    if (row.metric != Metric::tflops)
        return interval;
    return Interval{row.predicted * row.predicted / interval.high,
                    row.predicted * row.predicted / interval.low};
}

std::vector<Held> held_of(const SourcedRecord& sourced, const JobOf& job_of, const Sources& sources,
                          const std::map<std::string, Residuals>& without) {
    std::vector<Held> all;
    const RecordJob made = job_of(sourced.record);
    if (!made.job)
        return all;
    const Job job = forgotten(*made.job, sources);
    if (!validate(job).empty())
        return all;
    const Estimate taken = estimate(job);
    const auto odds = odds_of(unstated_range(words_of_forgotten(job), job, taken), taken);
    for (const ValidationRow& row : compare(sourced.record, job)) {
        const bool time = row.metric == Metric::step_time || row.metric == Metric::tflops;
        if (!time && row.metric != Metric::memory)
            continue;
        const auto interval =
            spread_interval(without.at(job.stack.id), row, sourced.record, sourced.source, job, taken, odds);
        if (interval)
            all.push_back({true, time, interval->low <= row.measured && row.measured <= interval->high});
    }
    return all;
}

}  // namespace

std::vector<LeftOutCoverage> coverage_unstated(std::span<const SourcedRecord> records, const JobOf& job_of,
                                               const Sources& sources) {
    std::map<std::string, Residuals> without;
    for (const SourcedRecord& record : records) {
        const RecordJob made = job_of(record.record);
        if (made.job && !without.contains(made.job->stack.id))
            without.emplace(made.job->stack.id,
                            residuals_without(sources.residuals(), made.job->stack.id, ""));
    }
    std::vector<std::vector<Held>> held(records.size());
    parallel_for(records.size(),
                 [&](std::size_t i) { held[i] = held_of(records[i], job_of, sources, without); });
    std::map<std::string, LeftOutCoverage> by_source;
    for (std::size_t i = 0; i < records.size(); ++i) {
        for (const Held& one : held[i]) {
            LeftOutCoverage& coverage = by_source[records[i].source];
            coverage.source = records[i].source;
            (one.time ? coverage.times : coverage.memories) += 1;
            (one.time ? coverage.times_held : coverage.memories_held) += one.held ? 1 : 0;
        }
    }
    std::vector<LeftOutCoverage> rows;
    for (auto& [name, coverage] : by_source)
        rows.push_back(std::move(coverage));
    return rows;
}

}  // namespace traincost
