// Why a plan is where it is: what bounds it, what its neighbours lose, what it hangs on, whether the next one
// is really worse.
#pragma once

#include <string>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/plan/configuration_text.hpp"
#include "traincost/plan/neighbours.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/plan/search.hpp"

namespace traincost {

/// How a plan's step answers to one input that is not known exactly.
struct Sensitivity {
    std::string input;  ///< "bandwidth between nodes"
    double change;      ///< of the input: -0.2
    double step;        ///< of the step time over the goodput: 0.07
    bool stays_best;    ///< still ahead of all other plans given, under the change
};

/// A plan with everything a person needs to choose it.
struct Recommendation {
    Plan plan;
    Job job;
    Estimate estimate;
    StepTerm bound_by;  ///< the largest part of the step
    bool tie;           ///< not distinguishable from the best plan
    double behind;      ///< objective over the best plan's, less one
    std::vector<Neighbour> neighbours;
    std::vector<Sensitivity> sensitivities;
    std::vector<Configuration> also;  ///< other layouts, as fast and in about as much memory
};

/// Relative differences below which two plans cannot be told apart. Plans of one cluster and stack share most
/// of their error; others share none that is known.
struct TieRule {
    double same_site = 0.0;
    double other_site = 0.0;
    std::string basis{};  ///< of `same_site`: "141 groups of measured layouts", or who said so
};

/// The result's best plans, explained. Objectives that are logarithms of a mix compare by their difference.
std::vector<Recommendation> recommend(const SearchRequest& request, const SearchResult& result,
                                      const TieRule& tie, const Operation& operation = {},
                                      const MayNotFit& may_not_fit = {});

}  // namespace traincost
