// What a search found, in JSON: for people's programs, and for the shards of one search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traincost/fit/setting_odds.hpp"
#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/plan/cluster_ranking.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/plan/recommend.hpp"

namespace traincost {

/// A hash of everything that decides the request's answer.
std::string fingerprint(const SearchRequest& request);

/// Writes "counts" into the object that is open.
void write_counts(JsonWriter& out, const SearchCounts& counts);

/// Writes evaluated, feasible, seconds, plans, pareto and counts into the object that is open.
void write_search_members(JsonWriter& out, const SearchRequest& request, const SearchResult& result,
                          const std::vector<Recommendation>& plans, const Sureness& sure, double seconds,
                          const std::vector<std::string>& assumptions, const Operation& operation = {});

/// Writes "clusters": the best plan of each, or why it has none.
void write_clusters(JsonWriter& out, const SearchRequest& request, const std::vector<ClusterPlan>& clusters,
                    const Sureness& sure);

}  // namespace traincost
