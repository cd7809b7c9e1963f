// The flags that describe a search, and how it is run at a terminal.
#pragma once

#include <cli/job_options.hpp>
#include <cli/search_dimensions.hpp>
#include <traincost/fit/uncertainty.hpp>
#include <traincost/plan/relaxation.hpp>
#include <traincost/plan/search.hpp>
#include <traincost/report/chosen.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace traincost::cli {

/// This part of so many, 0-based.
struct ShardFlag {
    std::int64_t shard;
    std::int64_t shards;
};

/// Reads "3/16"; `Error` of kind usage where it names no shard.
ShardFlag shard_flag(const std::string& text);

/// The flags as given.
struct SearchFlags {
    JobFlags job;
    std::vector<std::string> clusters;
    std::vector<std::string> stacks;
    std::optional<std::int64_t> min_gpus{};
    std::optional<std::int64_t> max_gpus{};
    DimensionFlags dimensions{};
    std::optional<Seconds> deadline{};
    std::optional<Dollars> budget{};
    Objective objective{};
    bool full_space = false;
    bool exhaustive = false;
    bool allow_risky = false;
    std::int64_t top = 5;
    std::optional<ShardFlag> shard{};
    std::int64_t threads = 0;
};

/// A request and what nobody said of it.
struct ResolvedSearch {
    SearchRequest request;
    std::vector<std::vector<std::string>> assumptions;  ///< of each site
    Operation operation{};                              ///< of all sites
    std::vector<std::string> left_out{};                ///< clusters not searched, and why
};

/// What the flags leave open beyond the usual space; other stacks apart.
Freedoms freedoms_of(const SearchFlags& flags);

void add_search_options(CLI::App& app, SearchFlags& flags);

/// What plans must leave free so as to be sure to fit, by the runs in the data folder.
std::function<MemoryMargin(const Job&)> margins(const std::string& data_folder);

/// The request of the flags. `Error` where something is missing, unknown, or leaves nothing to search, named
/// by its flag.
ResolvedSearch resolve_search(const SearchFlags& flags, const Catalogue& catalogue, Context& context);

/// Runs the search: progress on a terminal after a second, and SIGINT or SIGTERM ends it with the best so
/// far.
SearchResult run_search(SearchRequest& request, Context& context);

}  // namespace traincost::cli
