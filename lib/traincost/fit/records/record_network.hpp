// The state of a record's network, where the record says what its collectives reached.
#pragma once

#include "traincost/fit/records/record.hpp"

namespace traincost {

/// The cluster as stated, its links named by the state its own figures show (`measured_nccl_bw_GBps`: bus
/// bandwidth of 256 MiB). The cluster of the nanotron sweep was in one of three: all-reduce inside a node at
/// 452 to 462 GB/s, and between nodes as EFA v2 does; at 391 to 436 GB/s, and between nodes bound by 0.64 ms
/// a node (data/bench/network-efa-latency-bound.json; 682 runs, Dec 2024 to Jan 2025); or, on a few nodes, at
/// 45 GB/s inside a node and less between them (data/bench/network-nvlink4-no-peer-access.json; 13 runs).
/// From 8 nodes on the figure between nodes alone tells the first two apart: 135 GB/s and more, or 103 and
/// less.
RecordCluster cluster_in_measured_state(const RunRecord& record);

}  // namespace traincost
