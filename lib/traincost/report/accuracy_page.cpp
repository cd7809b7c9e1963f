#include "traincost/report/accuracy_page.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/fit/own_runs.hpp"
#include "traincost/report/markdown.hpp"
#include "traincost/report/tables/validation_tables.hpp"

namespace traincost {

namespace {

constexpr std::string_view introduction =
    "# Accuracy\n\n"
    "Predictions held against measured runs: public tables, logs and our own H200 measurements. This page "
    "is\n"
    "generated; the same command measures any other records:\n\n"
    "    traincost validate RECORDS.jsonl … --report markdown\n\n"
    "The error of a record is (predicted - measured) / measured. *Mean* is the mean of its absolute value, "
    "*bias* the\n"
    "mean of the error itself. *80 % interval holds* is the share of records measured inside the interval "
    "that\n"
    "would be printed without their siblings, the runs of the same source and model; *as a new source* the "
    "share\n"
    "inside the interval from other sources alone. Nothing is fitted to a single record; what is fitted "
    "belongs to a\n"
    "software stack or an accelerator and is in `data/` with what it rests on, for some stacks one "
    "source.\n\n"
    "Memory is compared in the kind the record states (allocated, reserved, used on the device; unstated "
    "counts as\n"
    "device), on the rank it was read from where the source says, else on the fullest rank. *Fits* holds the "
    "verdict\n"
    "against every record that states memory or ran out of it, at the memory the accelerator's driver leaves "
    "usable.\n";

std::string section(std::string_view title, const std::vector<Table>& tables) {
    if (tables.empty())
        return {};
    return "\n## " + std::string(title) + "\n\n" + to_markdown(tables);
}

void append(std::vector<Table>& to, std::vector<Table> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

std::vector<Table> tables_by(const Validation& validation, std::string_view kind) {
    std::vector<Table> tables = error_tables(validation, kind);
    append(tables, verdict_tables(validation, kind));
    return tables;
}

/// What a source's own runs would have taught about its others.
Table own_runs_table(const Validation& validation, std::span<const SourcedRecord> records, Metric metric,
                     std::string title) {
    Table table{.title = std::move(title),
                .columns = {"own runs measured", "sources", "median error", "80% interval holds",
                            "interval, high over low"},
                .rows = {}};
    for (const OwnRunsRow& row : own_runs_rows(validation, records, metric))
        table.rows.push_back({count_cell(row.own_runs), count_cell(row.sources),
                              percent_cell(row.median_error), percent_cell(row.held),
                              number_cell(row.width)});
    return table;
}

/// After 0, 1, 3 and 10 runs of one's own, every source left out in its turn.
std::vector<Table> own_runs_tables(const Validation& validation, std::span<const SourcedRecord> records) {
    std::vector<Table> tables;
    for (const auto& [metric, title] : {std::pair{Metric::step_time, "Step time"},
                                        std::pair{Metric::memory, "Memory, in the record's own kind"}}) {
        Table table = own_runs_table(validation, records, metric, title);
        if (!table.rows.empty())
            tables.push_back(std::move(table));
    }
    return tables;
}

/// The diagnoses of sources that have records here.
Table diagnosis_table(std::span<const SourcedRecord> records, std::span<const Diagnosis> diagnoses) {
    Table table{.title = "Why some are not met",
                .columns = {"source", "records", "what is known", "from"},
                .rows = {}};
    for (const Diagnosis& d : diagnoses) {
        const auto of_source = [&](const SourcedRecord& r) { return r.source == d.source; };
        if (std::any_of(records.begin(), records.end(), of_source))
            table.rows.push_back(
                {text_cell(d.source), text_cell(d.records), text_cell(d.cause), text_cell(d.from)});
    }
    return table;
}

}  // namespace

std::string accuracy_page(const Validation& validation, std::span<const SourcedRecord> records,
                          std::span<const Diagnosis> diagnoses) {
    std::string page(introduction);
    page += "\n" + std::to_string(validation.evaluated) + " of " + std::to_string(validation.records) +
            " records are evaluated.\n";
    std::vector<Table> overall = tables_by(validation, "table");
    append(overall, ranking_tables(validation));
    page += section("Overall", overall);
    page += section("After runs of one's own, sources left out", own_runs_tables(validation, records));
    page += section("By source", tables_by(validation, "source"));
    page += section("By software stack", tables_by(validation, "stack"));
    page += section("By accelerator", tables_by(validation, "accelerator"));
    std::vector<Table> worst;
    for (int m = 0; m < metric_count; ++m) {
        constexpr std::size_t shown = 40;
        constexpr std::size_t of_source = 6;
        Table table = worst_table(validation, records, static_cast<Metric>(m), shown, of_source);
        if (!table.rows.empty())
            worst.push_back(std::move(table));
    }
    page += section("Worst records", worst);
    if (Table known = diagnosis_table(records, diagnoses); !known.rows.empty())
        page += section("Diagnoses", {std::move(known)});
    if (!validation.skipped.empty())
        page += section("Not evaluated", {skipped_table(validation, records)});
    return page;
}

}  // namespace traincost
