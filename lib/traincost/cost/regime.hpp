// How a job's weights, gradients and optimizer states come and go on a rank: decided once from run, stack and
// precision, read by memory, time and explanations.
#pragma once

#include <cstdint>

#include "traincost/spec/job.hpp"

namespace traincost {

/// The model states' regime of one job.
struct Regime {
    bool tuned;              ///< adapters train, the weights are frozen
    std::int64_t zero;       ///< ZeRO stage in force: 2 where a pipeline keeps fully sharded weights gathered
    bool fully_sharded;      ///< weights live sharded and are gathered block by block (FSDP at stage 2 and 3)
    bool keeps_gathered;     ///< and a pipeline keeps them gathered from first to last micro-batch
    bool weights_sharded;    ///< a rank stores only its share of the weights
    bool states_sharded;     ///< and of optimizer states and master weights
    bool gradients_sharded;  ///< and of gradients, from the reduction on
    bool gradients_persist;  ///< gradients keep their memory from step to step or over micro-batches
    bool gradients_beside;   ///< gradients in the compute format stay beside a wider main buffer
    bool buckets_beside;     ///< the buckets of replicas, as large as all gradients, stay beside them
    bool gradients_kept;     ///< on the device until the optimizer: neither applied at once nor on the host
    bool frozen_in_flat;     ///< one trained weight brings gradients for all of its flat parameter
    bool reduces_every_micro_batch;  ///< gradients are reduced after each micro-batch, not only the last
    bool operator==(const Regime&) const = default;
};

/// Whether the allocator maps pages rather than keep blocks of the driver's: the run's word, else its
/// stack's.
bool expandable_segments(const Job& job);

/// The regime of the job.
Regime regime_of(const Job& job);

}  // namespace traincost
