#include "traincost/report/answers/accuracy_page.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/fit/own_runs.hpp"
#include "traincost/report/markdown.hpp"
#include "traincost/report/tables/accuracy_tables.hpp"
#include "traincost/report/tables/validation_tables.hpp"

namespace traincost {

namespace {

constexpr std::string_view introduction =
    "# Accuracy\n\n"
    "Predictions compared with measured runs: public tables, logs and our own measurements. This page and\n"
    "[accuracy.csv](accuracy.csv), which covers every stack, accelerator and measure, are generated. The "
    "same\n"
    "commands measure any other records:\n"
    "\n"
    "    traincost validate RECORDS.jsonl … --report markdown\n"
    "    traincost validate RECORDS.jsonl … --report csv\n"
    "\n"
    "The error of a record is (predicted - measured) / measured; *bias* is its mean. *80 % holds* is the "
    "share of\n"
    "records measured inside the interval that would be printed if their source were unknown: none of its "
    "records\n"
    "are used for the interval. No constant is fitted to a single record. Fitted constants belong to a "
    "software\n"
    "stack or an accelerator; `data/` records the kind, n, sources and held-out error of each. `validate "
    "RECORDS\n"
    "--leave source` refits them without each source.\n"
    "\n"
    "Memory is compared with the kind of figure that the record states (allocated, reserved, or used on the\n"
    "device, which is assumed if unstated), on the rank that the source names, or on the fullest rank. *Fits "
    "right*\n"
    "is the share of correct verdicts among records that state memory or ran out of it, at the memory that "
    "the\n"
    "driver leaves usable.\n";

std::string section(std::string_view title, const std::vector<Table>& tables) {
    if (tables.empty())
        return {};
    return "\n## " + std::string(title) + "\n\n" + to_markdown(tables);
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
                                        std::pair{Metric::memory, "Memory, as the record states it"}}) {
        Table table = own_runs_table(validation, records, metric, title);
        if (!table.rows.empty())
            tables.push_back(std::move(table));
    }
    return tables;
}

/// The diagnoses of sources that have records here.
std::vector<Table> diagnosis_tables(std::span<const SourcedRecord> records,
                                    std::span<const Diagnosis> diagnoses) {
    Table table{.columns = {"source", "records", "what is known", "from"}, .rows = {}};
    for (const Diagnosis& d : diagnoses) {
        const auto of_source = [&](const SourcedRecord& r) { return r.source == d.source; };
        if (std::any_of(records.begin(), records.end(), of_source))
            table.rows.push_back(
                {text_cell(d.source), text_cell(d.records), text_cell(d.cause), text_cell(d.from)});
    }
    if (table.rows.empty())
        return {};
    return {table};
}

/// The records that are missed most, in time and in memory.
std::vector<Table> worst_tables(const Validation& validation, std::span<const SourcedRecord> records) {
    constexpr std::size_t shown = 10;
    constexpr std::size_t of_source = 2;
    std::vector<Table> tables;
    for (const Metric metric : {Metric::step_time, Metric::memory}) {
        if (Table table = worst_table(validation, records, metric, shown, of_source); !table.rows.empty())
            tables.push_back(std::move(table));
    }
    return tables;
}

}  // namespace

std::string accuracy_page(const Validation& validation, std::span<const SourcedRecord> records,
                          std::span<const Diagnosis> diagnoses) {
    std::string page(introduction);
    page += "\n" + std::to_string(validation.evaluated) + " of " + std::to_string(validation.records) +
            " records are evaluated.\n";
    page += section("Overall", {measure_overview(validation)});
    page += section("By group of sources", {overview_table(validation, "table", {})});
    page += section("By source", {overview_table(validation, "source", {})});
    page += section("Fits or not", safety_tables(validation));
    page += section("Choice of a layout", ranking_tables(validation));
    page += section("With own runs of a left-out source", own_runs_tables(validation, records));
    page += section("Worst records", worst_tables(validation, records));
    page += section("Diagnoses", diagnosis_tables(records, diagnoses));
    if (!validation.skipped.empty())
        page += section("Not evaluated", {skipped_table(validation, records)});
    return page;
}

}  // namespace traincost
