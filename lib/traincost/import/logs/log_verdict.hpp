// What a log says about a run beside its prediction: what was lost, and to what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/fit/achieved.hpp"
#include "traincost/import/logs/training_log.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// The step time of a job by its log, and the printed figure it is from.
struct LoggedStep {
    Seconds step;
    std::string from;  ///< "step time, median of 120"
};

/// The step time of an optimizer step that `log` prints, or the one that its throughput makes with the job's
/// batch, sequence and accelerators. Nothing where it prints neither.
std::optional<LoggedStep> logged_step(const TrainingLog& log, const Job& job);

/// Tokens trained on by the last iteration of the log, with the job's batch and sequence; nothing where
/// iterations are not steps.
std::optional<double> logged_tokens(const TrainingLog& log, const Job& job);

/// Sentences: throughput lost against the prediction, its likely causes, most likely first, and where the log
/// and the job are not the same run.
std::vector<std::string> log_verdict(const TrainingLog& log, const Job& job, const Achieved& achieved);

}  // namespace traincost
