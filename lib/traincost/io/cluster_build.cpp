#include "traincost/io/cluster_build.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/io/bench/accelerator_kernels.hpp"
#include "traincost/io/bench/network_data.hpp"
#include "traincost/io/power_limit.hpp"
#include "traincost/spec/check.hpp"
#include "traincost/spec/limits.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// Whether the node joins its cards over the host's bus, whatever links of their own they have: a bridge
/// joins two or four of them, not the node.
bool joins_by_bus(const ClusterRecord& record) {
    return value_of<Topology>(record.scale_up.layout) == Topology::host_bus &&
           record.scale_up.link.starts_with("PCIe");
}

/// The rate of one accelerator's links inside the domain, and the link's name.
LinkTier scale_up_tier(const ClusterRecord& record, const AcceleratorSpec& accelerator,
                       ClusterChoice& choice) {
    const bool own_node = record.accelerator == accelerator.id;
    const bool generic = record.scale_up.link == "accelerator";
    LinkTier tier{.link = record.scale_up.link,
                  .bandwidth = record.scale_up.per_accelerator.value_or(ByteRate()),
                  .curves = {}};
    if (own_node && record.scale_up.per_accelerator) {
        return tier;
    }
    const bool by_bus = joins_by_bus(record);
    if (accelerator.scale_up && !by_bus) {
        tier.link = accelerator.scale_up->type;
        tier.bandwidth = accelerator.scale_up->per_direction;
    } else if (accelerator.pcie && (generic || !record.scale_up.per_accelerator)) {
        tier.link = accelerator.pcie->type;
        tier.bandwidth = accelerator.pcie->per_direction;
    } else if (!record.scale_up.per_accelerator) {
        tier.bandwidth = accelerator.memory_bandwidth;  // one accelerator a domain: nothing crosses the link
    }
    if (!own_node) {
        choice.assumptions.push_back("cluster: " + accelerator.id + " in nodes of " + record.id +
                                     ", with its own " + tier.link + " at " + to_text(tier.bandwidth));
    }
    return tier;
}

Topology topology_of(const ClusterRecord& record, const AcceleratorSpec& accelerator) {
    if (record.scale_up.link == "accelerator" && accelerator.scale_up) {
        return Topology::full_mesh;
    }
    return value_of<Topology>(record.scale_up.layout).value_or(Topology::host_bus);
}

bool is_torus(Topology topology) {
    return topology == Topology::torus_2d || topology == Topology::torus_3d;
}

/// A torus is cut to the job's size; a domain that is one node is as large as the node.
std::int64_t domain_size(const ClusterRecord& record, Topology topology, const ClusterSpec& cluster) {
    if (is_torus(topology)) {
        return std::max<std::int64_t>(1, std::min(record.scale_up.domain, cluster.accelerators));
    }
    return record.scale_up.domain == record.per_node ? cluster.per_node : record.scale_up.domain;
}

std::optional<LinkTier> scale_out_tier(const ClusterRecord& record) {
    if (!record.scale_out) {
        return std::nullopt;
    }
    const ScaleOutRecord& out = *record.scale_out;
    if (out.per_accelerator) {
        return LinkTier{.link = out.fabric, .bandwidth = *out.per_accelerator, .curves = {}};
    }
    if (!out.nic) {
        return std::nullopt;
    }
    // All NICs of a node serve all its accelerators.
    const double each =
        static_cast<double>(out.nics.value_or(record.per_node)) / static_cast<double>(record.per_node);
    return LinkTier{.link = out.fabric, .bandwidth = *out.nic * each, .curves = {}};
}

/// Gives a tier the measured curves of its link; says so where they are another's.
void attach_curves(LinkTier& tier, LinkKind kind, bool used, std::span<const EmbeddedFile> bench,
                   ClusterChoice& choice) {
    const std::optional<LinkRecord> found = find_link_record(tier.link, kind, bench);
    const LinkRecord record = found ? *found : unmeasured_link_record(kind, bench);
    tier.curves = record.curves;
    if (used && !record.measured) {
        choice.assumptions.push_back(
            "cluster: collectives over " + tier.link + " are not measured: " + record.id +
            (record.provenance.notes.empty() ? "" : " (" + record.provenance.notes.front() + ")"));
    }
}

/// Gives the accelerator its kernel times; says so where they are its family's.
void attach_kernels(ClusterChoice& choice, std::span<const EmbeddedFile> bench) {
    const AcceleratorSpec& accelerator = choice.spec.accelerator;
    choice.spec.kernels = kernel_models_of(accelerator, bench);
    if (!choice.spec.kernels.measured) {
        choice.assumptions.push_back("cluster: matrix products of " + accelerator.id +
                                     " are not measured: " + choice.spec.kernels.source);
    }
}

/// Where the node keeps its accelerators below their rated power, as modules do that share a limit with a
/// CPU.
void attach_power_limit(const ClusterRecord& record, ClusterChoice& choice,
                        std::span<const EmbeddedFile> bench) {
    ClusterSpec& c = choice.spec;
    if (!record.power_limit_w || !record.accelerator || *record.accelerator != c.accelerator.id)
        return;
    if (limit_power(c, *record.power_limit_w, bench))
        choice.assumptions.push_back("cluster: nodes of " + record.id + " leave each accelerator " +
                                     to_significant(*record.power_limit_w) + " W");
}

/// Before anything is counted or listed by them.
void require_counts(std::int64_t accelerators, std::optional<std::int64_t> per_node) {
    std::vector<Problem> problems;
    Checker check(problems, "cluster.");
    check.count("accelerators", accelerators, most_accelerators);
    check.count("per_node", per_node, most_per_node);
    throw_if_any(problems);
}

/// What a node costs and draws is that of its own accelerators: of a part of them where fewer (or more) are
/// taken for a node, unknown where others stand in their place.
void attach_rent_and_power(const ClusterRecord& record, std::vector<NodePrice> prices, ClusterSpec& c) {
    if (record.accelerator && *record.accelerator != c.accelerator.id)
        return;
    const double share = static_cast<double>(c.per_node) / static_cast<double>(record.per_node);
    c.prices = std::move(prices);
    for (NodePrice& price : c.prices)
        price.amount = price.amount * share;
    if (record.node_power_w)
        c.node_power_w = *record.node_power_w * share;
}

}  // namespace

ClusterChoice build_cluster(const ClusterRecord& record, const AcceleratorSpec& accelerator,
                            std::vector<NodePrice> prices, std::int64_t accelerators,
                            std::optional<std::int64_t> per_node, std::span<const EmbeddedFile> bench) {
    require_counts(accelerators, per_node);
    ClusterChoice choice{};
    ClusterSpec& c = choice.spec;
    c.id = record.id;
    c.aliases = record.aliases;
    c.provider = record.provider;
    c.accelerator = accelerator;
    attach_kernels(choice, bench);
    attach_power_limit(record, choice, bench);
    c.accelerators = accelerators;
    c.per_node = per_node.value_or(record.per_node);
    c.host = record.host;
    if (!c.host.link_per_accelerator && accelerator.pcie) {
        c.host.link_per_accelerator = accelerator.pcie->per_direction;
    }
    attach_rent_and_power(record, std::move(prices), c);
    c.provenance = record.provenance;

    Network& n = c.network;
    n.topology = topology_of(record, accelerator);
    n.scale_up = scale_up_tier(record, accelerator, choice);
    n.domain_size = domain_size(record, n.topology, c);
    n.scale_out = scale_out_tier(record);
    const std::int64_t nics = record.scale_out ? record.scale_out->nics.value_or(record.per_node) : 1;
    n.nics = std::max<std::int64_t>(1, nics * n.domain_size / record.per_node);
    n.sharp = record.scale_up.sharp;
    n.oversubscription = 1;
    n.rail_domains = 1;

    if (per_node && *per_node != record.per_node) {
        choice.assumptions.push_back("cluster: " + std::to_string(*per_node) + " accelerators per node of " +
                                     record.id + " instead of " + std::to_string(record.per_node) +
                                     ", each with the same bandwidth");
    }
    const bool several_nodes = accelerators > n.domain_size;
    attach_curves(n.scale_up, LinkKind::scale_up, n.domain_size > 1 && accelerators > 1, bench, choice);
    if (n.scale_out) {
        attach_curves(*n.scale_out, LinkKind::scale_out, several_nodes, bench, choice);
    }
    if (several_nodes && n.scale_out) {
        choice.assumptions.push_back("cluster: non-blocking fabric between nodes (full bisection)");
    }
    return choice;
}

void join_nodes(ClusterChoice& choice, const std::string& fabric, std::optional<ByteRate> per_node,
                std::optional<std::int64_t> nics, std::span<const EmbeddedFile> bench) {
    ClusterSpec& c = choice.spec;
    Network& n = c.network;
    if (c.accelerators <= n.domain_size || (!per_node && !n.scale_out)) {
        return;
    }
    LinkTier tier{.link = fabric, .bandwidth = {}, .curves = {}};
    tier.bandwidth = per_node ? *per_node / static_cast<double>(c.per_node) : n.scale_out->bandwidth;
    if (nics) {
        n.nics = std::max<std::int64_t>(1, std::min(*nics, most_per_node) * n.domain_size / c.per_node);
    }
    attach_curves(tier, LinkKind::scale_out, true, bench, choice);
    n.scale_out = tier;
    choice.assumptions.push_back("cluster: nodes joined by " + tier.link + " at " + to_text(tier.bandwidth) +
                                 " per accelerator, as stated by the source");
}

void join_domain(ClusterChoice& choice, const std::string& link, std::span<const EmbeddedFile> bench) {
    ClusterSpec& c = choice.spec;
    c.network.scale_up.link = link;
    attach_curves(c.network.scale_up, LinkKind::scale_up, c.accelerators > 1, bench, choice);
    choice.assumptions.push_back("cluster: accelerators of a node joined by " + link +
                                 ", from the source's own figures");
}

std::string describe(const ClusterSpec& cluster) {
    const Network& n = cluster.network;
    std::string text = std::to_string(cluster.per_node) + " per node, " + n.scale_up.link + " at " +
                       to_text(n.scale_up.bandwidth);
    if (n.domain_size != cluster.per_node) {
        text += " among " + std::to_string(n.domain_size);
    }
    if (n.scale_out) {
        text += ", " + n.scale_out->link + " at " + to_text(n.scale_out->bandwidth) +
                " per accelerator between nodes";
    }
    return text;
}

}  // namespace traincost
