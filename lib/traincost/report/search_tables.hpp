// What a search found, as tables.
#pragma once

#include <string>
#include <vector>

#include "traincost/plan/operation.hpp"
#include "traincost/plan/recommend.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// The plans ranked, why the first one's neighbours lose, what it hangs on, the Pareto front, and what was
/// searched.
std::vector<Table> search_tables(const SearchRequest& request, const SearchResult& result,
                                 const std::vector<Recommendation>& plans, const TieRule& tie,
                                 const std::vector<std::string>& assumptions,
                                 const Operation& operation = {});

/// Why there is no plan: what the nearest configuration lacks of each limit.
std::vector<std::string> why_no_plan(const SearchRequest& request, const SearchResult& result);

}  // namespace traincost
