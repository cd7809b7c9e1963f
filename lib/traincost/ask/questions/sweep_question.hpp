// `sweep`: every combination of some fields' values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "traincost/ask/job_input.hpp"
#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/ask/questions/search_question.hpp"
#include "traincost/plan/sweep.hpp"

namespace traincost {

struct SweepQuestion {
    JobDraft file;                ///< what a file says of every point
    JobDraft said;                ///< over it
    std::vector<SweepAxis> axes;  ///< by flag; "job" has a job file for each value
    std::int64_t shard = 0;       ///< only every `shards`-th point, from this one
    std::int64_t shards = 1;
    bool weighs_unstated = false;  ///< says how sure each point is
};

struct SweepAnswer {
    std::vector<SweepAxis> axes;
    std::vector<SweepPoint> points;   ///< of the shard
    std::int64_t all;                 ///< points of the whole sweep
    std::vector<Uncertainty> sure{};  ///< of each point that is a job; empty unless asked for

    /// Whether any point fits, or there is none.
    bool yes() const;
};

/// The axes of texts such as "tp=1,2,4". `Error` of kind usage, "--vary: …", where one is no axis, names no
/// field of a job, or varies a field again.
std::vector<SweepAxis> sweep_axes(const std::vector<std::string>& texts);

/// The question of a command line: axes as `sweep_axes` takes them, a job, and of a shard its part. `Error`
/// where the job is to be read from the standard input.
SweepQuestion sweep_question(const std::vector<std::string>& axes, const SaidJob& job,
                             const std::optional<Shard>& shard, const Sources& sources);

/// `Error` where a name is not known, or no point is a job; a combination that cannot be is a point with its
/// problem.
SweepAnswer ask(const SweepQuestion& question, const Sources& sources);

}  // namespace traincost
