// What keeping states, weights or activations on the host costs a step: transfers over the host link, updates
// by the host's processors, and storage.
#pragma once

#include <string>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/blocks.hpp"
#include "traincost/cost/stages.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// One accelerator's share of its node's host while all of them use it.
struct HostRates {
    ByteRate link;    ///< host to device, and at the same time back; no faster than its share of host memory
    ByteRate memory;  ///< host memory, as an update that streams through it gets
    ByteRate storage_read;
    ByteRate storage_write;
};
HostRates host_rates(const ClusterSpec& cluster);

/// What the job's offload had to take because the cluster does not say it, one sentence each.
std::vector<std::string> host_assumptions(const Job& job);

/// Offload in one step of the slowest stage. What is not hidden is
///   transfers - hidden + max(update, storage, upload)
struct OffloadTime {
    Seconds
        transfers;    ///< gradients down, weights up and activations both ways, in the passes they belong to
    Seconds hidden;   ///< of them, under those passes
    Seconds update;   ///< optimizer on the host                                  [Ren21, §4.2]
    Seconds storage;  ///< optimizer states read and written, beside the update   [Rajbhandari21, §5.2]
    Seconds upload;   ///< updated weights to the device, beside the update       [Ren21, §5.1]
    Seconds exposed;
};

/// What the offload of one stage depends on.
struct OffloadInputs {
    const Job& job;
    const Shape& shape;
    const BlockTable& table;
    const StageClass& stage;
    Seconds forward;  ///< of one micro-batch
    Seconds backward;
    double owned;  ///< trained elements whose states the rank keeps
};

/// Nothing offloaded, or no bytes, is no time.
OffloadTime offload_time(const OffloadInputs& inputs);

}  // namespace traincost
