// Predictions held against measured runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/fit/records/record.hpp"
#include "traincost/fit/records/record_job.hpp"
#include "traincost/fit/statistics.hpp"
#include "traincost/fit/uncertainty.hpp"

namespace traincost {

/// What a record is compared in. `tflops` only where no step time is stated; `memory` in the record's own
/// kind; `fits` for every record that states memory or ran out of it.
enum class Metric : std::uint8_t { step_time, tflops, memory, memory_reserved, memory_device, fits };
inline constexpr int metric_count = 6;
std::string_view to_string(Metric metric);
std::span<const std::string_view> metric_names();

/// A record and the file it came from.
struct SourcedRecord {
    RunRecord record;
    std::string source;  ///< file name without folder and extension
};

/// One comparison. Seconds, FLOP/s or bytes; `fits` holds 1 (ran) and 0 (out of memory).
struct ValidationRow {
    std::size_t record;  ///< index into the records
    Metric metric;
    double measured;
    double predicted;
    double error;  ///< (predicted - measured) / measured; for `fits` 1 when the verdict is wrong
    /// From residuals that leave the record's siblings out: its source's runs of its model.
    std::optional<Interval> interval_80{};
    std::optional<Interval> interval_80_new_source{};  ///< that leave its whole source out
    std::optional<double> probability{};               ///< of fitting, siblings left out; `fits` only
    std::optional<double> probability_new_source{};
};

/// A record that gave no row, and why.
struct SkippedRecord {
    std::size_t record;
    std::string reason;
};

/// What the comparison is grouped and diagnosed by: stated facts of a record and of the job it became.
struct RecordFacts {
    std::string vendor;
    std::string accelerator_class;
    std::string fabric;  ///< link between scale-up domains, in the state it ran in; empty: none
    bool measured_kernels = false;
    double exposed_communication = 0.0;  ///< share of the predicted step
    double parameters = 0.0;
    double measured_mfu = 0.0;  ///< 0: not known
    std::vector<std::string> assumptions;
};

/// Errors of one metric over a group: "all", "stack:X", "accelerator:Y", "source:FILE" or "table:NAME".
struct SummaryRow {
    Metric metric;
    std::string group;
    ErrorStatistics errors;
    std::optional<double> interval_80_coverage;
    std::optional<double> interval_80_coverage_new_source;
};

/// Verdicts of a group: how many were right, of all, of those that ran out of memory and of those that ran.
struct FitsRow {
    std::string group;
    std::int64_t n;
    double accuracy;
    std::int64_t out_of_memory;  ///< measured
    std::optional<double> oom_recall;
    std::optional<double> fit_recall;
};

/// Of the runs given a probability of fitting from `low` to `high`, how many fitted.
struct SafetyRow {
    double low, high;
    std::int64_t n;
    double fitted;              ///< share
    std::int64_t n_new_source;  ///< with the probability from other sources alone
    double fitted_new_source;
};

/// How much slower the configuration predicted best ran than the one measured best, over groups of records
/// that differ in layout only (model, nodes, global batch, sequence; two or more measured).
struct RankingRegret {
    std::int64_t groups;
    double mean, median, worst;
    std::string worst_group;
};

struct Validation {
    std::size_t records;
    std::size_t evaluated;  ///< records with at least one row
    std::vector<RecordFacts> facts;
    std::vector<ValidationRow> rows;  ///< by record, then metric
    std::vector<SkippedRecord> skipped;
    // `summarize` fills the rest.
    std::vector<SummaryRow> summary;
    std::vector<FitsRow> fits;
    std::vector<SafetyRow> safety;
    std::string layouts;       ///< whose layouts are ranked
    std::string layouts_note;  ///< what to know of them
    std::optional<RankingRegret> ranking;
    std::optional<RankingRegret> ranking_one_fabric;  ///< only runs on the same state of the fabric compete
};

/// Turns a record into the job it describes, or says why it can't.
using JobOf = std::function<RecordJob(const RunRecord&)>;

/// What `validate` takes a record of `source` for: where it states no recomputation, with the least that lets
/// it run (`assume_least_recompute`). No job, but the reason, where the job cannot be.
RecordJob job_as_validated(const RunRecord& record, const std::string& source, const JobOf& job_of,
                           const Residuals& residuals);

/// One record's rows against a valid job, without intervals.
std::vector<ValidationRow> compare(const RunRecord& record, const Job& job);

/// Predicts every record, on all cores. The result depends on the records and residuals alone.
Validation validate(std::span<const SourcedRecord> records, const JobOf& job_of, const Residuals& residuals);

/// Scaled errors as logarithms, for the table of `residuals_from`: of step time and TFLOP/s, and of memory in
/// each record's own kind.
std::vector<Residual> residuals_of(const Validation& validation, std::span<const SourcedRecord> records);

/// Step times and rates, grouped by source, model, cluster, stack, precision, optimizer, batch and sequence.
std::vector<LayoutRun> layout_runs(const Validation& validation, std::span<const SourcedRecord> records);

}  // namespace traincost
