// A job's cluster made from a node type. Internal to io/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/io/catalogue.hpp"

namespace traincost {

/// `accelerators` of `accelerator` in nodes of `record`, with the measured curves of its links. A node type
/// of another accelerator lends its node; links are then the accelerator's own where it has any.
ClusterChoice build_cluster(const ClusterRecord& record, const AcceleratorSpec& accelerator,
                            std::vector<NodePrice> prices, std::int64_t accelerators,
                            std::optional<std::int64_t> per_node, std::span<const EmbeddedFile> bench);

/// Joins the nodes by another fabric than the node type's: its name, what all cards of a node give one way
/// (absent: as much as the node type's), and how many cards. Nothing changes where the job stays in one
/// domain.
void join_nodes(ClusterChoice& choice, const std::string& fabric, std::optional<ByteRate> per_node,
                std::optional<std::int64_t> nics, std::span<const EmbeddedFile> bench);

/// Gives the links inside a domain the curves of `link`, at their nominal rate.
void join_domain(ClusterChoice& choice, const std::string& link, std::span<const EmbeddedFile> bench);

/// "8 a node, NVLink 4 at 450 GB/s, 50.0 GB/s an accelerator between nodes".
std::string describe(const ClusterSpec& cluster);

}  // namespace traincost
