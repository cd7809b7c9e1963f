// A search as it runs at a terminal.
#pragma once

#include <cli/context.hpp>
#include <traincost/plan/search.hpp>

namespace traincost::cli {

/// Runs the search: progress on a terminal after a second, and SIGINT or SIGTERM ends it with the best so
/// far.
SearchResult run_search(SearchRequest& request, Context& context);

}  // namespace traincost::cli
