// Why a plan is where it is: what bounds it, what its neighbours lose, what it hangs on, whether the next one
// is really worse.
#pragma once

#include <string>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/plan/search.hpp"

namespace traincost {

/// The nearest other plan in one dimension, all else equal (data parallelism takes or gives the ranks).
struct Neighbour {
    std::string change;  ///< "tp 4 instead of 8 (dp 16)"
    bool fits;
    Bytes shortfall;  ///< memory beyond what is allowed, where it does not fit
    PlanMetrics metrics;
    double loss;    ///< objective over the plan's, less one: 0.12 is 12 % worse; negative: better
    StepTerm term;  ///< the part of the step that grows most, where `term_growth` > 0
    Seconds term_growth;
    std::string why;  ///< all of that in one sentence
};

/// How a plan's step answers to one input that is not known exactly.
struct Sensitivity {
    std::string input;  ///< "bandwidth between nodes"
    double change;      ///< of the input: -0.2
    double step;        ///< of the step time: 0.07
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
                                      const TieRule& tie);

/// The neighbours of one plan in every dimension of the space, nearest first, at most two a dimension.
std::vector<Neighbour> neighbours(const SearchRequest& request, const Plan& plan);

/// The configuration in words: "tp 8, pp 4, dp 32, zero 1, micro-batch 2, selective recompute".
std::string configuration_text(const SearchRequest& request, const Configuration& configuration);

}  // namespace traincost
