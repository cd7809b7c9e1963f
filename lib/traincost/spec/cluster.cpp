#include "traincost/spec/cluster.hpp"

#include <algorithm>

#include "traincost/spec/check.hpp"

namespace traincost {

std::int64_t nodes(const ClusterSpec& cluster) {
    return (cluster.accelerators + cluster.per_node - 1) / cluster.per_node;
}

double nodes_used(const ClusterSpec& cluster) {
    return static_cast<double>(cluster.accelerators) / static_cast<double>(cluster.per_node);
}

std::optional<Dollars> hourly_price(const ClusterSpec& cluster) {
    for (const NodePrice& price : cluster.prices) {
        if (price.per_hour)
            return price.amount;
    }
    return std::nullopt;
}

std::optional<Dollars> hourly_cost(const ClusterSpec& cluster) {
    const std::optional<Dollars> price = hourly_price(cluster);
    if (!price)
        return std::nullopt;
    return *price * (cluster.whole_nodes ? static_cast<double>(nodes(cluster)) : nodes_used(cluster));
}

std::optional<double> power_watts(const ClusterSpec& cluster) {
    if (cluster.node_power_w)
        return *cluster.node_power_w * nodes_used(cluster);
    if (cluster.accelerator.tdp_w)
        return *cluster.accelerator.tdp_w * static_cast<double>(cluster.accelerators);
    return std::nullopt;
}

void validate(const ClusterSpec& c, std::vector<Problem>& problems) {
    Checker check(problems, "cluster.");
    constexpr std::int64_t largest = std::int64_t{1} << 32;
    check.count("accelerators", c.accelerators, largest);
    check.count("per_node", c.per_node, largest);
    validate(c.accelerator, problems);
    const Network& n = c.network;
    check.positive("network.scale_up.bandwidth", n.scale_up.bandwidth.value());
    if (n.scale_out)
        check.positive("network.scale_out.bandwidth", n.scale_out->bandwidth.value());
    if (!n.scale_out && n.domain_size > 0 && c.accelerators > n.domain_size) {
        check.add("accelerators",
                  "is " + std::to_string(c.accelerators) + ", but nothing joins the " +
                      std::to_string(n.domain_size) + " of one domain of " + c.id +
                      " to others: its record has no scale_out with a bandwidth; allowed: at most " +
                      std::to_string(n.domain_size));
    }
    if (!c.kernels.attention || !c.kernels.memory)
        check.add("kernels", "hold no attention or bandwidth data for " + c.accelerator.id);
    if (std::none_of(c.kernels.gemm.begin(), c.kernels.gemm.end(),
                     [](const auto& fit) { return fit.has_value(); }))
        check.add("kernels", "hold no matrix-product data for " + c.accelerator.id);
}

}  // namespace traincost
