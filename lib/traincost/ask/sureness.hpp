// How sure jobs and the plans of a search are.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "traincost/ask/resolve.hpp"
#include "traincost/fit/setting_odds.hpp"

namespace traincost {

/// How sure a job is whose draft leaves settings unstated: what `estimate` prints of it.
Uncertainty sureness(const JobDraft& draft, const Job& job, const Estimate& taken,
                     const Residuals& residuals);

/// How sure plans are, whose flags say beside the question's draft what is recomputed: what `estimate` prints
/// with those flags. The residuals must outlive it.
Sureness plan_sureness(const JobDraft& question, const Residuals& residuals);

/// Leaves out the plans that are not sure to fit; where none is, all stay. Whether that is so. A search
/// leaves out what the settings taken make risky, this what settings that nobody stated do: only plans are
/// asked.
template <class Option, class SureOf>
bool leave_out_risky(std::vector<Option>& plans, SureOf sure_of) {
    std::vector<Option> kept;
    std::copy_if(plans.begin(), plans.end(), std::back_inserter(kept), [&](const Option& plan) {
        return sure_of(plan).probability_of_fitting.value_or(1.0) >= sure_to_fit;
    });
    if (kept.empty())
        return !plans.empty();
    plans = std::move(kept);
    return false;
}

}  // namespace traincost
