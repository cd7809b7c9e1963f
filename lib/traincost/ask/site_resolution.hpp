// The cluster and the stack of a draft.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "traincost/ask/resolve.hpp"
#include "traincost/base/error.hpp"

namespace traincost {

/// Accelerators on their node.
struct ResolvedCluster {
    ClusterSpec spec;
    bool price_of_other_nodes;  ///< its own has none
};

/// The accelerators of the draft on their node, and what was assumed to choose it.
ResolvedCluster resolve_cluster(const JobDraft& draft, const Catalogue& catalogue, const JobNeeds& needs,
                                Assumptions& out);

/// The stack of the draft; where it says none, that of the model's recipe, or the one usual on the
/// accelerator.
StackSpec resolve_stack(const JobDraft& draft, const Sources& sources, const AcceleratorSpec& accelerator,
                        const std::optional<PublishedRecipe>& recipe, Assumptions& out);

/// Runs a look-up whose error names the place that said the name.
template <class Look>
auto looked_up_for(const std::string& where, Look look) {
    try {
        return look();
    } catch (const Error& error) {
        std::vector<Problem> problems = error.problems();
        for (Problem& problem : problems) {
            if (!where.empty())
                problem = {where, to_string(problem)};
        }
        throw Error(error.kind(), std::move(problems));
    }
}

}  // namespace traincost
