#include "traincost/report/answers/answer_pages.hpp"

#include <algorithm>
#include <utility>

#include "traincost/base/text.hpp"
#include "traincost/report/answers/estimate_answer.hpp"
#include "traincost/report/answers/estimate_summary.hpp"
#include "traincost/report/charts/timeline_svg.hpp"
#include "traincost/report/tables/estimate_tables.hpp"

namespace traincost {

namespace {

constexpr double bytes_per_gib = 1024.0 * 1024.0 * 1024.0;
constexpr std::size_t long_table = 12;

std::string with_spaces(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

/// One bar a stage; stages that hold the same to the byte are one bar.
BarChart memory_bars(const Estimate& e) {
    BarChart chart{.title = "Memory per GPU at its peak", .label = "GiB", .names = {}, .parts = {}};
    std::vector<std::size_t> shown;
    for (std::size_t s = 0; s < e.stages.size(); ++s) {
        if (s == 0 || e.stages[s].terms != e.stages[s - 1].terms) {
            shown.push_back(s);
            chart.names.push_back(e.stages.size() == 1 ? "every GPU" : "stage " + std::to_string(s));
        } else {
            std::string& name = chart.names.back();
            name = "stages " + std::to_string(shown.back()) + " to " + std::to_string(s);
        }
    }
    for (int t = 0; t < memory_term_count; ++t) {
        const auto term = static_cast<MemoryTerm>(t);
        BarPart part{with_spaces(to_string(term)), {}};
        for (const std::size_t s : shown)
            part.values.push_back(e.stages[s][term].value() / bytes_per_gib);
        if (std::any_of(part.values.begin(), part.values.end(), [](double x) { return x > 0.0; }))
            chart.parts.push_back(std::move(part));
    }
    chart.rules = {{e.capacity.value() / bytes_per_gib, "usable"}};
    return chart;
}

BarChart step_bar(const Estimate& e) {
    BarChart chart{.title = "Step time", .label = "seconds", .names = {"step"}, .parts = {}};
    for (int t = 0; t < step_term_count; ++t) {
        const auto term = static_cast<StepTerm>(t);
        if (e.step[term].value() > 0.0)
            chart.parts.push_back({with_spaces(to_string(term)), {e.step[term].value()}});
    }
    return chart;
}

Table assumed_table(const Assumptions& assumptions) {
    Table table{
        .title = "Assumed", .columns = {"what", "value", "why", "change with"}, .rows = {}, .remarks = {}};
    for (const Assumption& each : assumptions)
        table.rows.push_back(
            {text_cell(each.field), text_cell(each.value), text_cell(each.why), text_cell(each.flag)});
    return table;
}

/// The summary without its title, which the page has, and the word about -v.
Table figures_of(const EstimateAnswer& answer) {
    Table table = summary_of(answer);
    table.title.clear();
    table.rows.erase(table.rows.begin());  // the verdict
    std::erase_if(table.remarks, [](const std::string& remark) { return remark.starts_with("-v"); });
    return table;
}

}  // namespace

HtmlPage page_of(const EstimateAnswer& answer, const TimelineAnswer* timeline) {
    const Estimate& e = answer.estimate;
    HtmlPage page{.title = job_title(answer.job),
                  .verdict = (e.fits ? "Fits: " : "Does not fit: ") + verdict(e),
                  .tone = answer.yes() ? Tone::good : Tone::bad,
                  .sections = {}};
    const std::string likely = probability_words(answer.sure);
    page.verdict += likely.empty() ? "" : "; probability of fitting " + likely;
    page.verdict += likely.empty() || answer.hope.empty() ? "" : ": " + answer.hope;
    page.verdict += answer.never_ends ? ". Training never ends: " + *answer.never_ends : "";
    page.sections.push_back({figures_of(answer)});
    page.sections.push_back({Chart(memory_bars(e))});
    page.sections.push_back({Chart(step_bar(e))});
    if (timeline != nullptr)
        page.sections.push_back({HtmlDrawing{
            "Timeline of one step", timeline_svg(timeline->line, timeline->lanes, job_title(timeline->job),
                                                 layout_text(timeline->job))}});
    if (!answer.assumptions.empty())
        page.sections.push_back({assumed_table(answer.assumptions)});
    for (Table& table : tables_of(answer, true)) {
        if (table.title != "Assumed" && !table.rows.empty()) {
            const bool open =
                table.title.starts_with("What would fit") || table.title.starts_with("Read from");
            page.sections.push_back({std::move(table), !open});
        }
    }
    return page;
}

HtmlPage page_of(std::string title, std::string verdict, Tone tone, const std::vector<Table>& tables,
                 const std::vector<Chart>& charts) {
    HtmlPage page{.title = std::move(title), .verdict = std::move(verdict), .tone = tone, .sections = {}};
    for (std::size_t i = 0; i < tables.size(); ++i) {
        page.sections.push_back(
            {tables[i], i > 0 && tables[i].rows.size() > long_table && !tables[i].title.empty()});
        if (i == 0) {
            for (const Chart& chart : charts)
                page.sections.push_back({chart});
        }
    }
    return page;
}

Chart pareto_chart(const SearchResult& result) {
    LineChart chart{.title = "Pareto front of time, memory and cost",
                    .x = {.label = "step time, s"},
                    .y = {.label = "memory per GPU, GiB"},
                    .series = {}};
    const auto point = [](const Plan& plan) {
        return ChartPoint{plan.metrics.time.value(), plan.metrics.memory.value() / bytes_per_gib};
    };
    ChartSeries front{.name = "Pareto front", .points = {}, .line = false};
    for (const Plan& plan : result.pareto)
        front.points.push_back(point(plan));
    ChartSeries best{.name = "best plans", .points = {}, .line = false};
    for (const Plan& plan : result.best)
        best.points.push_back(point(plan));
    chart.series = {std::move(front), std::move(best)};
    return chart;
}

HtmlPage page_of(const RecommendAnswer& answer, const std::vector<Table>& tables) {
    if (!answer.yes()) {
        return page_of("Best configurations", "No plan", Tone::bad, tables, {pareto_chart(answer.result)});
    }
    const Recommendation& best = answer.plans.front();
    return page_of("Best configurations",
                   job_title(best.job) + ": " + layout_text(best.job) + "; " +
                       to_text(best.estimate.step.total) + " per step",
                   Tone::good, tables, {pareto_chart(answer.result)});
}

}  // namespace traincost
