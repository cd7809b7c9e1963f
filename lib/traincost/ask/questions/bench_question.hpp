// `export bench`: the script that measures a job, and what is expected of it.
#pragma once

#include <string>

#include "traincost/ask/resolve.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/export/bench.hpp"

namespace traincost {

struct BenchQuestion {
    JobDraft job;
    std::string own_stack;  ///< the one the script runs: taken where the job names none
    BenchOptions bench{};   ///< loss and optimizer are the job's
};

struct BenchAnswer {
    Job job;
    Assumptions assumptions;
    std::string assumed_stack;  ///< the script's own, because nobody named one; else empty
    std::string script;
    Estimate predicted;  ///< of what is measured
};

/// `Error` where the draft is no job, or the script cannot run it.
BenchAnswer ask(const BenchQuestion& question, const Sources& sources);

}  // namespace traincost
