#include "traincost/io/power_limit.hpp"

#include "traincost/io/bench/accelerator_kernels.hpp"
#include "traincost/io/bench/family_member.hpp"

namespace traincost {

bool limit_power(ClusterSpec& cluster, double watts, std::span<const EmbeddedFile> bench) {
    const std::optional<double> rated = cluster.accelerator.tdp_w;
    if (!rated)
        return false;
    cluster.kernels = kernel_models_of(cluster.accelerator, bench);
    const double clock = adapt_products(cluster.kernels, {.power = watts / *rated, .unit_rate = 1.0});
    adapt_attention(cluster.kernels, clock, 1.0);
    cluster.power_limit_w = watts;
    return true;
}

}  // namespace traincost
