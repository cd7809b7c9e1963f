// Answers as pages that people send.
#pragma once

#include <string>
#include <vector>

#include "traincost/ask/questions/achieved_question.hpp"
#include "traincost/ask/questions/compare_question.hpp"
#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/ask/questions/plan_question.hpp"
#include "traincost/ask/questions/recommend_question.hpp"
#include "traincost/ask/questions/sweep_question.hpp"
#include "traincost/ask/questions/timeline_question.hpp"
#include "traincost/plan/search.hpp"
#include "traincost/report/charts/html_page.hpp"
#include "traincost/report/printed_answer.hpp"

namespace traincost {

/// An estimate: verdict, figures, memory of each stage and parts of the step as bars, the step in time where
/// `timeline` is not null, what was assumed and why, what files said; the tables of `estimate -v` folded.
HtmlPage page_of(const EstimateAnswer& answer, const TimelineAnswer* timeline = nullptr);

/// An answer that is tables and charts: the first table open, then the charts, then the others; tables of
/// more than `long_table` rows behind the first are folded.
HtmlPage page_of(std::string title, std::string verdict, Tone tone, const std::vector<Table>& tables,
                 const std::vector<Chart>& charts = {});

/// The best plan of a search, its tables, and the plans that none beats.
HtmlPage page_of(const RecommendAnswer& answer, const std::vector<Table>& tables);

/// The plans of a search that none beats in time, memory and cost: memory over the time of a step.
Chart pareto_chart(const SearchResult& result);

/// How an estimate is printed.
struct EstimateView {
    OutputWish output{};
    bool verbose = false;  ///< all tables
};

/// In each form: as text the summary alone, unless all is asked for. Both must live as long as what is
/// returned.
PrintedAnswer printed_answer(const EstimateAnswer& answer, const EstimateView& view);

/// Their tables, and their charts where they have some.
HtmlPage page_of(const AchievedAnswer& answer);
HtmlPage page_of(const CompareAnswer& answer);
HtmlPage page_of(const PlanAnswer& answer, const Residuals& residuals);
HtmlPage page_of(const SweepAnswer& answer);

}  // namespace traincost
