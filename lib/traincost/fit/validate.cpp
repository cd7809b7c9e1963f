#include "traincost/fit/validate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "traincost/base/parallel.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/fit/records/flop_definition.hpp"
#include "traincost/fit/unstated_recompute.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, metric_count> names = {"step_time",       "tflops",        "memory",
                                                              "memory_reserved", "memory_device", "fits"};

// Which ranks a memory figure was read on.
enum class Ranks { all, first, first_and_last };

Ranks measured_ranks(const RunRecord& record) {
    const auto says = [&](std::string_view words) {
        return record.measured.memory_note.find(words) != std::string::npos ||
               record.notes.find(words) != std::string::npos;
    };
    if (says("world rank 0") || says("Rank 0") || says("rank 0 "))
        return Ranks::first;
    return says("first/last-stage") ? Ranks::first_and_last : Ranks::all;
}

// Whether the record's step time is tokens a step over tokens a second where fewer tokens than that were
// real.
bool step_time_is_bound(const RunRecord& record) {
    return record.notes.find("step time derived from batch*seq is an upper bound") != std::string::npos;
}

// Largest value of one view of memory over the ranks that were measured.
double peak(const std::vector<StageMemory>& stages, Ranks ranks, Bytes StageMemory::*view) {
    double result = (stages.front().*view).value();
    if (ranks == Ranks::first)
        return result;
    for (std::size_t stage = 1; stage < stages.size(); ++stage) {
        if (ranks == Ranks::all || stage + 1 == stages.size())
            result = std::max(result, (stages[stage].*view).value());
    }
    return result;
}

Bytes StageMemory::*view_of(std::string_view memory_kind) {
    if (memory_kind == "allocated")
        return &StageMemory::allocated;
    return memory_kind == "reserved" ? &StageMemory::reserved : &StageMemory::device;
}

ResidualKind residual_kind(Metric metric, std::string_view memory_kind) {
    switch (metric) {
        case Metric::memory:
            return memory_kind == "allocated"  ? ResidualKind::allocated
                   : memory_kind == "reserved" ? ResidualKind::reserved
                                               : ResidualKind::device;
        case Metric::memory_reserved:
            return ResidualKind::reserved;
        case Metric::memory_device:
            return ResidualKind::device;
        default:
            return ResidualKind::step_time;
    }
}

// One record's comparison, or why there is none.
struct Outcome {
    std::vector<ValidationRow> rows;
    RecordFacts facts;
    std::string reason;
};

class Comparison {
public:
    Comparison(std::size_t index, const RunRecord& record, std::string_view source, const Job& job,
               const Residuals& residuals)
        : index_(index),
          record_(record),
          job_(job),
          residuals_(residuals),
          siblings_{source, record.model.name},
          source_{source, {}},
          estimate_(estimate(job)) {
    }

    std::vector<ValidationRow> rows() {
        const RecordMeasured& m = record_.measured;
        const auto step = measured_step();
        if (step && !step_time_is_bound(record_))
            add(Metric::step_time, *step, estimate_.step.total.value());
        else if (m.tflops_per_accelerator && !step)
            add_tflops(*m.tflops_per_accelerator * 1e12);
        const Ranks ranks = measured_ranks(record_);
        if (m.memory_bytes)
            add(Metric::memory, *m.memory_bytes, peak(estimate_.stages, ranks, view_of(m.memory_kind)));
        if (m.memory_reserved_bytes)
            add(Metric::memory_reserved, *m.memory_reserved_bytes,
                peak(estimate_.stages, ranks, &StageMemory::reserved));
        if (m.memory_device_bytes)
            add(Metric::memory_device, *m.memory_device_bytes,
                peak(estimate_.stages, ranks, &StageMemory::device));
        if (m.memory_bytes || m.out_of_memory)
            add_fits(!m.out_of_memory);
        return std::move(rows_);
    }

    RecordFacts facts() const {
        RecordFacts facts;
        facts.vendor = job_.cluster.accelerator.vendor;
        facts.accelerator_class = accelerator_class(job_.cluster.accelerator);
        if (nodes(job_.cluster) > 1 && job_.cluster.network.scale_out)
            facts.fabric = job_.cluster.network.scale_out->link;
        facts.measured_kernels = job_.cluster.kernels.measured;
        facts.exposed_communication = exposed_communication(estimate_.step);
        facts.parameters = static_cast<double>(estimate_.parameters.total);
        if (record_.measured.mfu) {
            facts.measured_mfu = *record_.measured.mfu;
        } else if (const auto step = measured_step()) {
            facts.measured_mfu = estimate_.throughput.mfu * estimate_.step.total.value() / *step;
        }
        return facts;
    }

    const std::string& reason() const {
        return reason_;
    }

    /// Seconds of a step: as stated, or those of its tokens at the rate that is stated instead.
    std::optional<double> measured_step() const {
        const RecordMeasured& m = record_.measured;
        if (m.step_time_s || !m.tokens_per_s_per_accelerator || *m.tokens_per_s_per_accelerator <= 0.0)
            return m.step_time_s;
        const auto rate = *m.tokens_per_s_per_accelerator * static_cast<double>(job_.cluster.accelerators);
        return estimate_.throughput.tokens_per_step / rate;
    }

private:
    void add(Metric metric, double measured, double predicted) {
        ValidationRow row{index_, metric, measured, predicted, predicted / measured - 1.0};
        const ResidualKind kind = residual_kind(metric, record_.measured.memory_kind);
        row.interval_80 = interval(metric, kind, predicted, siblings_);
        row.interval_80_new_source = interval(metric, kind, predicted, source_);
        rows_.push_back(row);
    }

    std::optional<Interval> interval(Metric metric, ResidualKind kind, double predicted,
                                     const LeftOut& out) const {
        const auto group = comparable(residuals_, residual_group(kind, job_), out);
        if (!group)
            return std::nullopt;
        const double scale = residual_scale(kind, exposed_communication(estimate_.step));
        const Interval times = interval_80(group->quantiles, predicted, scale);
        if (metric != Metric::tflops)
            return times;
        return Interval{predicted * predicted / times.high,  // rates fall where times rise
                        predicted * predicted / times.low};
    }

    void add_tflops(double measured) {
        const auto definition = flop_definition_from(record_.measured.flops_definition);
        if (!definition) {
            reason_ =
                "TFLOP/s without a FLOP definition we know: '" + record_.measured.flops_definition + "'";
            return;
        }
        const double gpus = static_cast<double>(job_.cluster.accelerators);
        const FlopRate predicted = defined_flops(job_, *definition) / estimate_.step.total / gpus;
        add(Metric::tflops, measured, predicted.value());
    }

    void add_fits(bool measured) {
        ValidationRow row{index_, Metric::fits, measured ? 1.0 : 0.0, estimate_.fits ? 1.0 : 0.0, 0.0};
        row.error = measured == estimate_.fits ? 0.0 : 1.0;
        row.probability = probability_of_fitting(residuals_, job_, estimate_, siblings_);
        row.probability_new_source = probability_of_fitting(residuals_, job_, estimate_, source_);
        rows_.push_back(row);
    }

    std::size_t index_;
    const RunRecord& record_;
    const Job& job_;
    const Residuals& residuals_;
    LeftOut siblings_;
    LeftOut source_;
    Estimate estimate_;
    std::vector<ValidationRow> rows_;
    std::string reason_;
};

Outcome compare(std::size_t index, const SourcedRecord& sourced, const JobOf& job_of,
                const Residuals& residuals) {
    const RunRecord& record = sourced.record;
    Outcome outcome;
    const RecordJob described = job_as_validated(record, sourced.source, job_of, residuals);
    outcome.facts.assumptions = described.assumptions;
    if (!described.job) {
        outcome.reason = described.reason;
        return outcome;
    }
    Comparison comparison(index, record, sourced.source, *described.job, residuals);
    outcome.facts = comparison.facts();
    outcome.facts.assumptions = described.assumptions;
    outcome.rows = comparison.rows();
    outcome.reason = comparison.reason();
    if (outcome.rows.empty() && outcome.reason.empty())
        outcome.reason = "states neither step time, TFLOP/s nor memory";
    return outcome;
}

}  // namespace

std::string_view to_string(Metric metric) {
    return names[static_cast<std::size_t>(metric)];
}

std::span<const std::string_view> metric_names() {
    return names;
}

std::vector<ValidationRow> compare(const RunRecord& record, const Job& job) {
    return Comparison(0, record, {}, job, {}).rows();
}

RecordJob job_as_validated(const RunRecord& record, const std::string& source, const JobOf& job_of,
                           const Residuals& residuals) {
    RecordJob described = job_of(record);
    if (!described.job)
        return described;
    for (const Problem& problem : validate(*described.job))
        described.reason += (described.reason.empty() ? "" : "; ") + to_string(problem);
    if (described.reason.empty())
        assume_least_recompute(record, residuals, {source, {}}, *described.job, described.assumptions);
    else
        described.job.reset();
    return described;
}

Validation validate(std::span<const SourcedRecord> records, const JobOf& job_of, const Residuals& residuals) {
    std::vector<Outcome> outcomes = parallel_map(
        records.size(), [&](std::size_t i) { return compare(i, records[i], job_of, residuals); });
    Validation validation{};
    validation.records = records.size();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        Outcome& outcome = outcomes[i];
        validation.rows.insert(validation.rows.end(), outcome.rows.begin(), outcome.rows.end());
        if (outcome.rows.empty())
            validation.skipped.push_back({i, outcome.reason});
        else
            ++validation.evaluated;
        validation.facts.push_back(std::move(outcome.facts));
    }
    return validation;
}

std::vector<Residual> residuals_of(const Validation& validation, std::span<const SourcedRecord> records) {
    std::vector<Residual> residuals;
    for (const ValidationRow& row : validation.rows) {
        if (row.metric == Metric::fits)
            continue;
        const double sign = row.metric == Metric::tflops ? -1.0 : 1.0;
        const RunRecord& record = records[row.record].record;
        const RecordFacts& facts = validation.facts[row.record];
        const ResidualKind kind = residual_kind(row.metric, record.measured.memory_kind);
        residuals.push_back({{kind, record.run.stack, facts.accelerator_class, facts.measured_kernels},
                             records[row.record].source,
                             record.model.name,
                             sign * std::log(row.measured / row.predicted) /
                                 residual_scale(kind, facts.exposed_communication)});
    }
    return residuals;
}

std::vector<LayoutRun> layout_runs(const Validation& validation, std::span<const SourcedRecord> records) {
    const auto joined = [](std::initializer_list<std::string> parts) {
        std::string text;
        for (const std::string& part : parts)
            text += part + "|";
        return text;
    };
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    std::vector<LayoutRun> runs;
    for (const ValidationRow& row : validation.rows) {
        const bool rate = row.metric == Metric::tflops;
        if (row.metric != Metric::step_time && !rate)
            continue;
        const RunRecord& record = records[row.record].record;
        const RecordRun& r = record.run;
        const RecordParallel& p = r.parallel;
        runs.push_back(
            {joined({records[row.record].source, record.model.name, record.cluster.accelerator,
                     number(record.cluster.accelerators), r.stack, r.precision, r.optimizer,
                     number(r.global_batch), number(r.sequence), rate ? "rate" : "time"}),
             joined({number(p.tp), number(p.pp), number(p.vp), number(p.dp), number(p.cp), number(p.ep),
                     number(p.etp.value_or(0)), number(p.zero.value_or(0)),
                     number(p.hybrid_shard.value_or(0)), number(p.sequence_parallel.value_or(false) ? 1 : 0),
                     number(r.micro_batch), r.recompute, r.recompute_note, r.schedule}),
             r.stack, rate ? 1.0 / row.predicted : row.predicted, rate ? 1.0 / row.measured : row.measured});
    }
    return runs;
}

}  // namespace traincost
