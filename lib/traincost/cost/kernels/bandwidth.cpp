#include "traincost/cost/kernels/bandwidth.hpp"

#include <algorithm>

namespace traincost {

// t = t0 + bytes / (e bw) · (1 - hit (1 - 1/g)),  hit = 1 / (1 + (bytes / (c L2))^4)
//   g: speed of L2 over memory; the whole time is no less than the latency t0 of a tiny kernel
Seconds memory_time(Bytes bytes, MemoryAccess access, const BandwidthModel& model) {
    if (!(bytes.value() > 0)) {
        return Seconds();
    }
    const auto i = static_cast<std::size_t>(access);
    const double z = bytes / (model.l2 * model.fit.cache_share);
    const double hit = 1 / (1 + z * z * z * z);
    const double cached = 1 - hit * (1 - 1 / model.fit.cached_speedup);
    return model.fit.latency[i] + bytes / (model.bandwidth * model.fit.efficiency[i]) * cached;
}

std::optional<BandwidthModel> bandwidth_model(const AcceleratorSpec& accelerator,
                                              const KernelModels& kernels) {
    if (!kernels.memory || accelerator.memory_bandwidth.value() <= 0) {
        return std::nullopt;
    }
    return BandwidthModel{.bandwidth = accelerator.memory_bandwidth,
                          .l2 = accelerator.l2.value_or(kernels.default_l2),
                          .fit = *kernels.memory};
}

}  // namespace traincost
