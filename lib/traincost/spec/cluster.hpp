#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/quantity.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/kernels/kernel_models.hpp"
#include "traincost/spec/network.hpp"
#include "traincost/spec/provenance.hpp"

namespace traincost {

/// A price of one whole node.
struct NodePrice {
    std::string provider;
    std::string kind;  ///< on-demand | reserved | spot | purchase …, as the source calls it
    Dollars amount;    ///< per node-hour, or once for a purchase
    bool per_hour;
    std::string region;
    std::string as_of;
    std::string source;
    bool operator==(const NodePrice&) const = default;
};

/// The host a node's accelerators hang on.
struct HostSpec {
    std::optional<Bytes> memory;
    std::optional<Bytes> nvme;
    std::optional<ByteRate> link_per_accelerator;  ///< host to device, one way
    std::optional<ByteRate> memory_bandwidth{};    ///< nominal, of the node
    std::optional<ByteRate> storage_read{};        ///< local NVMe of the node, all drives
    std::optional<ByteRate> storage_write{};
    std::string cpu;
    /// Of the thread that launches kernels, over that of the host whose launches were measured
    /// (docs/data.md).
    std::optional<double> launch_speed{};
    bool operator==(const HostSpec&) const = default;
};

/// Accelerators joined in nodes. `accelerators` is the number the job uses.
struct ClusterSpec {
    std::string id;
    std::vector<std::string> aliases;
    std::string provider;
    AcceleratorSpec accelerator;
    KernelModels kernels;  ///< kernel-time data of the accelerator (own or its family's)
    std::int64_t accelerators;
    std::int64_t per_node;
    Network network;
    HostSpec host;
    std::vector<NodePrice> prices;
    std::optional<double> node_power_w;
    Provenance provenance;
    bool whole_nodes = false;               ///< a node that the job shares with nobody is paid whole
    std::optional<double> power_limit_w{};  ///< of each accelerator, in place of its rated power
    bool operator==(const ClusterSpec&) const = default;
};

/// Nodes the job touches.
std::int64_t nodes(const ClusterSpec& cluster);

/// Nodes' worth of accelerators the job uses: an eighth for one of a node of eight.
double nodes_used(const ClusterSpec& cluster);

/// What one node costs an hour: the first hourly price; nothing where there is none.
std::optional<Dollars> hourly_price(const ClusterSpec& cluster);

/// What an hour of the job costs: of the accelerators it uses, or of whole nodes where they are rented so;
/// nothing where there is no price.
std::optional<Dollars> hourly_cost(const ClusterSpec& cluster);

/// What each accelerator may draw, in W: its limit here, else its rated power; nothing where neither is
/// known.
std::optional<double> accelerator_watts(const ClusterSpec& cluster);

/// Power of the job's accelerators with their share of the nodes, else of the accelerators alone; nothing
/// where neither is known.
std::optional<double> power_watts(const ClusterSpec& cluster);

void validate(const ClusterSpec& cluster, std::vector<Problem>& problems);

}  // namespace traincost
