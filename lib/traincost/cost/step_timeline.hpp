// A step in time: the pipelined part task by task on every stage, then what comes once a step.
#pragma once

#include <cstdint>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/cost/pipeline_simulation.hpp"
#include "traincost/cost/step.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// One part of the step behind the pipelined part, on every stage at once.
struct Stretch {
    StepTerm term;
    Seconds begin;
    Seconds end;
};

/// A played step. `total` is the played pipeline's time and the stretches': within 0.5 % of the step that an
/// estimate prints, which has the pipeline's closed form.
struct StepTimeline {
    std::int64_t stages;
    PipelineRun pipeline;
    std::vector<Stretch> after;
    Seconds total;
    std::int64_t micro_batches;
    std::int64_t chunks;  ///< of all stages
    StageTransfer transfer;
    DataParallelTime data_parallel;   ///< of the slowest stage
    std::vector<StagePasses> passes;  ///< by stage: what a micro-batch's time is made of
    std::vector<MemoryWalk> memory;   ///< by stage
    Bytes capacity;                   ///< of one accelerator, that the job may use
};

/// What `step_time` takes a pipeline's stages to be: the time of each class, and one transfer between stages.
std::vector<StageTime> stage_times(const Job& job, const BlockTable& table, const StageClasses& stages);
StageTransfer stage_transfer(const Job& job, const Shape& shape);

/// The job's step. `Error` of kind input where its schedule is not defined for its stages and micro-batches.
StepTimeline step_timeline(const Job& job);

}  // namespace traincost
