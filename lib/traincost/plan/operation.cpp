#include "traincost/plan/operation.hpp"

#include "traincost/plan/price.hpp"

namespace traincost {

namespace {

TrainingTotals over_wall_time(TrainingTotals totals, double goodput) {
    totals.time /= goodput;
    totals.gpu_hours /= goodput;
    if (totals.cost)
        *totals.cost /= goodput;
    if (totals.energy_kwh)
        *totals.energy_kwh /= goodput;
    return totals;
}

}  // namespace

std::optional<Reliability> reliability_of(const Job& job, const Operation& o) {
    if (!o.between_failures || !o.storage || !o.restart)
        return std::nullopt;
    return reliability(job, {*o.between_failures, *o.storage, *o.restart});
}

double goodput_of(const Job& job, const Operation& operation) {
    const std::optional<Reliability> r = reliability_of(job, operation);
    return r ? r->goodput : 1.0;
}

Bill bill(const Job& job, const Estimate& estimate, const Operation& operation) {
    constexpr double million = 1e6;
    constexpr double hour = 3600.0;
    Bill b{};
    b.reliability = reliability_of(job, operation);
    b.goodput = b.reliability ? b.reliability->goodput : 1.0;
    if (!(b.goodput > 0.0))
        return b;
    if (const std::optional<Dollars> cost = hourly_cost(job.cluster)) {
        const Dollars of_a_step = *cost * (estimate.step.total.value() / hour / b.goodput);
        b.per_million_tokens = of_a_step * (million / estimate.throughput.tokens_per_step);
    }
    if (!estimate.training)
        return b;
    b.totals = over_wall_time(*estimate.training, b.goodput);
    if (!b.totals->energy_kwh)
        return b;
    const double kwh = *b.totals->energy_kwh;
    const double pue = operation.pue.value_or(1.0);
    if (operation.pue)
        b.site_kwh = kwh * pue;
    if (operation.grid_grams_per_kwh)
        b.co2_kg = co2_kg(kwh, pue, *operation.grid_grams_per_kwh);
    return b;
}

std::optional<ClusterSpec> operated(const ClusterSpec& cluster, const Operation& o) {
    ClusterSpec out = cluster;
    out.whole_nodes = o.whole_nodes.value_or(false);
    if (o.power_share) {
        const std::optional<double> watts = power_watts(cluster);
        if (!watts)
            return std::nullopt;
        out.node_power_w = *watts * *o.power_share / nodes_used(cluster);
    }
    if (o.gpu_hour) {
        NodePrice price{};
        price.provider = "given";
        price.kind = "given";
        price.amount = *o.gpu_hour * static_cast<double>(cluster.per_node);
        price.per_hour = true;
        price.source = "--gpu-hour-price";
        out.prices = {price};
        return out;
    }
    if (!o.price)
        return out;
    if (*o.price != "own")
        return with_price_kind(out, *o.price);
    if (!o.kwh || !o.life || !o.utilization || !o.pue)
        return std::nullopt;
    if (o.gpu_purchase) {
        NodePrice purchase{};
        purchase.kind = "purchase";
        purchase.amount = *o.gpu_purchase * static_cast<double>(cluster.per_node);
        purchase.per_hour = false;
        purchase.source = "--gpu-purchase-price";
        out.prices = {purchase};
    }
    return owned(out, {.life = *o.life, .utilization = *o.utilization, .pue = *o.pue, .per_kwh = *o.kwh});
}

}  // namespace traincost
