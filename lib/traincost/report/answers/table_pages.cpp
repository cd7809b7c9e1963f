#include "traincost/base/text.hpp"
#include "traincost/report/answers/achieved_answer.hpp"
#include "traincost/report/answers/answer_pages.hpp"
#include "traincost/report/answers/estimate_answer.hpp"
#include "traincost/report/answers/estimate_summary.hpp"
#include "traincost/report/tables/estimate_tables.hpp"
#include "traincost/report/tables/plan_tables.hpp"
#include "traincost/report/tables/sweep_tables.hpp"

namespace traincost {

PrintedAnswer printed_answer(const EstimateAnswer& answer, const EstimateView& view) {
    const bool all = view.verbose || view.output.format != Format::table;
    return {.json = [&answer] { return json_text(answer); },
            .tables =
                [&answer, &view, all] {
                    return all ? tables_of(answer, view.verbose) : std::vector<Table>{summary_of(answer)};
                },
            .page =
                [&answer] {
                    const std::optional<TimelineAnswer> timeline = timeline_of(answer);
                    return page_of(answer, timeline ? &*timeline : nullptr);
                }};
}

HtmlPage page_of(const AchievedAnswer& answer) {
    return page_of(job_title(answer.resolved.job),
                   "Measured " + to_text(answer.step.step) + " per step, predicted " +
                       to_text(answer.achieved.predicted.step.total),
                   Tone::plain, achieved_tables(answer));
}

HtmlPage page_of(const CompareAnswer& answer) {
    return page_of("Comparison of jobs", answer.yes() ? "Every job fits" : "Not every job fits",
                   answer.yes() ? Tone::good : Tone::bad, tables_of(answer), charts_of(answer));
}

HtmlPage page_of(const PlanAnswer& answer, const Residuals& residuals) {
    return page_of(title_of(answer), answer.yes() ? "A strategy fits" : "No strategy fits",
                   answer.yes() ? Tone::good : Tone::bad, tables_of(answer, residuals));
}

HtmlPage page_of(const SweepAnswer& answer) {
    return page_of("Sweep", std::to_string(answer.points.size()) + " points", Tone::plain,
                   {sweep_table(answer.axes, answer.points)}, sweep_charts(answer.axes, answer.points));
}

}  // namespace traincost
