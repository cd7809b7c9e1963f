#include <cli/network_options.hpp>
#include <cli/options.hpp>
#include <traincost/base/flag_values.hpp>
#include <traincost/base/text.hpp>
#include <traincost/cost/collectives.hpp>

#include <array>

namespace traincost::cli {

namespace {

double positive(const std::string& text) {
    return parse_number(text, Range::positive);
}

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

}  // namespace

void add_network_options(CLI::App& app, NetworkFlags& f) {
    name_group(app, own_group);
    add_parsed(app, "--bus-bandwidth", f.bus_GBps, "GB_PER_S", gigabytes_per_second,
               "Bandwidth of an accelerator's links in its node, one direction, GB/s or with a unit "
               "(400Gb/s); default: the cluster's");
    add_parsed(app, "--network-bandwidth", f.network_Gbps, "GBIT_PER_S", gigabits_per_second,
               "Bandwidth of a node's network, Gbit/s or with a unit (50GB/s); default: the cluster's");
    add_parsed(app, "--bus-latency", f.bus_latency_us, "MICROSECONDS", positive,
               "Time of one step of a collective inside a node; default: measured");
    add_parsed(app, "--network-latency", f.network_latency_us, "MICROSECONDS", positive,
               "Time of one step of a collective between nodes; default: measured");
    name_group(app, "Network");
}

void apply_network(const NetworkFlags& f, Job& job, std::vector<std::string>& assumptions) {
    Network& network = job.cluster.network;
    constexpr double giga = 1e9;
    constexpr double micro = 1e-6;
    const auto said = [&](const char* flag, const std::string& what) {
        assumptions.push_back(std::string("network: ") + what + " (" + flag + ")");
    };
    if (f.bus_GBps) {
        network.scale_up.bandwidth = ByteRate{*f.bus_GBps * giga};
        said("--bus-bandwidth", to_text(network.scale_up.bandwidth) + " inside a node, each direction");
    }
    if (f.bus_latency_us) {
        set_step(network.scale_up, Seconds{*f.bus_latency_us * micro});
        said("--bus-latency", to_text(Seconds{*f.bus_latency_us * micro}) + " a step inside a node");
    }
    if (!f.network_Gbps && !f.network_latency_us) {
        return;
    }
    if (!network.scale_out) {
        throw Error(ErrorKind::usage,
                    std::string(f.network_Gbps ? "--network-bandwidth" : "--network-latency") +
                        ": nothing joins the nodes of " + job.cluster.id +
                        "; name a --cluster with a network between nodes");
    }
    if (f.network_Gbps) {
        constexpr double bits = 8.0;
        network.scale_out->bandwidth =
            ByteRate{*f.network_Gbps * giga / bits / static_cast<double>(job.cluster.per_node)};
        said("--network-bandwidth", to_significant(*f.network_Gbps) + " Gbit/s of a node, " +
                                        to_text(network.scale_out->bandwidth) + " of an accelerator");
    }
    if (f.network_latency_us) {
        set_step(*network.scale_out, Seconds{*f.network_latency_us * micro});
        said("--network-latency", to_text(Seconds{*f.network_latency_us * micro}) + " a step between nodes");
    }
}

void apply_network(const NetworkFlags& flags, traincost::ResolvedJob& resolved) {
    std::vector<std::string> lines;
    apply_network(flags, resolved.job, lines);
    for (const std::string& line : lines) {
        resolved.assumptions.push_back(assumption_from(line));
    }
}

}  // namespace traincost::cli
