// What an hour of a cluster costs, rented or owned, and what its energy weighs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "traincost/base/quantity.hpp"
#include "traincost/spec/cluster.hpp"

namespace traincost {

/// Owning a node instead of renting one.
struct Ownership {
    Seconds life;              ///< until it is written off
    double utilization = 1.0;  ///< share of its life that it trains
    double pue = 1.0;          ///< power of the building over that of the node
    Dollars per_kwh{};
};

/// (purchase / (life · utilization)) + power · PUE · electricity price: of one node, per second.
DollarRate owned_rate(Dollars purchase, double node_watts, const Ownership& ownership);

/// The cluster with only the hourly prices of `kind` ("on-demand", "reserved", "spot", "market"), cheapest
/// first; nothing where it has none.
std::optional<ClusterSpec> with_price_kind(const ClusterSpec& cluster, std::string_view kind);

/// The cluster at the price of owning it; nothing where its purchase price or power is not known.
std::optional<ClusterSpec> owned(const ClusterSpec& cluster, const Ownership& ownership);

/// What an accelerator-hour of a cluster costs: the price that counts, and the span of all that are known.
struct GpuHourPrice {
    Dollars amount;
    std::string kind;
    std::string provider;
    Dollars lowest;
    Dollars highest;
    int known;  ///< hourly prices, each of a provider, kind and region
};

/// The cluster's price of an accelerator-hour; nothing where no hourly price is known.
std::optional<GpuHourPrice> gpu_hour_price(const ClusterSpec& cluster);

/// Kilograms of CO₂ equivalent: energy · PUE · grid intensity (grams a kWh).
double co2_kg(double kwh, double pue, double grams_per_kwh);

}  // namespace traincost
