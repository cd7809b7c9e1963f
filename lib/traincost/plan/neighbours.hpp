// The nearest alternatives of a plan, and why they lose.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/plan/search.hpp"

namespace traincost {

/// The nearest other plan in one dimension, all else equal (data parallelism takes or gives the ranks). The
/// number of accelerators and the cluster are dimensions too where several are searched.
struct Neighbour {
    std::string change;  ///< "tp 4 instead of 8 (dp 16)"
    bool fits;
    bool risky;       ///< fits by the prediction, and is better in some way, but may not fit
    Bytes shortfall;  ///< memory beyond what is allowed, where it does not fit
    PlanMetrics metrics;
    double loss;    ///< objective over the plan's, less one: 0.12 is 12 % worse; negative: better
    StepTerm term;  ///< the part of the step that grows most, where `term_growth` > 0
    Seconds term_growth;
    std::string why;  ///< all of that in one sentence
};

/// Whether a job that fits by its estimate may not fit.
using MayNotFit = std::function<bool(const Job&, const Estimate&)>;

/// The neighbours of one plan in every dimension of the space, nearest first, at most two a dimension;
/// of other clusters the one where the same configuration is best. Those that are slower, dearer and worse
/// by the objective are not asked whether they may not fit.
std::vector<Neighbour> neighbours(const SearchRequest& request, const Plan& plan,
                                  const MayNotFit& may_not_fit = {});

/// The objective's value of `other` over that of `plan`, less one.
double loss_of(const Objective& objective, double plan, double other);

}  // namespace traincost
