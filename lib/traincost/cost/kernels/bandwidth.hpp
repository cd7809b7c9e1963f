// Time of operators that only move bytes (docs/model.md, "Bandwidth-bound operators").
#pragma once

#include <optional>

#include "traincost/base/quantity.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/kernels/bandwidth_model.hpp"
#include "traincost/spec/kernels/kernel_models.hpp"

namespace traincost {

/// Time of one kernel that reads and writes `bytes` in all, without host overhead; zero for no bytes.
Seconds memory_time(Bytes bytes, MemoryAccess access, const BandwidthModel& model);

/// The bandwidth model of an accelerator; nothing without a bandwidth or data of its family.
std::optional<BandwidthModel> bandwidth_model(const AcceleratorSpec& accelerator,
                                              const KernelModels& kernels);

}  // namespace traincost
