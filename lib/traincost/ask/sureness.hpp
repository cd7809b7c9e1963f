// How sure jobs and the plans of a search are.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "traincost/ask/resolve.hpp"
#include "traincost/fit/setting_odds.hpp"

namespace traincost {

/// Whether a job so sure fits by more than a chance that is worth naming; where none is known it does.
inline bool is_sure_to_fit(const Uncertainty& sure) {
    return sure.probability_of_fitting.value_or(1.0) >= sure_to_fit;
}

/// How sure a job is whose draft leaves settings unstated: what `estimate` prints of it.
Uncertainty sureness(const JobDraft& draft, const Job& job, const Estimate& taken,
                     const Residuals& residuals);

/// How sure plans are, whose flags say beside the question's draft what is recomputed: what `estimate` prints
/// with those flags. The residuals must outlive it.
Sureness plan_sureness(const JobDraft& question, const Residuals& residuals);

/// Whether plans with no less than `sure_to_fit` are; the same lifetime.
std::function<bool(const Job&, const Estimate&)> plan_sure_to_fit(const JobDraft& question,
                                                                  const Residuals& residuals);

/// Leaves out the plans that are not sure to fit; where none is, all stay. Whether that is so. A search
/// leaves out what the settings taken make risky, this what settings that nobody stated do: only plans are
/// asked.
template <class Option, class SureOf>
bool leave_out_risky(std::vector<Option>& plans, SureOf sure_of) {
    std::vector<Option> kept;
    std::copy_if(plans.begin(), plans.end(), std::back_inserter(kept),
                 [&](const Option& plan) { return is_sure_to_fit(sure_of(plan)); });
    if (kept.empty())
        return !plans.empty();
    plans = std::move(kept);
    return false;
}

}  // namespace traincost
