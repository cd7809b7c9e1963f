// Settings of a run that nobody stated, as uncertainty: what the estimate would be if they were otherwise.
#pragma once

#include <string>
#include <vector>

#include "traincost/ask/resolve.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/fit/setting_odds.hpp"

namespace traincost {

/// What the job takes with one setting otherwise.
struct OtherSetting {
    std::string value;  ///< "full", as the flag has it
    Seconds step;
    Bytes device;  ///< of the fullest rank
    bool fits;
    double odds;  ///< how often runs have it that do not say
};

/// A setting that the stack's launcher leaves to its user and nobody stated.
struct UnstatedSetting {
    std::string field;  ///< "recompute"
    std::string flag;   ///< that states it: "--recompute"
    std::string taken;  ///< "none"
    std::vector<OtherSetting> others;
    double share = 0.0;  ///< of the width of all settings' ranges of step time, in logarithms
};

/// What the unstated settings leave open; no settings: everything that matters was stated.
struct UnstatedRange {
    std::vector<UnstatedSetting> settings{};  ///< widest first
    Seconds step_low{}, step_high{};
    Bytes device_low{}, device_high{};
};

/// Evaluates each plausible other value alone, and the fastest and the slowest of all together: at most
/// `most_unstated_evaluations` estimates. Recomputation, attention kernel, compiler, precision, and in
/// tuning the length of samples, where the draft is silent and the stack has the choice; the host's speed
/// where launches wait for it; and how evenly tokens are routed where experts lie on several ranks. A value
/// that does not fit in memory is no part of the ranges where the job as taken does: a run that runs does not
/// have it.
UnstatedRange unstated_range(const JobDraft& draft, const Job& job, const Estimate& taken);

inline constexpr int most_unstated_evaluations = 10;

/// The odds of the settings and what each does to step time and memory, of values that fit (or of all, where
/// the job as taken does not).
std::vector<SettingOdds> odds_of(const UnstatedRange& range, const Estimate& taken);

/// "--recompute is not stated, and full would fit": why a job that does not fit as taken may fit; empty where
/// no setting's other value would.
std::string hope(const UnstatedRange& range, const Estimate& taken);

/// "stating --recompute would narrow the step's range by 62%"; empty where no setting has a range.
std::string advice(const UnstatedRange& range);

}  // namespace traincost
