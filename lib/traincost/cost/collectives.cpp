#include "traincost/cost/collectives.hpp"

#include <algorithm>
#include <cmath>

namespace traincost {

CollectiveCurve LinkCurves::*curve_of(Collective collective) {
    switch (collective) {
        case Collective::all_reduce:
            return &LinkCurves::all_reduce;
        case Collective::all_gather:
            return &LinkCurves::all_gather;
        case Collective::reduce_scatter:
            return &LinkCurves::reduce_scatter;
        case Collective::all_to_all:
            return &LinkCurves::all_to_all;
        case Collective::broadcast:
        case Collective::reduce:  // the same chain, from the other end
            return &LinkCurves::broadcast;
        case Collective::send_recv:
            return &LinkCurves::send_recv;
    }
    return &LinkCurves::all_reduce;
}

namespace {

/// Traffic of a rank / message.
double traffic_factor(Collective collective, double n) {
    switch (collective) {
        case Collective::all_reduce:
            return 2 * (n - 1) / n;
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::all_to_all:
            return (n - 1) / n;
        case Collective::broadcast:
        case Collective::reduce:
        case Collective::send_recv:
            return 1;
    }
    return 1;
}

/// Dependent steps among n ranks.
double steps(Collective collective, double n) {
    switch (collective) {
        case Collective::all_reduce:
            return 2 * (n - 1);
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::all_to_all:
        case Collective::broadcast:
        case Collective::reduce:
            return n - 1;
        case Collective::send_recv:
            return 1;
    }
    return 1;
}

Algorithm plain_algorithm(Collective collective) {
    switch (collective) {
        case Collective::all_to_all:
            return Algorithm::pairwise;
        case Collective::send_recv:
            return Algorithm::direct;
        default:
            return Algorithm::ring;
    }
}

struct GroupShare {
    double efficiency;
    double low_latency_limit;
};

GroupShare share_of_group(const CollectiveCurve& curve, double ranks) {
    const auto& points = curve.groups;
    const auto at = [](const GroupPoint& p) { return static_cast<double>(p.ranks); };
    if (ranks <= at(points.front())) {
        return {points.front().efficiency, points.front().low_latency_limit.value()};
    }
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (ranks <= at(points[i])) {
            const double w =
                std::log2(ranks / at(points[i - 1])) / std::log2(at(points[i]) / at(points[i - 1]));
            return {
                std::lerp(points[i - 1].efficiency, points[i].efficiency, w),
                std::lerp(points[i - 1].low_latency_limit.value(), points[i].low_latency_limit.value(), w)};
        }
    }
    return {points.back().efficiency, points.back().low_latency_limit.value() * ranks / at(points.back())};
}

/// How a group of n ranks lies on a torus: along as few axes as an axis of 16 accelerators allows.
struct TorusSlice {
    double axes;
    double length;
};

TorusSlice torus_slice(Topology topology, double n) {
    constexpr double log2_axis = 4;
    const double dimensions = topology == Topology::torus_2d ? 2 : 3;
    const double axes = std::clamp(std::ceil(std::log2(n) / log2_axis), 1.0, dimensions);
    return {axes, axes == 1 ? n : axes == 2 ? std::sqrt(n) : std::cbrt(n)};
}

bool is_torus(Topology topology) {
    return topology == Topology::torus_2d || topology == Topology::torus_3d;
}

/// Links of an accelerator that a group of n ranks in a domain of d can use, as a share of all of them.
double usable_links(Topology topology, double n, double d) {
    switch (topology) {
        case Topology::switched:
        case Topology::host_bus:
            return 1;
        case Topology::full_mesh:
            return std::min(1.0, (n - 1) / (d - 1));
        case Topology::hybrid_cube_mesh:
            // 6 links: at best 2 join a pair and 4 stay in a quad.
            return n <= 2 ? 2.0 / 6 : n <= 4 ? 4.0 / 6 : 1;
        case Topology::torus_2d:
            return torus_slice(topology, n).axes / 2;
        case Topology::torus_3d:
            return torus_slice(topology, n).axes / 3;
    }
    return 1;
}

struct Times {
    double latency;
    double transfer;
    double fill;
    double total() const {
        return latency + transfer + fill;
    }
};

// The time of one protocol: base + hops + x + 2 sqrt(ramp x)      [Hockney94] and the fill of a pipeline
Times protocol_time(const ProtocolCurve& p, double hops, double transfer) {
    const double x = transfer / p.share;
    return {p.base.value() + hops, x, 2 * std::sqrt(p.ramp.value() * x)};
}

CollectiveTime result(Algorithm algorithm, bool low, const Times& t, double up, double out) {
    return {algorithm,       low,         Seconds(t.latency), Seconds(t.transfer),
            Seconds(t.fill), Seconds(up), Seconds(out)};
}

/// Bandwidth of one of n ranks; `links` of them reach for its links at the same time.
double in_domain_bandwidth(const CollectiveCurve& curve, double n, double links, const Network& net) {
    return net.scale_up.bandwidth.value() *
           usable_links(net.topology, links, static_cast<double>(net.domain_size)) *
           share_of_group(curve, n).efficiency;
}

bool reduces_in_network(const Network& net, double ranks) {
    const auto& c = net.scale_up.curves.in_network;
    return net.sharp && c && ranks >= static_cast<double>(c->least_ranks);
}

/// Transfer time of an all-reduce by the switches: (n+1)/n of the message each way, and a largest bus
/// bandwidth.
double in_network_transfer(double message, double n, const Network& net) {
    const InNetworkCurve& c = *net.scale_up.curves.in_network;
    const double b = net.scale_up.bandwidth.value();
    return message *
           std::max((n + 1) / n / (c.efficiency * b), 2 * (n - 1) / n / (c.bus_bandwidth_limit * b));
}

CollectiveTime within_domain(Collective collective, double message, double n, const Network& net) {
    const CollectiveCurve& curve = net.scale_up.curves.*curve_of(collective);
    const GroupShare share = share_of_group(curve, n);
    const bool pair = collective == Collective::send_recv;
    const double b = in_domain_bandwidth(curve, n, pair ? 2 : n, net);
    double f = traffic_factor(collective, n);
    double s = steps(collective, n);
    if (is_torus(net.topology)) {
        // Rings along the axes; an all-to-all is bound by the links that cross the middle of an axis.
        const TorusSlice slice = torus_slice(net.topology, n);
        s *= slice.axes * (slice.length - 1) / (n - 1);
        if (collective == Collective::all_to_all) {
            f = std::max(f, slice.axes * slice.length / 4);  // [ScalingBook]
        }
    }
    const auto low = [&](double m) {
        return protocol_time(curve.low_latency, s * curve.low_latency.step.value(), f * m / b);
    };
    // A larger message never takes less time than the largest that the low-latency protocol takes.
    const Times small = low(std::min(message, share.low_latency_limit));
    Times t = small;
    bool is_low = true;
    if (message > share.low_latency_limit) {
        const Times bulk = protocol_time(curve.bulk, s * curve.bulk.step.value(), f * message / b);
        if (share.low_latency_limit <= 0 || bulk.total() >= small.total()) {
            t = bulk;
            is_low = false;
        }
    }
    if (collective == Collective::all_reduce && reduces_in_network(net, n)) {
        const InNetworkCurve& c = *net.scale_up.curves.in_network;
        const double x = in_network_transfer(message, n, net);
        const Times sharp = {c.base.value(), x, 2 * std::sqrt(c.ramp.value() * x)};
        if (sharp.total() < t.total()) {
            return result(Algorithm::in_network, false, sharp, sharp.transfer, 0);
        }
    }
    return result(plain_algorithm(collective), is_low, t, t.transfer, 0);
}

/// Bandwidth that a group of m ranks in a domain has into and out of the domain.
double domain_rate(const GroupPlacement& group, double domains, double efficiency, const Network& net) {
    const double d = static_cast<double>(net.domain_size);
    const double nics = std::min(static_cast<double>(net.nics), d);
    const double used = group.chain ? 1.0 : std::min(static_cast<double>(group.per_domain), nics);
    const double nic_rate = net.scale_out->bandwidth.value() * d / nics;
    const double tapering = domains > static_cast<double>(net.rail_domains) ? net.oversubscription : 1;
    return used * nic_rate / static_cast<double>(group.nic_sharers) * efficiency / tapering;
}

struct CrossPath {
    double crossings;      ///< dependent steps from domain to domain
    double hops;           ///< dependent steps inside domains
    double up;             ///< transfer time over the scale-up links
    double out;            ///< transfer time over the NICs
    double group_out = 0;  ///< the same if the low-latency protocol had all NICs of a domain
};

/// The faster protocol on a path over both tiers: transfers overlap, latencies add up.
CollectiveTime along(const CrossPath& path, Algorithm algorithm, const CollectiveCurve& out,
                     const CollectiveCurve& up, double inner_step = 0) {
    const double x = std::max(path.up, path.out);
    const auto time = [&](const ProtocolCurve& o, double inside, double transfer) {
        return protocol_time(o, path.crossings * o.step.value() + path.hops * inside, transfer);
    };
    const Times bulk = time(out.bulk, std::max(up.bulk.step.value(), inner_step * out.bulk.step.value()), x);
    // What holds the low-latency protocol below the NICs' rate is its thread blocks, not the number of NICs:
    // a group on few NICs is bound by them only.
    const double share = out.low_latency.share;
    const double low_out = path.group_out > 0 ? std::max(path.out * share, path.group_out) : path.out;
    const Times low = time(out.low_latency, up.low_latency.step.value(), std::max(path.up, low_out));
    return low.total() < bulk.total() ? result(algorithm, true, low, path.up / share, low_out / share)
                                      : result(algorithm, false, bulk, path.up, path.out);
}

CollectiveTime across_domains(Collective collective, double message, const GroupPlacement& group,
                              const Network& net) {
    const double n = static_cast<double>(group.size);
    const double m = static_cast<double>(group.per_domain);
    const double domains = std::ceil(n / m);
    const CollectiveCurve& up = net.scale_up.curves.*curve_of(collective);
    const CollectiveCurve& out = net.scale_out->curves.*curve_of(collective);
    const double up_bandwidth = m > 1 ? in_domain_bandwidth(up, m, m, net) : INFINITY;
    const double rate = domain_rate(group, domains, share_of_group(out, domains).efficiency, net);
    const double f = traffic_factor(collective, n);

    if (collective == Collective::send_recv) {
        const GroupPlacement pair = {2, 1, group.nic_sharers};
        const double pair_rate = domain_rate(pair, domains, share_of_group(out, 2).efficiency, net);
        return along({1, 0, 0, message / pair_rate}, Algorithm::direct, out, up);
    }
    if (collective == Collective::all_to_all) {
        // Each rank sends 1/n of its message to each of n - m ranks elsewhere, over its part of the NICs.
        const CrossPath path = {n - m, m - 1, (m - 1) / n * message / up_bandwidth,
                                (n - m) / n * message / (rate / m)};
        return along(path, Algorithm::pairwise, out, up);
    }
    // A ring goes through each domain once, over all NICs of the group at the same time (one ring a NIC); a
    // chain of neighbours over one, whose ranks wait for each other at every step.
    const double rounds = collective == Collective::all_reduce ? 2 : 1;
    const GroupPlacement whole = {net.domain_size, net.domain_size, 1};
    const double all_nics = domain_rate(whole, domains, share_of_group(out, domains).efficiency, net);
    const double crossings = group.chain ? n - 1 : domains - 1;
    const CrossPath ring = {rounds * crossings, rounds * (group.chain ? 0 : n - domains),
                            f * message / up_bandwidth, f * message / rate,
                            group.chain ? 0.0 : f * message / all_nics};
    const CollectiveTime by_ring = along(ring, Algorithm::ring, out, up, net.scale_out->curves.inner_step);
    if (collective != Collective::all_reduce || !net.scale_out->curves.tree_all_reduce) {
        return by_ring;
    }
    // Double binary tree over domains: an inner node sends half the message three times up and down, which
    // over the two trees makes 2 M; with two domains they only exchange, M.
    const CollectiveCurve& tree_curve = *net.scale_out->curves.tree_all_reduce;
    const double tree_rate = domain_rate(group, domains, share_of_group(tree_curve, domains).efficiency, net);
    const bool sharp = reduces_in_network(net, m);
    const bool exchange = domains <= 2 && (sharp || net.scale_out->curves.tree_over_two_domains);
    const double volume = exchange ? 1 : 2;
    const double inside = sharp   ? in_network_transfer(message, m, net)
                          : m > 1 ? traffic_factor(collective, m) * message / up_bandwidth
                                  : 0;
    const CrossPath tree = {std::ceil(std::log2(domains)), 2 * (m - 1), inside, volume * message / tree_rate};
    const CollectiveTime by_tree =
        along(tree, sharp ? Algorithm::in_network : Algorithm::tree, tree_curve, up);
    return by_tree.total() < by_ring.total() ? by_tree : by_ring;
}

}  // namespace

CollectiveTime collective_breakdown(Collective collective, Bytes message, const GroupPlacement& group,
                                    const Network& network) {
    if (group.size <= 1 || message.value() <= 0) {
        return {Algorithm::none, false, {}, {}, {}, {}, {}};
    }
    if (group.per_domain >= group.size) {
        return within_domain(collective, message.value(), static_cast<double>(group.size), network);
    }
    if (!network.scale_out) {
        return {Algorithm::none, false, Seconds(INFINITY), {}, {}, {}, {}};
    }
    return across_domains(collective, message.value(), group, network);
}

Seconds collective_time(Collective collective, Bytes message, const GroupPlacement& group,
                        const Network& network) {
    return collective_breakdown(collective, message, group, network).total();
}

Bytes collective_traffic(Collective collective, Bytes message, std::int64_t ranks) {
    if (ranks <= 1) {
        return Bytes(0);
    }
    return message * traffic_factor(collective, static_cast<double>(ranks));
}

ByteRate bus_bandwidth(Collective collective, Bytes message, std::int64_t ranks, Seconds time) {
    return time.value() > 0 ? collective_traffic(collective, message, ranks) / time : ByteRate(0);
}

GroupPlacement place_group(std::int64_t size, std::int64_t stride, const Network& network) {
    const std::int64_t d = network.domain_size;
    const std::int64_t nics = std::max<std::int64_t>(std::min(network.nics, d), 1);
    const std::int64_t per_domain = std::clamp<std::int64_t>(d / std::max<std::int64_t>(stride, 1), 1, size);
    const std::int64_t groups = std::max<std::int64_t>(d / per_domain, 1);
    const std::int64_t used = std::min(per_domain, nics);
    const std::int64_t sharers = std::max<std::int64_t>((used * groups + nics - 1) / nics, 1);
    return {size, per_domain, sharers};
}

namespace {

/// The group as a chain where `chain`: each group of a domain uses one of its NICs.
GroupPlacement chained(GroupPlacement group, bool chain, const Network& network) {
    if (!chain || group.per_domain >= group.size)
        return group;
    const std::int64_t d = network.domain_size;
    const std::int64_t nics = std::max<std::int64_t>(std::min(network.nics, d), 1);
    const std::int64_t groups = std::max<std::int64_t>(d / group.per_domain, 1);
    group.chain = true;
    group.nic_sharers = (groups + nics - 1) / nics;
    return group;
}

}  // namespace

GroupPlacements place_groups(const ParallelGroups& g, const Network& network) {
    const std::int64_t stage = g.tp * g.cp * g.dp;
    const std::int64_t expert_dp = std::max<std::int64_t>(stage / (g.etp * g.ep), 1);
    return {.tp = place_group(g.tp, 1, network),
            .cp = chained(place_group(g.cp, g.tp, network), g.cp_chain, network),
            .dp = place_group(g.dp, g.tp * g.cp, network),
            .dp_cp = place_group(g.dp * g.cp, g.tp, network),
            .ep = place_group(g.ep, g.etp, network),
            .etp = place_group(g.etp, 1, network),
            .expert_dp = place_group(expert_dp, g.etp * g.ep, network),
            .pp = place_group(g.pp, stage, network)};
}

}  // namespace traincost
