// Flags that replace what the catalogue says of a cluster's network.
#pragma once

#include <traincost/ask/resolve.hpp>
#include <traincost/base/quantity.hpp>
#include <traincost/spec/job.hpp>

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace traincost::cli {

/// As given; nothing where a flag was not.
struct NetworkFlags {
    std::optional<double> bus_GBps{};
    std::optional<double> network_Gbps{};
    std::optional<double> bus_latency_us{};
    std::optional<double> network_latency_us{};
};

/// Declares --bus-bandwidth, --network-bandwidth, --bus-latency and --network-latency.
void add_network_options(CLI::App& app, NetworkFlags& flags);

/// Changes the job's network, and says so. `Error` where the cluster has no network between domains to
/// change.
void apply_network(const NetworkFlags& flags, Job& job, std::vector<std::string>& assumptions);
void apply_network(const NetworkFlags& flags, traincost::ResolvedJob& resolved);

}  // namespace traincost::cli
