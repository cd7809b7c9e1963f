#include "traincost/report/tables/accuracy_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "traincost/report/tables/validation_tables.hpp"

namespace traincost {

namespace {

/// "source" and "torchtitan" of "source:torchtitan"; a group of one word is of its own kind.
std::pair<std::string_view, std::string_view> kind_and_name(std::string_view group) {
    const std::size_t colon = group.find(':');
    if (colon == std::string_view::npos)
        return {group, group};
    return {group.substr(0, colon), group.substr(colon + 1)};
}

const SummaryRow* row_of(const Validation& validation, std::string_view group, Metric metric) {
    const auto row = std::find_if(
        validation.summary.begin(), validation.summary.end(),
        [&](const SummaryRow& candidate) { return candidate.metric == metric && candidate.group == group; });
    return row == validation.summary.end() ? nullptr : &*row;
}

const FitsRow* verdicts_of(const Validation& validation, std::string_view group) {
    const auto row = std::find_if(validation.fits.begin(), validation.fits.end(),
                                  [&](const FitsRow& candidate) { return candidate.group == group; });
    return row == validation.fits.end() ? nullptr : &*row;
}

/// "all" and the groups of a kind, sorted.
std::vector<std::string_view> groups_of_kind(const Validation& validation, std::string_view kind) {
    std::set<std::string_view> of_kind;
    const auto add = [&](std::string_view group) {
        if (kind_and_name(group).first == kind)
            of_kind.insert(group);
    };
    for (const SummaryRow& row : validation.summary)
        add(row.group);
    for (const FitsRow& row : validation.fits)
        add(row.group);
    std::vector<std::string_view> groups = {"all"};
    groups.insert(groups.end(), of_kind.begin(), of_kind.end());
    return groups;
}

void append_errors(std::vector<Cell>& cells, const SummaryRow* row) {
    if (row == nullptr) {
        cells.insert(cells.end(), 5, empty_cell());
        return;
    }
    const ErrorStatistics& e = row->errors;
    cells.insert(cells.end(),
                 {count_cell(e.n), percent_cell(e.mape), percent_cell(e.median_ape),
                  signed_percent_cell(e.bias), percent_cell(row->interval_80_coverage_new_source)});
}

/// A number as the file beside the page has it.
Cell digits(const std::optional<double>& x) {
    if (!x)
        return empty_cell();
    const std::string text = fmt::format("{:.6g}", *x);
    return {.text = text, .exact = text, .number = true};
}

std::vector<Cell> named_row(std::string_view group, Metric metric) {
    const auto [kind, name] = kind_and_name(group);
    return {text_cell(kind), text_cell(name), text_cell(to_string(metric))};
}

}  // namespace

Table measure_overview(const Validation& validation) {
    Table table{.columns = {"measure", "n", "mean |error|", "median", "90 %", "worst", "bias", "within 10 %",
                            "80 % holds", "as a new source"},
                .rows = {}};
    for (int m = 0; m < metric_count; ++m) {
        const Metric metric = static_cast<Metric>(m);
        if (const SummaryRow* row = row_of(validation, "all", metric))
            table.rows.push_back(error_cells(metric_title(metric), *row));
    }
    return table;
}

Table overview_table(const Validation& validation, std::string_view kind, std::string title) {
    Table table{.title = std::move(title),
                .columns = {std::string(kind), "time: n", "mean |error|", "median", "bias", "80 % holds",
                            "memory: n", "mean |error|", "median", "bias", "80 % holds", "fits right"},
                .rows = {}};
    for (const std::string_view group : groups_of_kind(validation, kind)) {
        const SummaryRow* time = row_of(validation, group, Metric::step_time);
        std::vector<Cell> cells = {text_cell(kind_and_name(group).second)};
        append_errors(cells, time != nullptr ? time : row_of(validation, group, Metric::tflops));
        append_errors(cells, row_of(validation, group, Metric::memory));
        const FitsRow* verdicts = verdicts_of(validation, group);
        cells.push_back(verdicts == nullptr ? empty_cell() : percent_cell(verdicts->accuracy));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table measures_table(const Validation& validation) {
    Table table{
        .columns = {"by", "group", "measure", "n", "mean_error", "median_error", "error_90", "worst_error",
                    "bias", "within_10_percent", "interval_80_holds", "interval_80_holds_as_new_source",
                    "verdict_right", "out_of_memory", "out_of_memory_found", "fits_found"},
        .rows = {}};
    constexpr std::size_t statistics = 8;
    for (const SummaryRow& row : validation.summary) {
        const ErrorStatistics& e = row.errors;
        std::vector<Cell> cells = named_row(row.group, row.metric);
        cells.insert(cells.end(),
                     {count_cell(e.n), digits(e.mape), digits(e.median_ape), digits(e.p90_ape),
                      digits(e.worst_ape), digits(e.bias), digits(e.within_10pct),
                      digits(row.interval_80_coverage), digits(row.interval_80_coverage_new_source)});
        cells.insert(cells.end(), 4, empty_cell());
        table.rows.push_back(std::move(cells));
    }
    for (const FitsRow& row : validation.fits) {
        std::vector<Cell> cells = named_row(row.group, Metric::fits);
        cells.push_back(count_cell(row.n));
        cells.insert(cells.end(), statistics, empty_cell());
        cells.insert(cells.end(), {digits(row.accuracy), count_cell(row.out_of_memory),
                                   digits(row.oom_recall), digits(row.fit_recall)});
        table.rows.push_back(std::move(cells));
    }
    return table;
}

}  // namespace traincost
