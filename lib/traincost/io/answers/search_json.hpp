// What a search found, in JSON: for people's programs, and for the shards of one search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traincost/fit/uncertainty.hpp"
#include "traincost/io/json.hpp"
#include "traincost/plan/cluster_ranking.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/plan/recommend.hpp"

namespace traincost {

/// One part of a search, with what it takes to merge it with its siblings ("shard/1").
struct ShardFile {
    std::vector<std::string> arguments;  ///< of the command that made it, without --shard
    std::string request;                 ///< fingerprint of the search: only equal ones merge
    std::int64_t shard;                  ///< 0-based
    std::int64_t shards;
    SearchResult result;
};

/// The file's text.
std::string shard_text(const ShardFile& file);

/// Reads what `shard_text` wrote, every double exactly; `Error` of kind input where anything is missing, of
/// the wrong type, or does not add up.
ShardFile shard_from_json(const JsonNode& node);

/// The shards as one result. `Error` of kind input where they are of different searches, where one is there
/// twice or missing.
SearchResult merge_shards(const std::vector<ShardFile>& files, const std::vector<std::string>& names,
                          std::size_t top);

/// A hash of everything that decides the request's answer.
std::string fingerprint(const SearchRequest& request);

/// Writes evaluated, feasible, seconds, plans, pareto and counts into the object that is open.
void write_search_members(JsonWriter& out, const SearchRequest& request, const SearchResult& result,
                          const std::vector<Recommendation>& plans, const Residuals& residuals,
                          double seconds, const std::vector<std::string>& assumptions,
                          const Operation& operation = {});

/// Writes "clusters": the best plan of each, or why it has none.
void write_clusters(JsonWriter& out, const SearchRequest& request, const std::vector<ClusterPlan>& clusters,
                    const Residuals& residuals);

}  // namespace traincost
