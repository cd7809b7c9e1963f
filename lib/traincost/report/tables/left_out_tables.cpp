#include "traincost/report/tables/left_out_tables.hpp"

#include <utility>

namespace traincost {

Table coverage_table(std::span<const LeftOutCoverage> rows, std::string title) {
    Table table;
    table.title = std::move(title);
    table.columns = {"source", "step times", "held", "memories", "held"};
    const auto share = [](std::int64_t n, std::int64_t held) {
        return n > 0 ? percent_cell(static_cast<double>(held) / static_cast<double>(n)) : empty_cell();
    };
    for (const LeftOutCoverage& row : rows)
        table.rows.push_back({text_cell(row.source), count_cell(row.times), share(row.times, row.times_held),
                              count_cell(row.memories), share(row.memories, row.memories_held)});
    table.rows.push_back({text_cell("mean over sources"), empty_cell(),
                          percent_cell(mean_time_coverage(rows)), empty_cell(),
                          percent_cell(mean_memory_coverage(rows))});
    return table;
}

Table coverage_table(std::span<const LeftOutCoverage> rows, LeftOutKinds kinds) {
    return coverage_table(
        rows, std::string("80% intervals of runs whose own source") + (kinds.stack ? ", stack" : "") +
                  (kinds.accelerator ? ", accelerator class" : "") + " is left out of the residuals");
}

Table left_out_error_table(std::span<const LeftOutMedians> rows) {
    Table table;
    table.title = "Median error of each source, left out of every fit of stack constants";
    table.columns = {"source",   "step times", "as fitted", "left out",
                     "memories", "as fitted",  "left out",  "others of its stack"};
    const auto error = [](std::int64_t n, double value) {
        return n > 0 ? percent_cell(value) : empty_cell();
    };
    const auto add = [&](const std::string& name, const LeftOutMedians& row, Cell shared) {
        table.rows.push_back({text_cell(name), count_cell(row.times), error(row.times, row.time_as_it_stands),
                              error(row.times, row.time_left_out), count_cell(row.memories),
                              error(row.memories, row.memory_as_it_stands),
                              error(row.memories, row.memory_left_out), std::move(shared)});
    };
    for (const LeftOutMedians& row : rows)
        add(row.source, row, text_cell(row.refitted ? "yes" : "no"));
    add("mean over sources", mean_over_sources(rows), empty_cell());
    return table;
}

}  // namespace traincost
