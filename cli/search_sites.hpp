// Where a search looks: clusters, stacks and numbers of accelerators.
#pragma once

#include <cli/search_options.hpp>

namespace traincost::cli {

/// A search of every site that the flags name. Of the whole catalogue, node types that cannot run the job, or
/// have no price where one is needed, are left out with their reason; of named ones that is an `Error`.
ResolvedSearch resolve_sites(const SearchFlags& flags, const Catalogue& catalogue, Context& context);

/// The assumptions of the sites that `result` names, of all sites where it names none: those they share, then
/// each cluster's own under its name.
std::vector<std::string> assumptions_of(const ResolvedSearch& search, const SearchResult& result);

}  // namespace traincost::cli
