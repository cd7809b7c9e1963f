#include "traincost/spec/network.hpp"

#include <string>
#include <utility>

#include "traincost/spec/check.hpp"

namespace traincost {
namespace {

void validate(const ProtocolCurve& curve, Checker check) {
    constexpr double a_minute = 60;
    check.in_range("base", curve.base.value(), 0, a_minute);
    check.in_range("step", curve.step.value(), 0, a_minute);
    check.in_range("ramp", curve.ramp.value(), 0, a_minute);
    check.in_range("share", curve.share, 1e-6, 1e6);
}

void validate(const CollectiveCurve& curve, Checker check) {
    validate(curve.low_latency, check.part("low_latency"));
    validate(curve.bulk, check.part("bulk"));
    for (std::size_t i = 0; i < curve.groups.size(); ++i) {
        Checker point = check.part("groups", i);
        point.in_range("efficiency", curve.groups[i].efficiency, 1e-6, 1e6);
        point.at_least("ranks", curve.groups[i].ranks, i == 0 ? 1 : curve.groups[i - 1].ranks);
    }
}

void validate(const LinkTier& tier, Checker check) {
    check.in_range("bandwidth", tier.bandwidth, 1e3, 1e17);
    const LinkCurves& c = tier.curves;
    for (const auto& [name, curve] :
         {std::pair{"all_reduce", &c.all_reduce}, std::pair{"all_gather", &c.all_gather},
          std::pair{"reduce_scatter", &c.reduce_scatter}, std::pair{"all_to_all", &c.all_to_all},
          std::pair{"broadcast", &c.broadcast}, std::pair{"send_recv", &c.send_recv}}) {
        validate(*curve, check.part(name));
    }
    check.in_range("inner_step", c.inner_step, 0, 1);
    if (c.tree_all_reduce) {
        validate(*c.tree_all_reduce, check.part("tree_all_reduce"));
    }
    if (c.in_network) {
        Checker in_network = check.part("in_network");
        in_network.in_range("efficiency", c.in_network->efficiency, 1e-6, 1e6);
        in_network.in_range("bus_bandwidth_limit", c.in_network->bus_bandwidth_limit, 1e-6, 1e6);
        in_network.at_least("least_ranks", c.in_network->least_ranks, 2);
    }
}

}  // namespace

bool hosts_starved(const Network& network) {
    constexpr Seconds healthy{250e-6};
    return network.scale_out && network.scale_out->curves.all_gather.low_latency.step > healthy;
}

void validate(const Network& network, std::vector<Problem>& problems) {
    Checker check(problems, "cluster.network.");
    constexpr std::int64_t most = std::int64_t{1} << 24;
    check.count("domain_size", network.domain_size, most);
    check.count("nics", network.nics, most);
    check.count("rail_domains", network.rail_domains, most);
    check.in_range("oversubscription", network.oversubscription, 1, 1000);
    validate(network.scale_up, check.part("scale_up"));
    if (network.scale_out) {
        validate(*network.scale_out, check.part("scale_out"));
    }
}

}  // namespace traincost
