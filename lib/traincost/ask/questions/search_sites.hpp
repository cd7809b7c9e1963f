// Where a search looks: clusters, stacks and numbers of accelerators.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/ask/questions/search_question.hpp"

namespace traincost {

/// A search of every site that the question names. Of several, node types that cannot run the job, or have no
/// price where one is needed, are left out with their reason; of one that is an `Error`.
ResolvedSearch resolve_sites(const SearchQuestion& question, const Sources& sources);

/// The assumptions of the sites that `result` names, of all sites where it names none: those they share, then
/// each cluster's own under its name.
std::vector<std::string> assumptions_of(const ResolvedSearch& search, const SearchResult& result);

/// The same question under the other usual stacks of the accelerator, for when nothing fits under the one
/// taken; nothing where a stack was named.
std::optional<ResolvedSearch> resolve_other_stacks(const SearchQuestion& question,
                                                   const ResolvedSearch& search, const Sources& sources);

}  // namespace traincost
