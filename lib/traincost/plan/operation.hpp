// How a run is operated and what it then takes beyond its steps: failures and checkpoints, a price, power,
// carbon.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/plan/reliability.hpp"
#include "traincost/spec/job.hpp"

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
    bool operator==(const Operation&) const = default;
};

/// `given` where it says something, else `base`.
Operation overridden(const Operation& base, const Operation& given);

/// What a run takes under its operation.
struct Bill {
    std::optional<Reliability> reliability;  ///< nothing where failures are not counted
    double goodput;                          ///< share of the wall time that trains
    std::optional<Dollars> per_million_tokens;
    std::optional<TrainingTotals> totals;  ///< of the wall time; nothing where the job has no tokens
    std::optional<double> site_kwh;        ///< energy of nodes and building; nothing without a PUE
    std::optional<double> co2_kg;          ///< nothing without a grid
};

/// The job's, whose cluster has its price and power already.
Bill bill(const Job& job, const Estimate& estimate, const Operation& operation);

/// The job's checkpoints and failures; nothing where failures are not counted.
std::optional<Reliability> reliability_of(const Job& job, const Operation& operation);

/// The share of the wall time that trains; 1 where failures are not counted, 0 where the run never ends.
double goodput_of(const Job& job, const Operation& operation);

/// The cluster at the operation's price and power; nothing where it has no such price, or its purchase price
/// or power is not known.
std::optional<ClusterSpec> operated(const ClusterSpec& cluster, const Operation& operation);

}  // namespace traincost
