// Exposed time of data-parallel traffic of one stage: gradient reduction, gathers of sharded weights, and
// what the host does for them. Which messages it goes in and what hides it is the stack's choice
// (docs/model.md, section Data-parallel traffic).
#pragma once

#include "traincost/base/quantity.hpp"
#include "traincost/cost/collectives.hpp"
#include "traincost/cost/params.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// What the data-parallel traffic of one stage depends on.
struct DataParallel {
    const Job& job;
    const GroupPlacements& groups;
    ShardedCount weights;  ///< elements a rank holds
    double trained;        ///< share of them with gradients
    double micro_batches;
    double blocks;    ///< of the stage
    Seconds forward;  ///< compute of one micro-batch it can hide under
    Seconds backward;
    double compute_bytes;  ///< of a weight element as gathered
};

/// How gradients are summed over the ranks: to all of them, in shards, or each tensor to the rank that owns
/// it.
Collective reduction_collective(const Job& job);

/// Messages one reduction of the stage's gradients goes in: a block (or a matrix of it) where weights are
/// sharded or have owners, a bucket where replicas reduce under the backward pass, else one.
double reduction_messages(const DataParallel& stage, double elements);

/// Data-parallel traffic of a step on one stage. What it exposes is
///   reductions · reduction + gathers · gathering - (1 - slowdown) · hidden + copies + host
/// Hidden traffic slows the compute it runs under, while its kernels hold compute units and memory bandwidth,
/// by the stack's share of it: less while they wait for a network between nodes, which moves fewer bytes.
struct DataParallelTime {
    Seconds reduction;  ///< of all gradients once
    Seconds gathering;  ///< of all weights once
    double reductions;  ///< times a step
    double gathers;
    Seconds hidden;   ///< traffic under compute
    double slowdown;  ///< share of it by which compute slows down
    Seconds copies;   ///< flat buffers to and from the tensors they hold
    Seconds host;     ///< slices of a sharded optimizer's tensors
    Seconds exposed;  ///< the sum
};

/// The traffic of a stage over a step: reductions, gathers, and what hides them.
DataParallelTime data_parallel_time(const DataParallel& stage);

}  // namespace traincost
