#include "traincost/io/power_limit.hpp"

#include "traincost/base/text.hpp"
#include "traincost/io/bench/accelerator_kernels.hpp"
#include "traincost/io/bench/family_member.hpp"

namespace traincost {

std::optional<std::string> limit_complaint(const AcceleratorSpec& accelerator, double watts) {
    const std::optional<double> rated = accelerator.tdp_w;
    if (!rated)
        return "the rated power of " + accelerator.id + " is not known";
    const double least = 0.1 * *rated;
    const double most = 2.0 * *rated;
    if (watts >= least && watts <= most)
        return std::nullopt;
    return "allowed for " + accelerator.id + ", rated " + to_significant(*rated) +
           " W: " + to_significant(least) + " to " + to_significant(most) + " W";
}

bool limit_power(ClusterSpec& cluster, double watts, std::span<const EmbeddedFile> bench) {
    const std::optional<double> rated = cluster.accelerator.tdp_w;
    if (!rated)
        return false;
    cluster.kernels = kernel_models_of(cluster.accelerator, bench);
    const double clock =
        adapt_products(cluster.kernels, {.power = power_for_products(watts / *rated), .unit_rate = 1.0});
    adapt_attention(cluster.kernels, clock, 1.0);
    cluster.power_limit_w = watts;
    return true;
}

}  // namespace traincost
