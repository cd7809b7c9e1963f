#include "traincost/plan/price.hpp"

#include <algorithm>

namespace traincost {

DollarRate owned_rate(Dollars purchase, double node_watts, const Ownership& o) {
    constexpr double joules_per_kwh = 3.6e6;
    const DollarRate capital = purchase / (o.life * o.utilization);
    const DollarRate power{node_watts * o.pue / joules_per_kwh * o.per_kwh.value()};
    return capital + power;
}

std::optional<ClusterSpec> with_price_kind(const ClusterSpec& cluster, std::string_view kind) {
    ClusterSpec out = cluster;
    std::erase_if(out.prices, [&](const NodePrice& price) { return !price.per_hour || price.kind != kind; });
    if (out.prices.empty())
        return std::nullopt;
    std::stable_sort(out.prices.begin(), out.prices.end(),
                     [](const NodePrice& a, const NodePrice& b) { return a.amount < b.amount; });
    return out;
}

std::optional<ClusterSpec> owned(const ClusterSpec& cluster, const Ownership& ownership) {
    const auto purchase = std::find_if(cluster.prices.begin(), cluster.prices.end(),
                                       [](const NodePrice& price) { return !price.per_hour; });
    const std::optional<double> watts = power_watts(cluster);
    if (!watts)
        return std::nullopt;
    const double node_watts = *watts / nodes_used(cluster);
    Dollars amount;
    std::string source;
    if (purchase != cluster.prices.end()) {
        amount = purchase->amount;
        source = purchase->source;
    } else if (cluster.accelerator.price) {
        amount = *cluster.accelerator.price * static_cast<double>(cluster.per_node);
        source = "accelerators alone, at their list price";
    } else {
        return std::nullopt;
    }
    ClusterSpec out = cluster;
    NodePrice price{};
    price.provider = "own";
    price.kind = "own";
    price.amount = Dollars{owned_rate(amount, node_watts, ownership).value() * 3600.0};
    price.per_hour = true;
    price.source = source;
    out.prices = {price};
    return out;
}

std::optional<GpuHourPrice> gpu_hour_price(const ClusterSpec& cluster) {
    std::optional<GpuHourPrice> found;
    for (const NodePrice& price : cluster.prices) {
        if (!price.per_hour)
            continue;
        const Dollars each = price.amount / static_cast<double>(cluster.per_node);
        if (!found)
            found = GpuHourPrice{each, price.kind, price.provider, each, each, 0};
        found->lowest = std::min(found->lowest, each);
        found->highest = std::max(found->highest, each);
        ++found->known;
    }
    return found;
}

double co2_kg(double kwh, double pue, double grams_per_kwh) {
    return kwh * pue * grams_per_kwh / 1000.0;
}

}  // namespace traincost
