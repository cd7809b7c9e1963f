// The flags that describe a search, and how it is run at a terminal.
#pragma once

#include <cli/context.hpp>
#include <cli/job_flags.hpp>
#include <traincost/ask/search_question.hpp>

namespace traincost::cli {

/// The flags as given.
struct SearchFlags {
    JobFlags job;
    SearchQuestion words{};  ///< but for the job
};

void add_search_options(CLI::App& app, SearchFlags& flags);

/// The question of the flags, and of the job file that they name. `Error` where it cannot be read.
SearchQuestion search_question(const SearchFlags& flags, const Sources& sources);

/// Runs the search: progress on a terminal after a second, and SIGINT or SIGTERM ends it with the best so
/// far.
SearchResult run_search(SearchRequest& request, Context& context);

}  // namespace traincost::cli
