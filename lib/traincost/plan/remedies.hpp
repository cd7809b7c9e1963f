// What to change in a job that does not fit.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/plan/search.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// One change to a job, in the words of the command line, and what it does.
struct Remedy {
    std::string change;  ///< "--zero 3 --recompute full"
    Bytes device;        ///< memory of the fullest stage
    Seconds step;
    bool fits;
    bool risky = false;  ///< fits by the prediction, but without the margin asked for
    Job job;             ///< with the change
};

/// Changes of one or a few choices (ZeRO stage, micro-batch, recompute, tensor and pipeline parallelism)
/// under which the job fits in `capacity`, fastest first, at most `top`. Where none is enough, the best plans
/// of a search with the job's batch (`relaxed_search`), first under its own stack, then under `other_stacks`;
/// where there are none, the change that comes nearest, its `fits` false; nothing where no change is valid.
/// Changes without the margin that `margin_of` gives are named, as risky, only where none has it.
std::vector<Remedy> remedies(const Job& job, Bytes capacity,
                             const std::function<std::vector<Site>()>& other_stacks = {},
                             const std::function<MemoryMargin(const Job&)>& margin_of = {},
                             std::size_t top = 5);

}  // namespace traincost
