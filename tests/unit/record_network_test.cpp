#include "traincost/fit/records/record_network.hpp"

#include <catch2/catch.hpp>

#include "traincost/cost/collectives.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/record_catalogue.hpp"

using namespace traincost;
using namespace traincost::literals;

namespace {

/// A record of two nodes of the sweep whose all-reduce reached so many GB/s inside a node and between them.
RunRecord measured_at(const std::string& inside, const std::string& between) {
    RunRecord record{};
    record.cluster = {.accelerator = "h100-sxm5-80gb",
                      .accelerators = 16,
                      .per_node = 8,
                      .interconnect = "NVLink4 inside the node; EFA between nodes"};
    record.extra = {{"measured_nccl_bw_GBps",
                     "{\"AllReduce (GB/s)\": " + between + ", \"AR Intra-node (GB/s)\": " + inside + "}"}};
    return record;
}

ClusterSpec cluster_of(const RunRecord& record) {
    const Catalogue catalogue;
    std::vector<std::string> assumptions;
    return record_catalogue(catalogue).cluster(cluster_in_measured_state(record), assumptions);
}

/// From one stage to the next, inside a node (1 apart) or between two (8 apart).
double transfer_s(const Network& network, std::int64_t stride, Bytes message) {
    return collective_time(Collective::send_recv, message, place_group(2, stride, network), network).value();
}

}  // namespace

TEST_CASE("a record's own collectives say which of three states its network was in", "[fit]") {
    const RecordCluster fast = cluster_in_measured_state(measured_at("458.7", "335.0"));
    CHECK(fast.interconnect == "EFA v2");
    CHECK(fast.domain_link.empty());
    const RecordCluster slow = cluster_in_measured_state(measured_at("425.5", "326.0"));
    CHECK(slow.interconnect == "EFA v2 latency-bound");
    CHECK(slow.domain_link.empty());
    const RecordCluster broken = cluster_in_measured_state(measured_at("45.1", "45.3"));
    CHECK(broken.interconnect == "EFA v2 without peer access");
    CHECK(broken.domain_link == "NVLink 4 without peer access");
}

TEST_CASE("without figures, or on another fabric, the cluster is what the record states", "[fit]") {
    RunRecord record = measured_at("45.1", "45.3");
    record.cluster.interconnect = "NVLink4, 8x 400Gb/s IB NDR";
    CHECK(cluster_in_measured_state(record) == record.cluster);
    record = measured_at("45.1", "45.3");
    record.extra.clear();
    CHECK(cluster_in_measured_state(record) == record.cluster);
}

TEST_CASE("without peer access each transfer between stages takes half a second, whatever its size",
          "[fit]") {
    const Network broken = cluster_of(measured_at("45.1", "45.3")).network;
    const Network healthy = cluster_of(measured_at("458.7", "335.0")).network;
    CHECK(broken.scale_up.link == "NVLink 4 without peer access");
    for (const std::int64_t stride : {1, 8}) {
        for (const Bytes message : {16_MiB, 256_MiB}) {
            CHECK(transfer_s(broken, stride, message) == Approx(0.46).epsilon(0.03));
            CHECK(transfer_s(healthy, stride, message) < 0.02);
        }
    }
    // All-reduce of 256 MiB inside a node at 45.4 GB/s of bus bandwidth.
    const GroupPlacement node = place_group(8, 1, broken);
    const Seconds time = collective_time(Collective::all_reduce, 256_MiB, node, broken);
    CHECK(bus_bandwidth(Collective::all_reduce, 256_MiB, 8, time).value() / 1e9 ==
          Approx(45.4).epsilon(0.03));
}
