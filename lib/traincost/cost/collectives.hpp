// The time of one collective operation: latency + transfer + pipeline fill, over the scale-up domain, the
// scale-out fabric, or both. Equations, symbols and measured errors: docs/model.md, section Collectives.
#pragma once

#include <cstdint>

#include "traincost/base/quantity.hpp"
#include "traincost/spec/network.hpp"

namespace traincost {

/// What is done. `message` is always the whole buffer, as nccl-tests counts it:
enum class Collective : std::uint8_t {
    all_reduce,      ///< the buffer every rank holds and every rank gets the sum of
    all_gather,      ///< the gathered output: n times what a rank contributes
    reduce_scatter,  ///< the input of a rank: n times what it keeps
    all_to_all,      ///< the buffer a rank sends: 1/n of it to each rank, itself included
    send_recv,       ///< what one rank sends to the next one
    broadcast,       ///< the buffer that every rank gets from the root
    reduce,          ///< the buffer every rank holds, whose sum the root gets: a broadcast's way back
};

/// The ring, or pairwise, curve of a collective among those of a link.
CollectiveCurve LinkCurves::*curve_of(Collective collective);

/// Where the ranks of a group lie, and what it competes with.
struct GroupPlacement {
    std::int64_t size;         ///< ranks
    std::int64_t per_domain;   ///< of them in one scale-up domain
    std::int64_t nic_sharers;  ///< groups that use one NIC at the same time, this one included
    bool chain =
        false;  ///< ranks send to their neighbour alone: one of a domain sends out of it, over one NIC
    bool operator==(const GroupPlacement&) const = default;
};

enum class Algorithm : std::uint8_t { none, ring, tree, in_network, pairwise, direct };

/// The time of a collective as the sum of its terms: `latency + transfer + fill`.
struct CollectiveTime {
    Algorithm algorithm;
    bool low_latency_protocol;   ///< LL/LL128 rather than Simple, or what stands for them
    Seconds latency;             ///< base cost and dependent steps
    Seconds transfer;            ///< bytes over bandwidth, the slower of the two tiers: they overlap
    Seconds fill;                ///< filling the pipeline of chunks: 2 sqrt(ramp transfer)
    Seconds scale_up_transfer;   ///< of which: over the links of the domain
    Seconds scale_out_transfer;  ///< of which: over the NICs; zero inside a domain
    Seconds total() const {
        return latency + transfer + fill;
    }
    bool operator==(const CollectiveTime&) const = default;
};

/// The time of one collective and what it consists of. A group of one rank takes no time;
/// one over several domains that nothing joins takes forever.
CollectiveTime collective_breakdown(Collective collective, Bytes message, const GroupPlacement& group,
                                    const Network& network);

/// The time of one collective.
Seconds collective_time(Collective collective, Bytes message, const GroupPlacement& group,
                        const Network& network);

/// Bytes one rank sends in a ring (pairwise for all-to-all, along a chain for broadcast):
///   all-reduce 2 (n-1)/n M, all-gather, reduce-scatter, all-to-all (n-1)/n M, broadcast, reduce and
///   send/recv M
Bytes collective_traffic(Collective collective, Bytes message, std::int64_t ranks);

/// What nccl-tests prints: collective_traffic / time. Zero for zero time.
ByteRate bus_bandwidth(Collective collective, Bytes message, std::int64_t ranks, Seconds time);

/// The degrees of parallelism that cut the ranks into groups.
struct ParallelGroups {
    std::int64_t tp;
    std::int64_t cp;
    std::int64_t dp;
    std::int64_t pp;
    std::int64_t ep;        ///< a divisor of cp dp tp / etp
    std::int64_t etp;       ///< tensor parallelism of the experts
    bool cp_chain = false;  ///< keys and values pass from neighbour to neighbour
    bool operator==(const ParallelGroups&) const = default;
};

/// The placement of every kind of group.
struct GroupPlacements {
    GroupPlacement tp;
    GroupPlacement cp;
    GroupPlacement dp;     ///< ranks with the same dense shard and the same part of the sequence
    GroupPlacement dp_cp;  ///< ranks that reduce dense gradients together: dp and cp
    GroupPlacement ep;
    GroupPlacement etp;        ///< tensor parallelism of the experts
    GroupPlacement expert_dp;  ///< ranks that reduce expert gradients together
    GroupPlacement pp;         ///< stages of one pipeline
    bool operator==(const GroupPlacements&) const = default;
};

/// Placement of a group of `size` ranks, `stride` apart, ranks numbered domain by domain, while every group
/// of its kind communicates.
GroupPlacement place_group(std::int64_t size, std::int64_t stride, const Network& network);

/// Groups in Megatron's default rank order: tp fastest, then cp, dp, pp; for experts etp, ep, expert dp, pp.
GroupPlacements place_groups(const ParallelGroups& groups, const Network& network);

}  // namespace traincost
