#include "traincost/io/answers/validation_json.hpp"

#include "traincost/base/scale.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

namespace {

// A row's value in the unit of its metric: true/false of `fits`, TFLOP/s as the records state them.
void write_value(JsonWriter& out, std::string_view key, Metric metric, double value) {
    out.key(key);
    if (metric == Metric::fits)
        out.value(value > 0.5);
    else
        out.value(metric == Metric::tflops ? value / tera : value);
}

void write_interval(JsonWriter& out, std::string_view key, const std::optional<Interval>& interval,
                    double unit) {
    out.key(key);
    if (interval)
        out.begin_array().value(interval->low / unit).value(interval->high / unit).end_array();
    else
        out.null();
}

void write_row(JsonWriter& out, const ValidationRow& row, const SourcedRecord& sourced) {
    const RunRecord& record = sourced.record;
    out.begin_object()
        .member("id", record.id)
        .member("stack", record.run.stack)
        .member("accelerator", record.cluster.accelerator)
        .member("source", sourced.source)
        .member("metric", to_string(row.metric));
    write_value(out, "measured", row.metric, row.measured);
    write_value(out, "predicted", row.metric, row.predicted);
    out.member("error", row.error);
    const double unit = row.metric == Metric::tflops ? 1e12 : 1.0;
    write_interval(out, "interval_80", row.interval_80, unit);
    write_interval(out, "interval_80_new_source", row.interval_80_new_source, unit);
    if (row.metric == Metric::fits) {
        out.member("probability_of_fitting", row.probability);
        out.member("probability_of_fitting_new_source", row.probability_new_source);
    }
    out.end_object();
}

void write_summary(JsonWriter& out, const Validation& validation) {
    out.key("summary").begin_array();
    for (const SummaryRow& row : validation.summary) {
        out.begin_object()
            .member("metric", to_string(row.metric))
            .member("group", row.group)
            .member("n", row.errors.n)
            .member("mape", row.errors.mape)
            .member("median_ape", row.errors.median_ape)
            .member("p90_ape", row.errors.p90_ape)
            .member("worst_ape", row.errors.worst_ape)
            .member("bias", row.errors.bias)
            .member("within_10pct", row.errors.within_10pct)
            .member("interval_80_coverage", row.interval_80_coverage)
            .member("interval_80_coverage_new_source", row.interval_80_coverage_new_source)
            .end_object();
    }
    for (const FitsRow& row : validation.fits) {
        out.begin_object()
            .member("metric", to_string(Metric::fits))
            .member("group", row.group)
            .member("n", row.n)
            .member("accuracy", row.accuracy)
            .member("out_of_memory", row.out_of_memory)
            .member("oom_recall", row.oom_recall)
            .member("fit_recall", row.fit_recall)
            .end_object();
    }
    out.end_array();
}

}  // namespace

std::string validation_json(const Validation& validation, std::span<const SourcedRecord> records) {
    JsonWriter out;
    out.begin_object()
        .member("schema_version", 1)
        .member("records", validation.records)
        .member("evaluated", validation.evaluated);
    out.key("skipped").begin_array();
    for (const SkippedRecord& skipped : validation.skipped) {
        out.begin_object()
            .member("id", records[skipped.record].record.id)
            .member("reason", skipped.reason)
            .end_object();
    }
    out.end_array().key("rows").begin_array();
    for (const ValidationRow& row : validation.rows)
        write_row(out, row, records[row.record]);
    out.end_array();
    write_summary(out, validation);
    out.key("safety").begin_array();
    for (const SafetyRow& row : validation.safety) {
        out.begin_object()
            .member("probability_from", row.low)
            .member("probability_to", row.high)
            .member("n", row.n)
            .member("fitted", row.fitted)
            .member("n_new_source", row.n_new_source)
            .member("fitted_new_source", row.fitted_new_source)
            .end_object();
    }
    out.end_array();
    const auto ranking = [&](std::string_view key, const std::optional<RankingRegret>& r) {
        if (!r)
            return;
        out.key(key)
            .begin_object()
            .member("groups", r->groups)
            .member("mean_regret", r->mean)
            .member("median_regret", r->median)
            .member("worst_regret", r->worst)
            .member("worst_group", r->worst_group)
            .end_object();
    };
    ranking("ranking", validation.ranking);
    ranking("ranking_one_fabric", validation.ranking_one_fabric);
    return out.end_object().text();
}

}  // namespace traincost
