#include "traincost/fit/records/record_network.hpp"

#include "traincost/fit/records/record_words.hpp"

namespace traincost {

RecordCluster cluster_in_measured_state(const RunRecord& record) {
    constexpr std::int64_t without_peer_access = 100;  // GB/s: between 46 and 391, which were measured
    constexpr std::int64_t between_states_inside = 442;
    constexpr std::int64_t between_states_outside = 120;
    RecordCluster cluster = record.cluster;
    const auto figures = record.extra_text("measured_nccl_bw_GBps");
    if (!figures || !says(cluster.interconnect, "EFA"))
        return cluster;
    const auto inside = number_after(*figures, "AR Intra-node (GB/s)");
    const auto outside = number_after(*figures, "AllReduce (GB/s)");
    if (inside && *inside < without_peer_access && says(cluster.interconnect, "NVLink4")) {
        cluster.domain_link = "NVLink 4 without peer access";
        cluster.interconnect = "EFA v2 without peer access";
        return cluster;
    }
    const bool many = cluster.per_node && cluster.accelerators >= 8 * *cluster.per_node;
    if (many && outside) {
        cluster.interconnect = *outside < between_states_outside ? "EFA v2 latency-bound" : "EFA v2";
    } else if (inside) {
        cluster.interconnect = *inside < between_states_inside ? "EFA v2 latency-bound" : "EFA v2";
    }
    return cluster;
}

}  // namespace traincost
