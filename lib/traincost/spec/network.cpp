#include "traincost/spec/network.hpp"

#include <string>
#include <utility>

#include "traincost/spec/check.hpp"

namespace traincost {
namespace {

void validate(const ProtocolCurve& curve, Checker& check, const std::string& path) {
    constexpr double a_minute = 60;
    check.in_range(path + ".base", curve.base.value(), 0, a_minute);
    check.in_range(path + ".step", curve.step.value(), 0, a_minute);
    check.in_range(path + ".ramp", curve.ramp.value(), 0, a_minute);
    check.in_range(path + ".share", curve.share, 1e-6, 1e6);
}

void validate(const CollectiveCurve& curve, Checker& check, const std::string& path) {
    validate(curve.low_latency, check, path + ".low_latency");
    validate(curve.bulk, check, path + ".bulk");
    for (std::size_t i = 0; i < curve.groups.size(); ++i) {
        const std::string point = path + ".groups[" + std::to_string(i) + "]";
        check.in_range(point + ".efficiency", curve.groups[i].efficiency, 1e-6, 1e6);
        check.at_least(point + ".ranks", curve.groups[i].ranks, i == 0 ? 1 : curve.groups[i - 1].ranks);
    }
}

void validate(const LinkTier& tier, Checker& check, const std::string& path) {
    check.in_range(path + ".bandwidth", tier.bandwidth, 1e3, 1e17);
    const LinkCurves& c = tier.curves;
    for (const auto& [name, curve] :
         {std::pair{".all_reduce", &c.all_reduce}, std::pair{".all_gather", &c.all_gather},
          std::pair{".reduce_scatter", &c.reduce_scatter}, std::pair{".all_to_all", &c.all_to_all},
          std::pair{".broadcast", &c.broadcast}, std::pair{".send_recv", &c.send_recv}}) {
        validate(*curve, check, path + name);
    }
    check.in_range(path + ".inner_step", c.inner_step, 0, 1);
    if (c.tree_all_reduce) {
        validate(*c.tree_all_reduce, check, path + ".tree_all_reduce");
    }
    if (c.in_network) {
        check.in_range(path + ".in_network.efficiency", c.in_network->efficiency, 1e-6, 1e6);
        check.in_range(path + ".in_network.bus_bandwidth_limit", c.in_network->bus_bandwidth_limit, 1e-6,
                       1e6);
        check.at_least(path + ".in_network.least_ranks", c.in_network->least_ranks, 2);
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
    validate(network.scale_up, check, "scale_up");
    if (network.scale_out) {
        validate(*network.scale_out, check, "scale_out");
    }
}

}  // namespace traincost
