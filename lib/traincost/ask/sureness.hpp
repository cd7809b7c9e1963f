// How sure an estimate is: one rule for `estimate` and for the plans of a search.
#pragma once

#include "traincost/ask/resolve.hpp"
#include "traincost/fit/setting_odds.hpp"

namespace traincost {

/// From comparable runs, spread by the settings that the draft leaves unstated: what `estimate` prints beside
/// the numbers of its job.
Uncertainty sureness(const JobDraft& draft, const Job& job, const Estimate& taken,
                     const Residuals& residuals);

/// The same of plans, whose flags say beside the question's draft what is recomputed: what `estimate` prints
/// with those flags. The residuals must outlive it.
Sureness plan_sureness(const JobDraft& question, const Residuals& residuals);

}  // namespace traincost
