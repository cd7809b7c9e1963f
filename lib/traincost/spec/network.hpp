// What joins the accelerators of a cluster, as the collective-time model (cost/collectives.hpp) sees it: a
// scale-up domain of fast links, and a scale-out fabric between domains. The curves are measured data
// (data/bench/network-*.json); docs/model.md, section Collectives, has the equations they enter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/quantity.hpp"

namespace traincost {

/// How the accelerators of one scale-up domain reach each other. It says which share of an accelerator's
/// links a group smaller than the domain can use.
enum class Topology : std::uint8_t {
    switched,          ///< NVSwitch and its like: any group has every link
    host_bus,          ///< PCIe through the host: the curves' group points hold what a group gets
    full_mesh,         ///< one link to each peer (xGMI, HCCS, Gaudi): n ranks use n - 1 of domain - 1 links
    hybrid_cube_mesh,  ///< DGX-1: 6 links, pairs joined by 0, 1 or 2 of them
    torus_2d,          ///< links to four neighbours (TPU v5e, v6e, Trainium)
    torus_3d,          ///< links to six neighbours (TPU v4, v5p, v7x)
};

/// The time of one transfer protocol for a rank that moves W bytes in s dependent steps over a bandwidth B:
///   base + s step + x + 2 sqrt(ramp x),   x = W / (share B)
/// The square root is the fill of a pipeline cut into the best number of chunks.
struct ProtocolCurve {
    Seconds base;  ///< launch and synchronisation, paid once
    Seconds step;  ///< one dependent step (scale-up: a hop; scale-out: crossing from domain to domain)
    Seconds ramp;
    double share;  ///< of the bulk bandwidth; 1 for the bulk protocol
    bool operator==(const ProtocolCurve&) const = default;
};

/// What a group of `ranks` (scale-out: a group over `ranks` domains) gets. Between two points linear in
/// log2(ranks); outside, the nearest one.
struct GroupPoint {
    std::int64_t ranks;
    double efficiency;        ///< bus bandwidth of large messages / nominal bandwidth that the group can use
    Bytes low_latency_limit;  ///< larger messages go by the bulk protocol; past the last point it grows as
                              ///< ranks
    bool operator==(const GroupPoint&) const = default;
};

/// One collective on one link: a low-latency protocol (NCCL's LL and LL128) and a bulk one (Simple).
struct CollectiveCurve {
    ProtocolCurve low_latency;
    ProtocolCurve bulk;
    std::array<GroupPoint, 3> groups;  ///< rising in ranks; repeat the last where fewer are known
    bool operator==(const CollectiveCurve&) const = default;
};

/// All-reduce done by the switches (NVLink SHARP): each rank sends and receives (n + 1) / n of the message.
struct InNetworkCurve {
    Seconds base;
    Seconds ramp;
    double efficiency;           ///< of the nominal bandwidth
    double bus_bandwidth_limit;  ///< largest bus bandwidth / nominal, whatever the group
    std::int64_t least_ranks;    ///< smaller groups don't use it
    bool operator==(const InNetworkCurve&) const = default;
};

/// Every collective on one link generation.
struct LinkCurves {
    CollectiveCurve all_reduce;  ///< ring
    CollectiveCurve all_gather;
    CollectiveCurve reduce_scatter;
    CollectiveCurve all_to_all;
    CollectiveCurve broadcast;
    CollectiveCurve send_recv;
    /// Scale-out: in a ring over several domains, a bulk step inside a domain / one between domains. Their
    /// chunks are cut for the NICs, so that steps inside take longer than in a ring of one domain. Zero for
    /// scale-up.
    double inner_step;
    std::optional<CollectiveCurve> tree_all_reduce;  ///< scale-out only
    /// Over two domains a tree moves the message once, yet NCCL's own tuning counts it twice, as over more
    /// domains, and takes the ring for large messages. False: so it was measured; true where a tree was.
    bool tree_over_two_domains;
    std::optional<InNetworkCurve> in_network;  ///< scale-up: switches that reduce
    bool operator==(const LinkCurves&) const = default;
};

/// One level of the network.
struct LinkTier {
    std::string link;  ///< name of the curves' data: "nvlink4", "efa"
    ByteRate
        bandwidth;  ///< nominal, of one accelerator, one direction (scale-out: NIC bandwidth / accelerators)
    LinkCurves curves;
    bool operator==(const LinkTier&) const = default;
};

/// The network of one cluster.
struct Network {
    Topology topology;  ///< of the scale-up domain
    std::int64_t
        domain_size;  ///< accelerators in one scale-up domain (NVL72: 72, DGX: 8, TPU pod: the slice)
    LinkTier scale_up;
    std::optional<LinkTier> scale_out;  ///< absent: nothing joins the domains
    std::int64_t nics;                  ///< per domain; more than domain_size counts as domain_size
    bool sharp;  ///< the domain's switches reduce (NVLS), where the scale-up curves have it
    double
        oversubscription;  ///< of the scale-out fabric above the first switches: 1 is full bisection, 2 half
    std::int64_t rail_domains;  ///< domains below the first switches, where the fabric isn't oversubscribed
    bool operator==(const Network&) const = default;
};

/// Whether the fabric's steps take so long (a quarter of a millisecond and more, where healthy ones take up
/// to 0.12 ms) that what drives it waits for a processor: launches on such nodes wait too.
bool hosts_starved(const Network& network);

/// Appends what is wrong with `network`, paths below "cluster.network".
void validate(const Network& network, std::vector<Problem>& problems);

}  // namespace traincost
