#include "traincost/ask/network_words.hpp"

#include <string>
#include <vector>

#include "traincost/base/text.hpp"
#include "traincost/cost/collectives.hpp"

namespace traincost {

namespace {

/// One dependent step takes this long, in every collective on the link.
void set_step(LinkTier& tier, Seconds step) {
    for (const Collective c : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                               Collective::all_to_all, Collective::send_recv, Collective::broadcast}) {
        CollectiveCurve& curve = tier.curves.*curve_of(c);
        curve.low_latency.step = step;
        curve.bulk.step = step;
    }
    if (tier.curves.tree_all_reduce) {
        tier.curves.tree_all_reduce->low_latency.step = step;
        tier.curves.tree_all_reduce->bulk.step = step;
    }
}

/// `Error` where a figure is beyond what a network's record may say of an accelerator; the longest step is a
/// minute's, the bandwidths are those of `cluster`.
void require_figure(const char* flag, double given, const char* unit, double low, double high) {
    if (given < low || given > high)
        throw Error(ErrorKind::usage, std::vector<Problem>{{flag, to_exact(given) + " " + unit +
                                                                      "; allowed: " + to_significant(low) +
                                                                      " to " + to_significant(high)}});
}

constexpr double giga = 1e9;
constexpr double micro = 1e-6;
constexpr double bits = 8.0;

void require_real_network(const Operation& words, const ClusterSpec& cluster) {
    constexpr double slowest = 1e3;  // B/s
    constexpr double fastest = 1e17;
    constexpr double longest = 60.0;  // s
    if (words.bus_GBps)
        require_figure("--bus-bandwidth", *words.bus_GBps, "GB/s", slowest / giga, fastest / giga);
    if (words.bus_latency_us)
        require_figure("--bus-latency", *words.bus_latency_us, "us", 0.0, longest / micro);
    if (words.network_Gbps) {
        const double of_node = bits * static_cast<double>(cluster.per_node) / giga;
        require_figure("--network-bandwidth", *words.network_Gbps, "Gbit/s", slowest * of_node,
                       fastest * of_node);
    }
    if (words.network_latency_us)
        require_figure("--network-latency", *words.network_latency_us, "us", 0.0, longest / micro);
}

}  // namespace

void apply_network(const Operation& words, ClusterSpec& cluster, Assumptions& out) {
    Network& network = cluster.network;
    require_real_network(words, cluster);
    const auto said = [&](const char* flag, const std::string& what) {
        out.push_back(assumption_from(std::string("network: ") + what + " (" + flag + ")"));
    };
    if (words.bus_GBps) {
        network.scale_up.bandwidth = ByteRate{*words.bus_GBps * giga};
        said("--bus-bandwidth", to_text(network.scale_up.bandwidth) + " within a node, each direction");
    }
    if (words.bus_latency_us) {
        set_step(network.scale_up, Seconds{*words.bus_latency_us * micro});
        said("--bus-latency", to_text(Seconds{*words.bus_latency_us * micro}) + " per step within a node");
    }
    if (!words.network_Gbps && !words.network_latency_us) {
        return;
    }
    if (!network.scale_out) {
        throw Error(ErrorKind::usage,
                    std::vector<Problem>{{words.network_Gbps ? "--network-bandwidth" : "--network-latency",
                                          "no network between the nodes of " + cluster.id +
                                              "; give a --cluster that has one"}});
    }
    if (words.network_Gbps) {
        network.scale_out->bandwidth =
            ByteRate{*words.network_Gbps * giga / bits / static_cast<double>(cluster.per_node)};
        said("--network-bandwidth", to_significant(*words.network_Gbps) + " Gbit/s per node, " +
                                        to_text(network.scale_out->bandwidth) + " per accelerator");
    }
    if (words.network_latency_us) {
        set_step(*network.scale_out, Seconds{*words.network_latency_us * micro});
        said("--network-latency",
             to_text(Seconds{*words.network_latency_us * micro}) + " per step between nodes");
    }
}

}  // namespace traincost
