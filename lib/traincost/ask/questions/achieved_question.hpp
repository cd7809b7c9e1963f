// `achieved`: how good a run was, from its step time, its throughput or its log.
#pragma once

#include <optional>
#include <string>

#include "traincost/ask/resolve.hpp"
#include "traincost/fit/achieved.hpp"
#include "traincost/fit/uncertainty.hpp"
#include "traincost/import/logs/log_reader.hpp"
#include "traincost/import/logs/log_verdict.hpp"

namespace traincost {

/// One measurement: a step time, a throughput, or a log that prints one.
struct AchievedQuestion {
    JobDraft job{};
    std::optional<Seconds> step_time{};
    std::optional<double> tokens_per_s{};  ///< of all accelerators together
    std::optional<double> tokens_per_s_per_gpu{};
    std::optional<double> samples_per_s{};  ///< sequences, of all accelerators together
    std::optional<double> tokens_done{};    ///< so far; nothing: as far as the log goes
    std::optional<TrainingLog> log{};
    std::string log_name{};  ///< of its first file
};

struct AchievedAnswer {
    ResolvedJob resolved;
    LoggedStep step;  ///< the measurement, and where it is from
    Achieved achieved;
    Uncertainty sure;     ///< of the prediction
    std::string verdict;  ///< how the step compares with the prediction and with what is possible
    std::optional<TrainingLog> log{};
    std::string log_name{};
};

/// `Error` where the draft is no job, or there is not one measurement.
AchievedAnswer ask(const AchievedQuestion& question, const Sources& sources);

}  // namespace traincost
