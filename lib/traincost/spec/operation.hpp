// The conditions a run is operated under: failures and checkpoints, a price, power, carbon, and a network
// that is not as the cluster's record has it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/quantity.hpp"

namespace traincost {

/// "on-demand", "reserved", "spot", "market", "own".
std::span<const std::string_view> price_kinds();

/// The conditions a run is operated under, as far as somebody said. What is absent is not counted.
struct Operation {
    std::optional<std::string> failure_rate{};   ///< id of a measured rate; empty: given as a time
    std::optional<Seconds> between_failures{};   ///< accelerator-time
    std::optional<ByteRate> storage{};           ///< bandwidth of all ranks' checkpoint writes together
    std::optional<Seconds> restart{};            ///< from a failure to training again, lost work apart
    std::optional<std::string> price{};          ///< on-demand, reserved, spot, market, own
    std::optional<Dollars> gpu_hour{};           ///< price of one accelerator-hour
    std::optional<bool> whole_nodes{};           ///< a node the job has to itself is paid whole
    std::optional<Dollars> gpu_purchase{};       ///< of one accelerator with its share of node and network
    std::optional<Dollars> kwh{};                ///< price of a kWh
    std::optional<Seconds> life{};               ///< in which a purchase is written off
    std::optional<double> utilization{};         ///< share of its life that what is owned trains
    std::optional<double> power_share{};         ///< of the nodes' rated power that training draws
    std::optional<double> pue{};                 ///< power of the building over that of the nodes
    std::optional<std::string> grid{};           ///< id of a grid; empty: given as an intensity
    std::optional<double> grid_grams_per_kwh{};  ///< CO2 equivalent of a kWh
    std::optional<bool> price_of_other_nodes{};  ///< the node was taken for its accelerator, without a price
    std::optional<double> bus_GBps{};            ///< of an accelerator in its node, one direction
    std::optional<double> network_Gbps{};        ///< of a node
    std::optional<double> bus_latency_us{};      ///< of one step of a collective inside a node
    std::optional<double> network_latency_us{};  ///< and between nodes
    std::optional<double> power_limit_w{};       ///< of an accelerator, in place of the rated power
    bool operator==(const Operation&) const = default;
};

/// All problems of the conditions, each with the path of its key ("operation.pue"), its value and its range.
void validate(const Operation& operation, std::vector<Problem>& problems);

}  // namespace traincost
