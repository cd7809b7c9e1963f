#include "traincost/report/answers/recommend_answer.hpp"
#include "traincost/ask/sureness.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/io/answers/search_json.hpp"
#include "traincost/io/answers/shard_json.hpp"
#include "traincost/report/answers/answer_pages.hpp"
#include "traincost/report/chosen.hpp"
#include "traincost/report/tables/estimate_tables.hpp"
#include "traincost/report/tables/search_tables.hpp"

namespace traincost {

std::vector<Table> recommend_tables(const RecommendAnswer& answer, const Residuals& residuals,
                                    std::size_t explained) {
    const SearchRequest& request = answer.search.request;
    const Sureness sure = plan_sureness(answer.asked, residuals);
    const FitProbability fits = [&](const Plan& plan) {
        const Job job = job_of(request, plan.configuration);
        return sure(job, estimate(job)).probability_of_fitting;
    };
    std::vector<Table> tables = search_tables(request, answer.result, answer.plans, answer.tie,
                                              answer.assumptions, fits, answer.search.operation, explained);
    if (!answer.relaxed.empty())
        tables.front().remarks.push_back(relaxed_text(answer.relaxed));
    if (!answer.plans.empty()) {
        const Recommendation& first = answer.plans.front();
        tables.front().remarks.push_back(chosen_text(residuals, sure(first.job, first.estimate)));
    }
    if (answer.result.risky)
        tables.front().remarks.emplace_back(risky_text);
    if (answer.clusters) {
        tables.insert(tables.begin() + (answer.plans.empty() ? 0 : 1),
                      cluster_table(request, *answer.clusters, fits));
    }
    if (!answer.search.left_out.empty())
        tables.push_back(remarks_table("Not searched", answer.search.left_out));
    return tables;
}

void write_json(JsonWriter& out, const RecommendAnswer& answer, const Residuals& residuals) {
    const SearchRequest& request = answer.search.request;
    const Sureness sure = plan_sureness(answer.asked, residuals);
    out.begin_object();
    write_search_members(out, request, answer.result, answer.plans, sure, answer.seconds, answer.assumptions,
                         answer.search.operation);
    out.member("tie_below", answer.tie.same_site);
    out.member("tie_below_other_cluster", answer.tie.other_site);
    out.member("tie_basis", answer.tie.basis);
    out.array("left_out", answer.search.left_out);
    out.member("risky", answer.result.risky);
    if (!answer.plans.empty()) {
        const Recommendation& first = answer.plans.front();
        write_chosen(out, residuals, sure(first.job, first.estimate));
    }
    if (answer.clusters)
        write_clusters(out, request, *answer.clusters, sure);
    out.array("relaxed", answer.relaxed);
    out.array("no_plan_because",
              answer.plans.empty() ? why_no_plan(request, answer.result) : std::vector<std::string>{});
    out.end_object();
}

PrintedAnswer printed_answer(const RecommendAnswer& answer, const RecommendView& view,
                             const Sources& sources) {
    const auto tables = [&answer, &sources, explained = static_cast<std::size_t>(view.why)] {
        return recommend_tables(answer, sources.residuals(), explained);
    };
    return {.json = [&] { return json_text(answer, sources.residuals()); },
            .tables = tables,
            .page = [&answer, tables] { return page_of(answer, tables()); }};
}

std::vector<std::string> why_no_plan(const RecommendAnswer& answer) {
    if (answer.search.request.sites.empty()) {
        return answer.search.left_out;
    }
    if (answer.yes() || answer.result.interrupted) {
        return {};
    }
    return why_no_plan(answer.search.request, answer.result);
}

ShardAnswer searched_shard(const RecommendQuestion& question, const std::vector<std::string>& arguments,
                           const Sources& sources) {
    ResolvedSearch resolved = resolve_search(question.search, sources);
    SearchRequest& request = resolved.request;
    const SearchResult result = question.run ? question.run(request) : search(request);
    return {shard_text({arguments, fingerprint(request), request.shard, request.shards, result}),
            result.interrupted};
}

}  // namespace traincost
