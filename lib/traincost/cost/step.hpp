#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/blocks.hpp"
#include "traincost/cost/data_parallel.hpp"
#include "traincost/cost/memory/allocator_pressure.hpp"
#include "traincost/cost/offload.hpp"
#include "traincost/cost/stages.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// Named parts of a step's time; their sum is the step.
enum class StepTerm : std::uint8_t {
    gemm,  ///< matrix products of the slowest stage
    attention,
    memory_bound,     ///< norms, activations, residuals, loss, masks
    recompute,        ///< forward work run again in backward
    host,             ///< launches the device waits for
    tensor_parallel,  ///< exposed communication
    context_parallel,
    expert_parallel,
    pipeline_transfer,  ///< between stages, exposed
    bubble,             ///< stages waiting for one another
    data_parallel,      ///< exposed gradient reduction and weight gathers
    optimizer,          ///< update, gradient norm, casts
    offload,            ///< host transfers and CPU updates not hidden
    fixed,              ///< data loading, logging, synchronisation
    allocator,          ///< memory given back to the driver and asked for again
};
inline constexpr int step_term_count = 15;
std::string_view to_string(StepTerm term);

/// What the terms of a step are made of.
struct StepParts {
    PassTime forward;  ///< one micro-batch on the slowest stage
    PassTime backward;
    PassTime again;  ///< forward work run again in its backward pass
    double micro_batches;
    Seconds transfer;  ///< one stage-to-stage transfer
    DataParallelTime data_parallel;
    Bytes optimizer_bytes;      ///< read and written by the update on the device
    Seconds orthogonalisation;  ///< Muon's products in it
    OffloadTime offload;
    double norms;          ///< of the slowest stage, whose gradients collectives of their own sum
    double domain_bounds;  ///< between domains, that a tensor-parallel group spans
    AllocatorPressure allocator;
};

/// Time of one optimizer step.
struct StepTime {
    std::array<Seconds, step_term_count> terms{};
    Seconds total;
    std::int64_t slowest_stage;
    Seconds forward;  ///< of the slowest stage, all micro-batches
    Seconds backward;
    StepParts parts;

    Seconds operator[](StepTerm term) const {
        return terms[static_cast<std::size_t>(term)];
    }
};

/// The step of the job whose blocks cost what `table` says and are dealt to stages as `stages` says, and
/// whose allocator is under `pressure`.
StepTime step_time(const Job& job, const Shape& shape, const BlockTable& table, const StageClasses& stages,
                   const AllocatorPressure& pressure);

/// What one micro-batch takes on a stage, by kind of work; `backward` with what is run again.
struct StagePasses {
    PassTime forward;
    PassTime backward;
};
/// The passes of each class of stages, gradients added to older ones included.
std::vector<StagePasses> stage_passes(const Job& job, const BlockTable& table, const StageClasses& stages);

/// A lower bound of the step for every schedule, ZeRO stage, shard group and offload: the slowest stage's own
/// work. docs/bounds.md has the proof.
Seconds step_time_floor(const Job& job, const BlockTable& table, const StageClasses& stages);

}  // namespace traincost
