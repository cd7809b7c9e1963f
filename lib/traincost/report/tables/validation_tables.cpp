#include "traincost/report/tables/validation_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

bool in_kind(std::string_view group, std::string_view kind) {
    return kind.empty() || group == "all" || group.starts_with(std::string(kind) + ":");
}

Cell value_cell(Metric metric, double value) {
    switch (metric) {
        case Metric::step_time:
            return cell(Seconds{value});
        case Metric::tflops:
            return cell(FlopRate{value});
        case Metric::fits:
            return text_cell(value > 0.5 ? "fits" : "out of memory");
        default:
            return cell(Bytes{value});
    }
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
    std::string result;
    for (const std::string& text : texts)
        result += (result.empty() ? "" : std::string(separator)) + text;
    return result;
}

std::string layout(const RunRecord& record) {
    const RecordParallel& p = record.run.parallel;
    std::string text;
    const auto degree = [&](std::string_view name, std::int64_t n) {
        if (n > 1)
            text += std::string(name) + std::to_string(n) + " ";
    };
    degree("tp", p.tp);
    degree("pp", p.pp);
    degree("vp", p.vp);
    degree("dp", p.dp);
    degree("cp", p.cp);
    degree("ep", p.ep);
    if (p.zero && *p.zero > 0)
        text += "zero" + std::to_string(*p.zero) + " ";
    text += "mb" + std::to_string(record.run.micro_batch) + " gb" + std::to_string(record.run.global_batch);
    return text;
}

/// Share of the peak at which the stages of a 1F1B pipeline without virtual stages would have to work between
/// the bubbles that its micro-batches leave [Narayanan21]; 0 where the record states no such pipeline.
double rate_between_bubbles(const RunRecord& r, double mfu) {
    const RecordParallel& p = r.run.parallel;
    if (p.pp <= 1 || p.vp > 1 || p.dp <= 0 || r.run.micro_batch <= 0)
        return 0.0;
    const double m = static_cast<double>(r.run.global_batch) / static_cast<double>(r.run.micro_batch * p.dp);
    return mfu * (m + static_cast<double>(p.pp - 1)) / m;
}

// What makes a large error likely, from what the record says of itself.
std::string hint(const SourcedRecord& sourced, const RecordFacts& facts) {
    const RunRecord& r = sourced.record;
    std::vector<std::string> hints;
    if (!r.unknown.empty())
        hints.push_back("unstated: " + joined(r.unknown, ", "));
    if (r.quality == "B")
        hints.emplace_back("quoted or digitised");
    if (facts.measured_mfu > 0.0 && facts.measured_mfu < 0.05)
        hints.push_back("measured MFU " + percent_text(facts.measured_mfu) + ": not limited by arithmetic");
    // What the largest matrix products of a chip sustain; a layer has more than products.
    constexpr double hardly = 0.7;
    if (const double rate = rate_between_bubbles(r, facts.measured_mfu); rate > hardly)
        hints.push_back("without virtual stages it would need " + percent_text(rate) +
                        " of peak between bubbles");
    if (r.notes.find("disagrees with") != std::string::npos)
        hints.emplace_back("the source's throughput and step time contradict each other");
    // No products of training reach more of the peak of their format.
    constexpr double highest_mfu = 0.8;
    if (facts.measured_mfu > highest_mfu)
        hints.push_back("measured MFU " + percent_text(facts.measured_mfu) +
                        ": fewer tokens or a narrower format than stated");
    if (facts.fabric.find("latency-bound") != std::string::npos)
        hints.emplace_back("fabric in its slow state");
    const std::int64_t per_node = r.cluster.per_node.value_or(0);
    if (per_node > 0 && r.run.parallel.tp > per_node)
        hints.emplace_back("tp spans nodes");
    if (hints.empty() && !r.assumed.empty())
        hints.push_back("assumed: " + joined(r.assumed, ", "));
    return joined(hints, "; ");
}

}  // namespace

std::string_view metric_title(Metric metric) {
    switch (metric) {
        case Metric::step_time:
            return "Step time";
        case Metric::tflops:
            return "TFLOP/s, if no step time is stated";
        case Metric::memory:
            return "Memory, as the record states it";
        case Metric::memory_reserved:
            return "Reserved memory, if also stated";
        case Metric::memory_device:
            return "Memory used on the device, if also stated";
        case Metric::fits:
            return "Fits or out of memory";
    }
    return {};
}

std::vector<Cell> error_cells(std::string_view name, const SummaryRow& row) {
    const ErrorStatistics& e = row.errors;
    return {text_cell(name),
            count_cell(e.n),
            percent_cell(e.mape),
            percent_cell(e.median_ape),
            percent_cell(e.p90_ape),
            percent_cell(e.worst_ape),
            signed_percent_cell(e.bias),
            percent_cell(e.within_10pct),
            percent_cell(row.interval_80_coverage),
            percent_cell(row.interval_80_coverage_new_source)};
}

std::vector<Table> error_tables(const Validation& validation, std::string_view kind) {
    std::vector<Table> tables;
    for (int m = 0; m < metric_count; ++m) {
        const Metric metric = static_cast<Metric>(m);
        Table table{.title = std::string(metric_title(metric)),
                    .columns = {"group", "n", "mean |error|", "median", "90 %", "worst", "bias",
                                "within 10 %", "80 % interval holds", "as a new source"}};
        for (const SummaryRow& row : validation.summary) {
            if (row.metric != metric || !in_kind(row.group, kind))
                continue;
            table.rows.push_back(error_cells(row.group, row));
        }
        if (!table.rows.empty())
            tables.push_back(std::move(table));
    }
    return tables;
}

std::vector<Table> verdict_tables(const Validation& validation, std::string_view kind) {
    std::vector<Table> tables;
    Table verdicts{
        .title = std::string(metric_title(Metric::fits)),
        .columns = {"group", "n", "right", "out of memory", "of these found", "of those that ran found"}};
    for (const FitsRow& row : validation.fits) {
        if (in_kind(row.group, kind)) {
            verdicts.rows.push_back({text_cell(row.group), count_cell(row.n), percent_cell(row.accuracy),
                                     count_cell(row.out_of_memory), percent_cell(row.oom_recall),
                                     percent_cell(row.fit_recall)});
        }
    }
    if (!verdicts.rows.empty())
        tables.push_back(std::move(verdicts));
    return tables;
}

std::vector<Table> safety_tables(const Validation& validation) {
    Table table{.title = "Probability of fitting, and share that fitted",
                .columns = {"called", "n", "fitted", "as a new source: n", "fitted"},
                .rows = {}};
    const auto share_of = [](std::int64_t n, double share) {
        return n > 0 ? percent_cell(share) : empty_cell();
    };
    for (const SafetyRow& row : validation.safety) {
        table.rows.push_back({text_cell(percent_text(row.low) + " to " + percent_text(row.high)),
                              count_cell(row.n), share_of(row.n, row.fitted), count_cell(row.n_new_source),
                              share_of(row.n_new_source, row.fitted_new_source)});
    }
    if (table.rows.empty())
        return {};
    return {table};
}

std::vector<Table> ranking_tables(const Validation& validation) {
    if (!validation.ranking)
        return {};
    Table table{.title = "Regret of the layout predicted fastest, by groups of " + validation.layouts,
                .columns = {"compared", "groups", "mean", "median", "worst", "worst group"}};
    const auto row = [&](std::string_view compared, const RankingRegret& r) {
        table.rows.push_back({text_cell(compared), count_cell(r.groups), percent_cell(r.mean),
                              percent_cell(r.median), percent_cell(r.worst), text_cell(r.worst_group)});
    };
    row("any state of the fabric", *validation.ranking);
    if (validation.ranking_one_fabric)
        row("in one state of the fabric", *validation.ranking_one_fabric);
    table.remarks = {
        "Regret: how much slower the layout predicted fastest ran than the fastest measured one, over "
        "groups of two or more layouts of one model with the same nodes, global batch and sequence "
        "length." +
        (validation.layouts_note.empty() ? std::string() : " " + validation.layouts_note)};
    return {table};
}

Table row_table(const Validation& validation, std::span<const SourcedRecord> records) {
    Table table{.columns = {"record", "stack", "accelerator", "metric", "measured", "predicted", "error"}};
    for (const ValidationRow& row : validation.rows) {
        const RunRecord& record = records[row.record].record;
        table.rows.push_back({text_cell(record.id), text_cell(record.run.stack),
                              text_cell(record.cluster.accelerator), text_cell(to_string(row.metric)),
                              value_cell(row.metric, row.measured), value_cell(row.metric, row.predicted),
                              row.metric == Metric::fits ? text_cell(row.error > 0.5 ? "wrong" : "right")
                                                         : signed_percent_cell(row.error)});
    }
    return table;
}

Table worst_table(const Validation& validation, std::span<const SourcedRecord> records, Metric metric,
                  std::size_t n, std::size_t of_source) {
    std::vector<const ValidationRow*> rows;
    for (const ValidationRow& row : validation.rows) {
        if (row.metric == metric && (metric != Metric::fits || row.error > 0.5))
            rows.push_back(&row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const ValidationRow* a, const ValidationRow* b) {
        return std::abs(std::log(a->predicted / a->measured)) >
               std::abs(std::log(b->predicted / b->measured));
    });
    std::map<std::string_view, std::size_t> listed;
    std::erase_if(
        rows, [&](const ValidationRow* row) { return ++listed[records[row->record].source] > of_source; });
    rows.resize(std::min(rows.size(), n));
    Table table{
        .title = "Worst: " + std::string(metric_title(metric)),
        .columns = {"record", "model", "layout", "GPUs", "measured", "predicted", "error", "the source"}};
    for (const ValidationRow* row : rows) {
        const SourcedRecord& sourced = records[row->record];
        table.rows.push_back({text_cell(sourced.record.id), text_cell(sourced.record.model.name),
                              text_cell(layout(sourced.record)),
                              count_cell(sourced.record.cluster.accelerators),
                              value_cell(metric, row->measured), value_cell(metric, row->predicted),
                              metric == Metric::fits ? text_cell("wrong") : signed_percent_cell(row->error),
                              text_cell(hint(sourced, validation.facts[row->record]))});
    }
    return table;
}

Table skipped_table(const Validation& validation, std::span<const SourcedRecord> records) {
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const SkippedRecord& skipped : validation.skipped)
        by_reason[skipped.reason].push_back(records[skipped.record].record.id);
    Table table{.title = "Not evaluated", .columns = {"reason", "n", "records"}};
    for (const auto& [reason, ids] : by_reason) {
        constexpr std::size_t shown = 3;
        std::vector<std::string> first(
            ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(shown, ids.size())));
        if (ids.size() > shown)
            first.emplace_back("…");
        table.rows.push_back({text_cell(reason), count_cell(static_cast<std::int64_t>(ids.size())),
                              text_cell(joined(first, ", "))});
    }
    return table;
}

Table residual_table(const Validation& validation, std::span<const SourcedRecord> records, Metric metric,
                     std::span<const std::string> keys) {
    Table table{.title = "ln(predicted / measured), " + std::string(metric_title(metric)), .columns = {}};
    table.columns.assign(keys.begin(), keys.end());
    for (const std::string_view column : {"n", "mean", "spread", "mean |error|"})
        table.columns.emplace_back(column);
    for (const ResidualGroup& group : residual_groups(validation, records, metric, keys)) {
        std::vector<Cell> row;
        for (const std::string& value : group.values)
            row.push_back(text_cell(value));
        row.push_back(count_cell(group.n));
        row.push_back(signed_percent_cell(group.mean_log_error));
        row.push_back(percent_cell(group.spread));
        row.push_back(percent_cell(group.mape));
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace traincost
