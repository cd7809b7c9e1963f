#include "traincost/spec/cluster.hpp"

#include <algorithm>

#include "traincost/spec/check.hpp"
#include "traincost/spec/limits.hpp"

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

std::optional<double> accelerator_watts(const ClusterSpec& cluster) {
    return cluster.power_limit_w ? cluster.power_limit_w : cluster.accelerator.tdp_w;
}

std::optional<double> power_watts(const ClusterSpec& cluster) {
    if (cluster.node_power_w)
        return *cluster.node_power_w * nodes_used(cluster);
    if (const auto each = accelerator_watts(cluster))
        return *each * static_cast<double>(cluster.accelerators);
    return std::nullopt;
}

void validate(const HostSpec& host, std::vector<Problem>& problems) {
    constexpr double least = 1e3;
    constexpr double most_bytes = 1e18;
    constexpr double fastest = 1e18;
    Checker check(problems, "cluster.host.");
    check.in_range("memory", host.memory, least, most_bytes);
    check.in_range("nvme", host.nvme, least, most_bytes);
    check.in_range("link_per_accelerator", host.link_per_accelerator, least, fastest);
    check.in_range("memory_bandwidth", host.memory_bandwidth, least, fastest);
    check.in_range("storage_read", host.storage_read, least, fastest);
    check.in_range("storage_write", host.storage_write, least, fastest);
    check.in_range("launch_speed", host.launch_speed, 0.01, 100.0);
}

void validate(const ClusterSpec& c, std::vector<Problem>& problems) {
    Checker check(problems, "cluster.");
    check.name("id", c.id);
    check.count("accelerators", c.accelerators, most_accelerators);
    check.count("per_node", c.per_node, most_per_node);
    validate(c.accelerator, problems);
    validate(c.network, problems);
    validate(c.host, problems);
    for (const NodePrice& price : c.prices)
        check.in_range("price", price.amount, 0.0, 1e15);
    check.in_range("node_power_W", c.node_power_w, 1e-3, 1e9);
    check.in_range("power_limit_W", c.power_limit_w, 1e-3, 1e7);
    const Network& n = c.network;
    if (!n.scale_out && n.domain_size > 0 && c.accelerators > n.domain_size) {
        check.add("accelerators", std::to_string(c.accelerators) + "; no network joins the " +
                                      std::to_string(n.domain_size) + "-accelerator domains of " + c.id +
                                      ": its record has no scale_out bandwidth; allowed: at most " +
                                      std::to_string(n.domain_size));
    }
    if (!c.kernels.attention || !c.kernels.memory)
        check.add("kernels", "hold no attention or bandwidth data for " + c.accelerator.id);
    if (std::none_of(c.kernels.gemm.begin(), c.kernels.gemm.end(),
                     [](const auto& fit) { return fit.has_value(); }))
        check.add("kernels", "hold no matrix-product data for " + c.accelerator.id);
}

}  // namespace traincost
