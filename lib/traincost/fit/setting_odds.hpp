// Intervals of jobs whose settings nobody stated: residuals of comparable runs, spread by what the settings
// may be.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "traincost/fit/uncertainty.hpp"

namespace traincost {

/// One other value of a setting: its probability, and ln(prediction with it / prediction as taken).
struct OtherOdds {
    double probability;
    double log_time;
    double log_memory;
};

/// The other values of one setting. What their probabilities leave of 1 is the value taken.
using SettingOdds = std::vector<OtherOdds>;

/// The distribution of measured over predicted where each setting, independently of the others, puts its
/// factor on what was measured. `of` is a member of OtherOdds: log_time or log_memory. No settings change
/// nothing.
ResidualQuantiles spread(const ResidualQuantiles& quantiles, std::span<const SettingOdds> settings,
                         double OtherOdds::*of);

/// How sure the estimate of a job is.
using Sureness = std::function<Uncertainty(const Job&, const Estimate&)>;

/// Whether any measured run, of time or of memory in any view, is of the job's stack on its class of
/// accelerators: what settings may be then widens nothing.
bool is_familiar(const Residuals& residuals, const Job& job);

/// The uncertainty of a job whose settings nobody stated. Its intervals of step time and memory are spread
/// where no run of its stack on its class of accelerators is known; there the known runs say what is usual.
/// The probability of fitting is that of the settings taken.
Uncertainty with_unstated(Uncertainty stated, const Residuals& residuals, const Job& job,
                          const Estimate& estimate, std::span<const SettingOdds> settings);

}  // namespace traincost
