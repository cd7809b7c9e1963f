// What a search found, as tables.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "traincost/plan/cluster_ranking.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/plan/recommend.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// The probability that a plan fits in memory; nothing where no measured runs tell.
using FitProbability = std::function<std::optional<double>(const Plan&)>;

/// The plans ranked, why the neighbours of the first `explained` lose, what the first hangs on, the Pareto
/// front, and what was searched.
std::vector<Table> search_tables(const SearchRequest& request, const SearchResult& result,
                                 const std::vector<Recommendation>& plans, const TieRule& tie,
                                 const std::vector<std::string>& assumptions, const FitProbability& fits,
                                 const Operation& operation = {}, std::size_t explained = 1);

/// The best plan of each cluster, or why it has none.
Table cluster_table(const SearchRequest& request, const std::vector<ClusterPlan>& clusters,
                    const FitProbability& fits = {});

/// "Nothing fits in the usual space; searched beyond it: stages of unequal length."
std::string relaxed_text(const std::vector<std::string>& relaxed);

/// Why there is no plan: what the nearest configuration lacks of each limit.
std::vector<std::string> why_no_plan(const SearchRequest& request, const SearchResult& result);

}  // namespace traincost
