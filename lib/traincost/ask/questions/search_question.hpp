// The words that describe a search, and the request they make.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "traincost/ask/job_input.hpp"
#include "traincost/ask/questions/search_dimensions.hpp"
#include "traincost/ask/resolve.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/plan/relaxation.hpp"
#include "traincost/plan/search.hpp"

namespace traincost {

/// This part of so many, 0-based.
struct Shard {
    std::int64_t shard;
    std::int64_t shards;
};

/// Reads "3/16"; `Error` of kind usage where it names no shard.
Shard shard_from(const std::string& text);

/// Reads "time", "cost", "memory", "energy" or a mix, "time=1,cost=0.5"; `Error` of kind usage.
Objective objective_from(const std::string& text);

struct SearchQuestion {
    JobDraft job{};        ///< by words and files
    JobDraft said{};       ///< by words alone
    bool of_file = false;  ///< a file says something of the job
    std::vector<std::string> clusters{}, stacks{};
    std::optional<std::int64_t> min_gpus{}, max_gpus{};
    DimensionChoices dimensions{};
    std::optional<Seconds> deadline{};
    std::optional<Dollars> budget{};
    Objective objective{};
    bool full_space = false;
    bool exhaustive = false;
    bool allow_risky = false;
    std::int64_t top = 5;
    std::optional<Shard> shard{};
    std::int64_t threads = 0;  ///< 0: all cores
};

/// Lays what a command line says of the job into the question. `Error` where its file cannot be read.
void take_job(SearchQuestion& question, const SaidJob& job, const Sources& sources);

/// A request and what nobody said of it.
struct ResolvedSearch {
    SearchRequest request;
    std::vector<std::vector<std::string>> assumptions;  ///< of each site
    Operation operation{};                              ///< of all sites
    std::vector<std::string> left_out{};                ///< clusters not searched, and why
};

/// What the question leaves open beyond the usual space; other stacks apart.
Freedoms freedoms_of(const SearchQuestion& question);

/// `Error` where a batch is said by the micro-batches of a layout, which a search has yet to find.
void refuse_accumulation(const JobDraft& said);

/// The request of the question. `Error` where something is missing, unknown, or leaves nothing to search,
/// named by its flag. The sources must outlive it.
ResolvedSearch resolve_search(const SearchQuestion& question, const Sources& sources);

}  // namespace traincost
