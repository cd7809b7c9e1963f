#include <traincost/cost/collectives.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace traincost;
using namespace traincost::literals;

namespace {

/// base 10 us, step 1 us, no ramp, all of the bandwidth; never the low-latency protocol inside a domain.
CollectiveCurve plain(double efficiency) {
    const ProtocolCurve bulk = {.base = 10_us, .step = 1_us, .ramp = 0_us, .share = 1};
    const ProtocolCurve low = {.base = 100_us, .step = 10_us, .ramp = 0_us, .share = 0.5};
    const GroupPoint point = {.ranks = 2, .efficiency = efficiency, .low_latency_limit = Bytes(0)};
    return {.low_latency = low, .bulk = bulk, .groups = {point, point, point}};
}

LinkCurves plain_curves(double efficiency) {
    const CollectiveCurve c = plain(efficiency);
    return {.all_reduce = c,
            .all_gather = c,
            .reduce_scatter = c,
            .all_to_all = c,
            .broadcast = c,
            .send_recv = c,
            .inner_step = 0,
            .tree_all_reduce = {},
            .tree_over_two_domains = true,
            .in_network = {}};
}

/// Nodes of 8 at 400 GB/s, of which half is reached, with 8 NICs of 50 GB/s.
Network toy() {
    return {.topology = Topology::switched,
            .domain_size = 8,
            .scale_up = {.link = "toy", .bandwidth = 400_GBps, .curves = plain_curves(0.5)},
            .scale_out = LinkTier{.link = "toy", .bandwidth = 50_GBps, .curves = plain_curves(1)},
            .nics = 8,
            .sharp = false,
            .oversubscription = 1,
            .rail_domains = 1};
}

constexpr GroupPlacement node = {.size = 8, .per_domain = 8, .nic_sharers = 1};
constexpr Collective every[] = {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                Collective::all_to_all, Collective::send_recv,  Collective::broadcast};

double us(Seconds t) {
    return t.value() * 1e6;
}

}  // namespace

TEST_CASE("a ring all-reduce moves 2(n-1)/n of the message", "[collectives]") {
    CHECK(collective_traffic(Collective::all_reduce, 8_MB, 8) == 14_MB);
    CHECK(collective_traffic(Collective::all_gather, 8_MB, 8) == 7_MB);
    CHECK(collective_traffic(Collective::reduce_scatter, 8_MB, 2) == 4_MB);
    CHECK(collective_traffic(Collective::all_to_all, 8_MB, 4) == 6_MB);
    CHECK(collective_traffic(Collective::broadcast, 8_MB, 4) == 8_MB);
    CHECK(collective_traffic(Collective::all_reduce, 8_MB, 1) == 0_MB);
}

TEST_CASE("a group of one takes no time, and neither does an empty message", "[collectives]") {
    for (const Collective c : every) {
        CHECK(collective_time(c, 1_GB, {1, 1, 1}, toy()) == 0_s);
        CHECK(collective_time(c, 0_GB, node, toy()) == 0_s);
    }
}

TEST_CASE("inside a domain the time is base, steps and traffic over bandwidth", "[collectives]") {
    // 10 us + 14 steps of 1 us + 1.75 x 80 MB / 200 GB/s = 700 us
    const CollectiveTime t = collective_breakdown(Collective::all_reduce, 80_MB, node, toy());
    CHECK(t.algorithm == Algorithm::ring);
    CHECK(us(t.latency) == Approx(24));
    CHECK(us(t.transfer) == Approx(700));
    CHECK(us(t.total()) == Approx(724));
    CHECK(bus_bandwidth(Collective::all_reduce, 80_MB, 8, t.total()).value() == Approx(140e6 / 724e-6));
    // 10 us + 7 steps + 0.875 x 80 MB / 200 GB/s
    CHECK(us(collective_time(Collective::all_gather, 80_MB, node, toy())) == Approx(17 + 350));
    // 10 us + 1 step + 80 MB / 200 GB/s
    CHECK(us(collective_time(Collective::send_recv, 80_MB, node, toy())) == Approx(11 + 400));
}

TEST_CASE("a ring over domains is bound by the NICs of the group", "[collectives]") {
    // Two domains of 8: 15/16 x 160 MB over 8 NICs = 400 GB/s: 375 us, against 750 us over 200 GB/s inside.
    CollectiveTime t = collective_breakdown(Collective::all_gather, 160_MB, {16, 8, 1}, toy());
    CHECK(us(t.scale_out_transfer) == Approx(375));
    CHECK(us(t.scale_up_transfer) == Approx(750));
    CHECK(us(t.transfer) == Approx(750));
    CHECK(us(t.latency) == Approx(10 + 1 + 14));
    // One rank a domain: 1 NIC.
    t = collective_breakdown(Collective::all_gather, 160_MB, {2, 1, 1}, toy());
    CHECK(us(t.transfer) == Approx(0.5 * 160e6 / 50e9 * 1e6));
    CHECK(t.scale_up_transfer == 0_s);
}

TEST_CASE("steps inside a domain cost more in a ring over several", "[collectives]") {
    Network net = toy();
    net.scale_out->curves.all_gather.bulk.step = 100_us;
    net.scale_out->curves.inner_step = 0.25;
    // 10 us + 1 crossing + 14 steps of 25 us; in one rank a domain there are none.
    CHECK(us(collective_breakdown(Collective::all_gather, 160_MB, {16, 8, 1}, net).latency) ==
          Approx(10 + 100 + 14 * 25));
    net.scale_out->curves.all_gather.low_latency.base = 1_s;
    CHECK(us(collective_breakdown(Collective::all_gather, 160_MB, {3, 1, 1}, net).latency) == Approx(210));
}

TEST_CASE("groups that share a NIC share its bandwidth", "[collectives]") {
    const Seconds alone = collective_breakdown(Collective::all_gather, 160_MB, {4, 1, 1}, toy()).transfer;
    const Seconds shared = collective_breakdown(Collective::all_gather, 160_MB, {4, 1, 4}, toy()).transfer;
    CHECK(shared / alone == Approx(4));
}

TEST_CASE("the low-latency protocol's rate is a group's, whatever its number of NICs", "[collectives]") {
    Network net = toy();
    net.scale_out->curves.all_gather.bulk.base = 1_s;
    net.scale_out->curves.all_gather.low_latency = {.base = 0_us, .step = 0_us, .ramp = 0_us, .share = 0.5};
    const auto transfer = [&](std::int64_t per_domain) {
        const GroupPlacement group = {2 * per_domain, per_domain, 1};
        return us(collective_breakdown(Collective::all_gather, 160_MB, group, net).scale_out_transfer);
    };
    CHECK(transfer(8) == Approx(15.0 / 16 * 160e6 / 200e9 * 1e6));  // half of 8 NICs of 50 GB/s
    CHECK(transfer(4) == Approx(7.0 / 8 * 160e6 / 200e9 * 1e6));    // all of 4
    CHECK(transfer(1) == Approx(0.5 * 160e6 / 50e9 * 1e6));         // all of one
}

TEST_CASE("a tapered fabric slows groups that leave the rail", "[collectives]") {
    Network net = toy();
    net.oversubscription = 2;
    net.rail_domains = 4;
    const auto transfer = [&](std::int64_t domains) {
        return collective_breakdown(Collective::send_recv, 80_MB, {domains, 1, 1}, net).transfer;
    };
    CHECK(transfer(8) / transfer(4) == Approx(2));
}

TEST_CASE("an all-to-all sends the share of the other domains over the NICs", "[collectives]") {
    // 16 ranks on 2 domains: 8/16 of 160 MB over one NIC of 50 GB/s a rank.
    const CollectiveTime t = collective_breakdown(Collective::all_to_all, 160_MB, {16, 8, 1}, toy());
    CHECK(t.algorithm == Algorithm::pairwise);
    CHECK(us(t.scale_out_transfer) == Approx(1600));
}

TEST_CASE("a tree over two domains moves the message once, over more of them twice", "[collectives]") {
    Network net = toy();
    net.scale_out->curves.tree_all_reduce = plain(1);
    // Inside, 2 (m-1)/m of 1 GB over 200 GB/s: 8750 us. 1 GB over 400 GB/s: 2500 us; twice that: 5000 us.
    CollectiveTime t = collective_breakdown(Collective::all_reduce, 1_GB, {16, 8, 1}, net);
    CHECK(t.algorithm == Algorithm::tree);
    CHECK(us(t.scale_out_transfer) == Approx(2500));
    t = collective_breakdown(Collective::all_reduce, 1_GB, {1024, 8, 1}, net);
    CHECK(t.algorithm == Algorithm::tree);
    CHECK(us(t.scale_out_transfer) == Approx(5000));
    CHECK(us(t.latency) == Approx(10 + 7 + 14));
}

TEST_CASE("NCCL's own tuning takes the ring for large messages over two domains, unless switches reduce",
          "[collectives]") {
    Network net = toy();
    net.scale_out->curves.tree_all_reduce = plain(1);
    net.scale_out->curves.tree_over_two_domains = false;
    net.scale_up.curves = plain_curves(1);
    // Ring: 2 (16-1)/16 of 1 GB over 400 GB/s: 4687.5 us; the tree counts as 5000 us.
    CHECK(collective_breakdown(Collective::all_reduce, 1_GB, {16, 8, 1}, net).algorithm == Algorithm::ring);
    net.sharp = true;
    net.scale_up.curves.in_network = InNetworkCurve{
        .base = 10_us, .ramp = 0_us, .efficiency = 1, .bus_bandwidth_limit = 2, .least_ranks = 2};
    const CollectiveTime t = collective_breakdown(Collective::all_reduce, 1_GB, {16, 8, 1}, net);
    CHECK(t.algorithm == Algorithm::in_network);
    CHECK(us(t.scale_out_transfer) == Approx(2500));
}

TEST_CASE("switches that reduce make a large all-reduce faster, and nothing else", "[collectives]") {
    Network net = toy();
    net.scale_up.curves.in_network = InNetworkCurve{
        .base = 20_us, .ramp = 0_us, .efficiency = 0.5, .bus_bandwidth_limit = 1, .least_ranks = 5};
    CHECK(collective_breakdown(Collective::all_reduce, 1_GB, node, net).algorithm == Algorithm::ring);
    net.sharp = true;
    const CollectiveTime t = collective_breakdown(Collective::all_reduce, 1_GB, node, net);
    CHECK(t.algorithm == Algorithm::in_network);
    CHECK(us(t.transfer) == Approx(1e9 * 9 / 8 / 200e9 * 1e6));
    CHECK(collective_breakdown(Collective::all_reduce, 1_GB, {4, 4, 1}, net).algorithm == Algorithm::ring);
    CHECK(collective_breakdown(Collective::all_gather, 1_GB, node, net).algorithm == Algorithm::ring);
    net.scale_up.curves.in_network->bus_bandwidth_limit = 0.25;
    CHECK(us(collective_breakdown(Collective::all_reduce, 1_GB, node, net).total()) == Approx(24 + 8750));
}

TEST_CASE("of a full mesh, a group uses the links between its ranks", "[collectives]") {
    Network net = toy();
    net.topology = Topology::full_mesh;
    const auto transfer = [&](std::int64_t n) {
        return collective_breakdown(Collective::broadcast, 1_GB, {n, n, 1}, net).transfer;
    };
    CHECK(transfer(2) / transfer(8) == Approx(7));
    CHECK(transfer(4) / transfer(8) == Approx(7.0 / 3));
}

TEST_CASE("a torus has rings along its axes, and all-to-all crosses the middle of one", "[collectives]") {
    Network net = toy();
    net.topology = Topology::torus_2d;
    net.domain_size = 256;
    const GroupPlacement axis = {16, 16, 1};
    const GroupPlacement plane = {256, 256, 1};
    // 1 of 2 axes: 100 of 200 GB/s; 15 hops. Both: 200 GB/s; 30 hops.
    CHECK(us(collective_time(Collective::all_gather, 1_GB, axis, net)) ==
          Approx(10 + 15 + 15.0 / 16 * 1e9 / 100e9 * 1e6));
    CHECK(us(collective_time(Collective::all_gather, 1_GB, plane, net)) ==
          Approx(10 + 30 + 255.0 / 256 * 1e9 / 200e9 * 1e6));
    // [ScalingBook]: n M / (4 W) with W both directions of the axis
    CHECK(us(collective_breakdown(Collective::all_to_all, 1_GB, axis, net).transfer) ==
          Approx(16.0 / 4 * 1e9 / 100e9 * 1e6));
}

TEST_CASE("a larger message never takes less time", "[collectives]") {
    Network net = toy();
    net.sharp = true;
    net.scale_up.curves.in_network = InNetworkCurve{20_us, 1_us, 0.6, 1, 5};
    for (CollectiveCurve* c : {&net.scale_up.curves.all_reduce, &net.scale_up.curves.all_gather}) {
        c->low_latency = {.base = 5_us, .step = 1_us, .ramp = 1_us, .share = 0.2};
        for (GroupPoint& p : c->groups) {
            p.low_latency_limit = 4_MiB;
        }
    }
    for (const Collective c : every) {
        for (const GroupPlacement& g : {node, GroupPlacement{2, 2, 1}, GroupPlacement{64, 8, 1},
                                        GroupPlacement{64, 1, 2}, GroupPlacement{12, 8, 1}}) {
            Seconds last = 0_s;
            for (double bytes = 1; bytes < 1e11; bytes *= 1.1) {
                const CollectiveTime t = collective_breakdown(c, Bytes(bytes), g, net);
                CHECK(t.total() >= last);
                CHECK(t.total() == t.latency + t.transfer + t.fill);
                last = t.total();
            }
        }
    }
}

TEST_CASE("domains that nothing joins can't communicate", "[collectives]") {
    Network net = toy();
    net.scale_out.reset();
    CHECK(std::isinf(collective_time(Collective::all_gather, 1_MB, {16, 8, 1}, net).value()));
}

TEST_CASE("groups are placed in Megatron's order", "[collectives]") {
    const Network net = toy();
    GroupPlacements p = place_groups({.tp = 8, .cp = 1, .dp = 16, .pp = 4, .ep = 1, .etp = 1}, net);
    CHECK(p.tp == GroupPlacement{8, 8, 1});
    CHECK(p.dp == GroupPlacement{16, 1, 1});
    CHECK(p.pp == GroupPlacement{4, 1, 1});
    p = place_groups({.tp = 2, .cp = 2, .dp = 8, .pp = 1, .ep = 8, .etp = 1}, net);
    CHECK(p.tp == GroupPlacement{2, 2, 1});
    CHECK(p.cp == GroupPlacement{2, 2, 1});
    CHECK(p.dp == GroupPlacement{8, 2, 1});
    CHECK(p.dp_cp == GroupPlacement{16, 4, 1});
    CHECK(p.ep == GroupPlacement{8, 8, 1});
    CHECK(p.expert_dp == GroupPlacement{4, 1, 1});
    p = place_groups({.tp = 1, .cp = 1, .dp = 2, .pp = 4, .ep = 1, .etp = 1}, net);
    CHECK(p.pp == GroupPlacement{4, 4, 1});
}

TEST_CASE("what passes from neighbour to neighbour leaves a domain over one NIC", "[collectives]") {
    const Network net = toy();
    const ParallelGroups groups{.tp = 1, .cp = 16, .dp = 2, .pp = 1, .ep = 1, .etp = 1};
    ParallelGroups passing = groups;
    passing.cp_chain = true;
    const GroupPlacement gathered = place_groups(groups, net).cp;
    const GroupPlacement chain = place_groups(passing, net).cp;
    CHECK_FALSE(gathered.chain);
    CHECK(chain.chain);
    const auto out = [&](const GroupPlacement& g) {
        return collective_breakdown(Collective::all_gather, 1_GB, g, net).scale_out_transfer.value();
    };
    CHECK(out(chain) == Approx(8.0 * out(gathered)));
    // Within a domain, and where each rank has a domain of its own, there is no other way.
    passing.cp = 8;
    CHECK(place_groups(passing, net).cp == GroupPlacement{8, 8, 1});
    passing.tp = 8;
    passing.cp = 4;
    CHECK(out(place_groups(passing, net).cp) ==
          Approx(out(place_groups({.tp = 8, .cp = 4, .dp = 2, .pp = 1, .ep = 1, .etp = 1}, net).cp)));
}

TEST_CASE("accelerators that share a NIC contend for it", "[collectives]") {
    Network net = toy();
    net.nics = 4;
    // 8 groups of one rank a domain on 4 NICs; one group over the whole domain has all four.
    CHECK(place_group(16, 8, net) == GroupPlacement{16, 1, 2});
    CHECK(place_group(16, 1, net) == GroupPlacement{16, 8, 1});
    // Either way an accelerator gets its 50 GB/s.
    const auto rate = [&](const GroupPlacement& g) {
        return collective_traffic(Collective::all_gather, 1_GB, g.size) /
               collective_breakdown(Collective::all_gather, 1_GB, g, net).scale_out_transfer;
    };
    CHECK(rate(place_group(16, 8, net)).value() == Approx(50e9));
    CHECK(rate(place_group(16, 1, net)).value() == Approx(400e9));
}

TEST_CASE("a network that can't be is refused with its place", "[collectives]") {
    std::vector<Problem> problems;
    validate(toy(), problems);
    CHECK(problems.empty());
    Network net = toy();
    net.domain_size = 0;
    net.scale_up.bandwidth = ByteRate(0);
    net.scale_out->curves.all_gather.groups[1].ranks = 1;
    validate(net, problems);
    REQUIRE(problems.size() == 3);
    CHECK(problems[0].path == "cluster.network.domain_size");
    CHECK(problems[1].path == "cluster.network.scale_up.bandwidth");
    CHECK(problems[2].path == "cluster.network.scale_out.all_gather.groups[1].ranks");
}
