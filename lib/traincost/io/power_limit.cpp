#include "traincost/io/power_limit.hpp"

#include "traincost/io/bench/family_member.hpp"

namespace traincost {

bool limit_power(ClusterSpec& cluster, double watts) {
    if (!cluster.accelerator.tdp_w)
        return false;
    const double rated = *cluster.accelerator.tdp_w;
    const double clock = adapt_products(cluster.kernels, {.power = watts / rated, .unit_rate = 1.0});
    adapt_attention(cluster.kernels, clock, 1.0);
    cluster.accelerator.tdp_w = watts;
    return true;
}

}  // namespace traincost
