// Where a search looks: clusters, stacks and numbers of accelerators.
#pragma once

#include <cli/search_options.hpp>

namespace traincost::cli {

/// A search of every site that the flags name. Of several, node types that cannot run the job, or have no
/// price where one is needed, are left out with their reason; of one that is an `Error`.
ResolvedSearch resolve_sites(const SearchFlags& flags, const Catalogue& catalogue, Context& context);

/// The assumptions of the sites that `result` names, of all sites where it names none: those they share, then
/// each cluster's own under its name.
std::vector<std::string> assumptions_of(const ResolvedSearch& search, const SearchResult& result);

/// The same question under the other usual stacks of the accelerator, for when nothing fits under the one
/// taken; nothing where a stack was named.
std::optional<ResolvedSearch> resolve_other_stacks(const SearchFlags& flags, const ResolvedSearch& search,
                                                   const Catalogue& catalogue, Context& context);

}  // namespace traincost::cli
