#include "traincost/ask/questions/recommend_question.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <utility>

#include "traincost/ask/questions/search_sites.hpp"
#include "traincost/ask/sureness.hpp"
#include "traincost/fit/uncertainty.hpp"
#include "traincost/plan/search_check.hpp"
#include "traincost/plan/search_emptiness.hpp"

namespace traincost {

namespace {

/// Half the relative width of an interval.
double half_width(const std::optional<Interval>& interval) {
    return interval ? (interval->high - interval->low) / (interval->high + interval->low) : 0.0;
}

/// What a difference between two predictions must exceed. Between plans of one cluster and stack: by how much
/// one measured lead in five is overstated. Between others, of whose errors nothing says how they go
/// together, and where only memory counts: half the interval that four of five comparable runs fall in.
TieRule tie_rule(const std::optional<double>& given, const Residuals& residuals, const SearchRequest& request,
                 const SearchResult& result) {
    if (given) {
        return {*given, *given, "--tie"};
    }
    if (result.best.empty()) {
        return {};
    }
    const Job job = job_of(request, result.best.front().configuration);
    const Uncertainty sure = uncertainty(residuals, job, estimate(job));
    const Objective& o = request.objective;
    const bool memory_only = o.time == 0.0 && o.cost == 0.0 && o.energy == 0.0;
    const double apart = half_width(memory_only ? sure.device_bytes : sure.step_time_s);
    const std::optional<LeadError> lead = lead_error(residuals.leads, job.stack.id);
    if (memory_only || !lead) {
        return {apart, apart, "the interval of comparable runs"};
    }
    return {std::exp(lead->overstated) - 1.0, apart,
            std::to_string(lead->pairs) + " measured pairs of layouts in " + std::to_string(lead->groups) +
                " groups" + (lead->stack.empty() ? "" : " of " + lead->stack)};
}

void fail_where_empty(const SearchRequest& request, const SearchResult& result) {
    if (result.counts.enumerated > 0 || result.interrupted) {
        return;
    }
    for (std::size_t i = 0; i < request.sites.size(); ++i) {
        const std::string why = why_empty(base_job(request, i), request.sites[i].space);
        if (!why.empty()) {
            throw Error(ErrorKind::input, why);
        }
    }
}

/// The search, and where nothing fits what goes beyond its space; `resolved` becomes what was answered.
RelaxedSearch search_further(const RecommendQuestion& question, const Sources& sources,
                             ResolvedSearch& resolved) {
    std::optional<ResolvedSearch> others;
    Freedoms freedoms = freedoms_of(question.search);
    freedoms.other_stacks = [&] {
        others = resolve_other_stacks(question.search, resolved, sources);
        return others ? others->request.sites : std::vector<Site>{};
    };
    RelaxedSearch answer = relaxed_search(resolved.request, freedoms, question.run ? question.run : search);
    if (answer.other_stacks) {
        resolved.assumptions = std::move(others->assumptions);
        resolved.operation = std::move(others->operation);
    }
    resolved.request = answer.request;
    return answer;
}

/// Leaves out the plans that settings nobody stated make risky. Where that is all of them, slower ones take
/// their place; all stay where those are risky too.
void leave_out_unsure(const SearchRequest& request, const Sureness& sure_of,
                      const std::function<SearchResult(SearchRequest&)>& run, SearchResult& result) {
    const auto sure = [&](const Plan& plan) {
        const Job job = job_of(request, plan.configuration);
        return sure_of(job, estimate(job));
    };
    result.risky = leave_out_risky(result.best, sure);
    if (!result.risky || result.interrupted)
        return;
    constexpr std::size_t times_more = 16;
    SearchRequest deeper = request;
    deeper.top = request.top * times_more;
    std::vector<Plan> plans = run(deeper).best;
    if (leave_out_risky(plans, sure))
        return;
    plans.resize(std::min(plans.size(), request.top));
    result.best = std::move(plans);
    result.risky = false;
}

}  // namespace

RecommendAnswer ask(const RecommendQuestion& question, const Sources& sources) {
    RecommendAnswer answer{.search = resolve_search(question.search, sources), .asked = question.search.job};
    SearchRequest& request = answer.search.request;
    if (request.sites.empty())
        return answer;
    const auto start = std::chrono::steady_clock::now();
    if (question.found_elsewhere) {
        answer.result = question.found_elsewhere(request);
    } else {
        RelaxedSearch found = search_further(question, sources, answer.search);
        answer.result = std::move(found.result);
        answer.relaxed = std::move(found.relaxed);
    }
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fail_where_empty(request, answer.result);
    if (!question.search.allow_risky && !answer.result.risky) {
        leave_out_unsure(request, plan_sureness(answer.asked, sources.residuals()),
                         question.run ? question.run : search, answer.result);
    }
    answer.tie = tie_rule(question.tie, sources.residuals(), request, answer.result);
    answer.plans = recommend(request, answer.result, answer.tie, answer.search.operation,
                             std::not_fn(plan_sure_to_fit(answer.asked, sources.residuals())));
    answer.assumptions = assumptions_of(answer.search, answer.result);
    if (question.each_cluster && !answer.result.interrupted)
        answer.clusters = best_of_clusters(request);
    return answer;
}

}  // namespace traincost
