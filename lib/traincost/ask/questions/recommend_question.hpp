// `recommend`: the best configurations for one or more clusters, and why.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "traincost/ask/questions/search_question.hpp"
#include "traincost/plan/cluster_ranking.hpp"
#include "traincost/plan/recommend.hpp"

namespace traincost {

struct RecommendQuestion {
    SearchQuestion search{};
    std::optional<double>
        tie{};  ///< differences below it are ties; nothing: the measured error of predicted leads
    bool each_cluster = false;  ///< also the best plan of each cluster and stack
    /// How a request is searched; empty: `search`.
    std::function<SearchResult(SearchRequest&)> run{};
    /// The result of shards that were searched elsewhere, in place of a search.
    std::function<SearchResult(const SearchRequest&)> found_elsewhere{};
};

struct RecommendAnswer {
    ResolvedSearch search;  ///< what was answered; no sites: every cluster was left out
    JobDraft asked{};       ///< what the question says of the job
    SearchResult result{};
    std::vector<std::string> relaxed{};  ///< what the plans take beyond the usual space
    double seconds = 0.0;                ///< that the search took
    TieRule tie{};
    std::vector<Recommendation> plans{};
    std::vector<std::string> assumptions{};
    std::optional<std::vector<ClusterPlan>> clusters{};

    bool yes() const {
        return !plans.empty();
    }
};

/// `Error` where the question is no search, or leaves nothing to search.
RecommendAnswer ask(const RecommendQuestion& question, const Sources& sources);

}  // namespace traincost
