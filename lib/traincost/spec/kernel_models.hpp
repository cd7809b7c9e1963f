#pragma once

namespace traincost {

/// Kernel-time data of one accelerator. (Filled by the kernel models.)
struct KernelModels {
    bool operator==(const KernelModels&) const = default;
};

}  // namespace traincost
