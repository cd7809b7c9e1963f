// Nodes and what joins them, in JSON ("cluster/1"), and their prices ("prices/1").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/io/json.hpp"
#include "traincost/spec/cluster.hpp"

namespace traincost {

/// The links of one scale-up domain, as its sources give them; rates are one way, of one accelerator.
struct ScaleUpRecord {
    std::int64_t domain;   ///< accelerators in the domain
    std::string layout;    ///< switched | host_bus | full_mesh | hybrid_cube_mesh | torus_2d | torus_3d
    std::string topology;  ///< in words
    std::string link;      ///< "NVLink 4"; "accelerator": whatever the accelerator has
    std::optional<ByteRate> per_accelerator;
    std::optional<ByteRate> pair;    ///< between two accelerators
    std::optional<Seconds> latency;  ///< of one transfer between two
    bool sharp = false;              ///< its switches can reduce
};

/// The fabric between domains.
struct ScaleOutRecord {
    std::optional<std::int64_t> nics;  ///< of one node
    std::optional<ByteRate> nic;
    std::string fabric;
    std::optional<ByteRate> per_accelerator;
    std::optional<Seconds> latency;
};

/// A node type of the catalogue, before a job says how many accelerators it uses.
struct ClusterRecord {
    std::string id;
    std::vector<std::string> aliases;
    std::string provider;
    std::string kind;                        ///< on-prem | cloud | pod | consumer | generic
    std::optional<std::string> accelerator;  ///< id; absent: any
    std::int64_t per_node;
    ScaleUpRecord scale_up;
    std::optional<ScaleOutRecord> scale_out;
    HostSpec host;
    std::optional<double> node_power_w;  ///< largest, or of the tray
    std::optional<double>
        power_limit_w;  ///< of an accelerator, where the node keeps it below its rated power
    Provenance provenance;
};

/// Reads a "cluster/1" record; `Error` of kind input where a key is unknown, missing or of the wrong type.
ClusterRecord cluster_record_from_json(const JsonNode& node);

/// Reads a "prices/1" record.
std::vector<NodePrice> prices_from_json(const JsonNode& node);

}  // namespace traincost
