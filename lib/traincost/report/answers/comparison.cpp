#include "traincost/report/answers/comparison.hpp"

#include <algorithm>
#include <functional>

#include "traincost/base/scale.hpp"
#include "traincost/report/tables/estimate_tables.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

struct ComparedSubject {
    const ComparedJob& job;
    Bill bill;
};

/// A row: a name, what each job has there, and its number where it has one.
struct Row {
    std::string name;
    std::function<Cell(const ComparedSubject&)> cell;
    std::function<double(const ComparedSubject&)> number;  ///< empty: text
};

const StageMemory& peak_of(const Estimate& e) {
    return e.stages[static_cast<std::size_t>(e.peak_stage)];
}

std::string recompute_text(const RunSpec& run) {
    return std::string(name_of(run.recompute)) + (run.recompute == Recompute::full && run.recompute_every > 1
                                                      ? ":" + std::to_string(run.recompute_every)
                                                      : "");
}

template <class Of>
Row text_row(const char* name, Of of) {
    return {name, [of](const ComparedSubject& s) { return text_cell(of(s.job)); }, {}};
}

template <class Of>
Row value_row(std::string name, Of of) {
    return {std::move(name), [of](const ComparedSubject& s) { return cell(of(s.job.estimate)); },
            [of](const ComparedSubject& s) { return of(s.job.estimate).value(); }};
}

template <class Of>
Row optional_row(const char* name, Of of) {
    return {name, [of](const ComparedSubject& s) { return of(s) ? number_cell(*of(s)) : empty_cell(); },
            [of](const ComparedSubject& s) { return of(s).value_or(0.0); }};
}

void add_totals(std::vector<Row>& rows) {
    constexpr double seconds_a_day = 86400.0;
    using Number = std::optional<double>;
    const auto of_totals = [](auto of) {
        return [of](const ComparedSubject& s) -> Number {
            return s.bill.totals ? of(*s.bill.totals) : std::nullopt;
        };
    };
    rows.push_back(optional_row("goodput", [](const ComparedSubject& s) {
        return s.bill.reliability ? Number(s.bill.goodput) : std::nullopt;
    }));
    rows.push_back(optional_row(
        "days", of_totals([](const TrainingTotals& t) -> Number { return t.time.value() / seconds_a_day; })));
    rows.push_back(
        optional_row("GPU-hours", of_totals([](const TrainingTotals& t) -> Number { return t.gpu_hours; })));
    rows.push_back(optional_row("cost, USD", of_totals([](const TrainingTotals& t) -> Number {
                                    return t.cost ? Number(t.cost->value()) : std::nullopt;
                                })));
    rows.push_back(optional_row("cost per million tokens, USD", [](const ComparedSubject& s) {
        return s.bill.per_million_tokens ? Number(s.bill.per_million_tokens->value()) : std::nullopt;
    }));
    rows.push_back(
        optional_row("energy, kWh", of_totals([](const TrainingTotals& t) { return t.energy_kwh; })));
    rows.push_back(optional_row("CO2, kg", [](const ComparedSubject& s) { return s.bill.co2_kg; }));
}

std::vector<Row> comparison_rows() {
    std::vector<Row> rows = {
        text_row("job", [](const ComparedJob& c) { return job_title(c.job); }),
        text_row("layout", [](const ComparedJob& c) { return layout_text(c.job); }),
        text_row("recompute", [](const ComparedJob& c) { return recompute_text(c.job.run); }),
        text_row("fits", [](const ComparedJob& c) { return std::string(c.estimate.fits ? "yes" : "no"); }),
        value_row("memory", [](const Estimate& e) { return peak_of(e).device; }),
        value_row("step", [](const Estimate& e) { return e.step.total; }),
        {"tokens/s",
         [](const ComparedSubject& s) { return short_count_cell(s.job.estimate.throughput.tokens_per_s); },
         [](const ComparedSubject& s) { return s.job.estimate.throughput.tokens_per_s; }},
        {"MFU", [](const ComparedSubject& s) { return percent_cell(s.job.estimate.throughput.mfu); },
         [](const ComparedSubject& s) { return s.job.estimate.throughput.mfu; }}};
    for (int t = 0; t < memory_term_count; ++t) {
        const auto term = static_cast<MemoryTerm>(t);
        rows.push_back(value_row("memory: " + std::string(to_string(term)),
                                 [term](const Estimate& e) { return peak_of(e)[term]; }));
    }
    for (int t = 0; t < step_term_count; ++t) {
        const auto term = static_cast<StepTerm>(t);
        rows.push_back(value_row("step: " + std::string(to_string(term)),
                                 [term](const Estimate& e) { return e.step[term]; }));
    }
    add_totals(rows);
    return rows;
}

std::vector<Cell> cells_of(const Row& row, const std::vector<ComparedSubject>& subjects) {
    std::vector<Cell> cells{text_cell(row.name)};
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        cells.push_back(row.cell(subjects[i]));
        if (i == 0)
            continue;
        if (!row.number) {
            cells.push_back(text_cell(cells.back().text == cells[1].text ? "" : "*"));
            continue;
        }
        const double first = row.number(subjects.front());
        cells.push_back(first != 0.0 ? number_cell(row.number(subjects[i]) / first) : empty_cell());
    }
    return cells;
}

std::string spaced(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

/// Bars of the terms that some job has.
template <class Term, class Of>
BarChart term_chart(const std::vector<ComparedJob>& jobs, int count, std::string title, std::string label,
                    Of of) {
    BarChart chart{.title = std::move(title), .label = std::move(label), .names = {}, .parts = {}};
    for (const ComparedJob& job : jobs)
        chart.names.push_back(job.name + (job.estimate.fits ? "" : " (does not fit)"));
    for (int t = 0; t < count; ++t) {
        const auto term = static_cast<Term>(t);
        BarPart part{spaced(to_string(term)), {}};
        for (const ComparedJob& job : jobs)
            part.values.push_back(of(job.estimate, term));
        if (std::any_of(part.values.begin(), part.values.end(), [](double x) { return x != 0.0; }))
            chart.parts.push_back(std::move(part));
    }
    return chart;
}

}  // namespace

Table comparison_table(const std::vector<ComparedJob>& jobs) {
    Table table{.title = "", .columns = {""}, .rows = {}, .remarks = {}};
    std::vector<ComparedSubject> subjects;
    for (const ComparedJob& job : jobs) {
        table.columns.push_back(job.name);
        if (!subjects.empty())
            table.columns.emplace_back("ratio");
        subjects.push_back({job, bill(job.job, job.estimate, job.operation)});
    }
    for (const Row& row : comparison_rows()) {
        const bool shown =
            !row.number || std::any_of(subjects.begin(), subjects.end(),
                                       [&](const ComparedSubject& s) { return row.number(s) != 0.0; });
        if (shown)
            table.rows.push_back(cells_of(row, subjects));
    }
    table.remarks.emplace_back("ratio: to the first; *: differs from the first");
    return table;
}

std::vector<Chart> comparison_charts(const std::vector<ComparedJob>& jobs) {
    BarChart step = term_chart<StepTerm>(jobs, step_term_count, "Step time by part", "seconds",
                                         [](const Estimate& e, StepTerm t) { return e.step[t].value(); });
    BarChart memory =
        term_chart<MemoryTerm>(jobs, memory_term_count, "Memory per GPU at its peak, by term", "GiB",
                               [](const Estimate& e, MemoryTerm t) { return peak_of(e)[t].value() / gibi; });
    const double capacity = jobs.front().estimate.capacity.value() / gibi;
    const bool same = std::all_of(jobs.begin(), jobs.end(), [&](const ComparedJob& job) {
        return job.estimate.capacity.value() / gibi == capacity;
    });
    if (same)
        memory.rules = {{capacity, "usable"}};
    return {std::move(step), std::move(memory)};
}

}  // namespace traincost
