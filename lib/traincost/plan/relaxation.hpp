// A search that goes beyond its space where nothing in it fits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "traincost/plan/search.hpp"

namespace traincost {

/// Whether a search deals a model's layers unevenly by itself, as with --uneven-stages: an odd number of them
/// leaves no pipeline of 2, 4, 8 … stages that hold equally many.
bool searches_uneven_stages(const Job& job);

/// What a search may add to its space where nothing fits: whatever nobody pinned.
struct Freedoms {
    bool uneven_stages = true;
    bool offload = true;
    bool recompute = true;
    /// Sites under other stacks; empty: none may be taken.
    std::function<std::vector<Site>()> other_stacks{};
};

/// The answer of a search, and the request it answers.
struct RelaxedSearch {
    SearchRequest request;
    SearchResult result;
    std::vector<std::string>
        relaxed;                ///< beyond the space, in words; empty where the space itself had a plan
    bool other_stacks = false;  ///< the request's sites are those of `Freedoms::other_stacks`
};

/// Searches the request's space. Where nothing in it fits in memory, or no plan has its margin, it is
/// searched again with stages of unequal length, states and activations on the host and more kinds of
/// recompute, all at once so that the best of all is found; where that holds no plan either, under other
/// stacks, and last under these with the same freedoms. Where no space has a plan with its margin the answer
/// is the first with a plan, else that of the space itself.
RelaxedSearch relaxed_search(SearchRequest request, const Freedoms& freedoms,
                             const std::function<SearchResult(SearchRequest&)>& run);

}  // namespace traincost
