#include "traincost/ask/node_rent.hpp"

#include <algorithm>
#include <tuple>

#include "traincost/plan/price.hpp"

namespace traincost {

namespace {

/// What an accelerator-hour of the node costs, of `kind` if one is named; nothing where no such price is
/// known.
std::optional<GpuHourPrice> price_of(const ClusterSpec& node, const std::optional<std::string>& kind) {
    if (!kind)
        return gpu_hour_price(node);
    const std::optional<ClusterSpec> only = with_price_kind(node, *kind);
    return only ? gpu_hour_price(*only) : std::nullopt;
}

/// The nodes of the catalogue with the accelerator of `usual` and an hourly price, of `kind` if one is named.
std::vector<ClusterChoice> rented_nodes(const ClusterSpec& usual, const std::optional<std::string>& kind,
                                        std::optional<std::int64_t> per_node, const Catalogue& catalogue) {
    std::vector<ClusterChoice> found;
    for (const std::string& id : catalogue.clusters_with(usual.accelerator.id)) {
        ClusterChoice node = catalogue.cluster(id, usual.accelerators, per_node);
        if (price_of(node.spec, kind))
            found.push_back(std::move(node));
    }
    return found;
}

/// What a node is let for, and which node it is.
struct Rent {
    NodePrice price;
    std::string node;
};

}  // namespace

void take_rented_node(const std::optional<std::string>& kind, std::optional<std::int64_t> per_node,
                      const Catalogue& catalogue, ClusterChoice& choice) {
    if (price_of(choice.spec, kind))
        return;
    std::vector<ClusterChoice> nodes = rented_nodes(choice.spec, kind, per_node, catalogue);
    const auto best =
        std::min_element(nodes.begin(), nodes.end(), [&](const ClusterChoice& a, const ClusterChoice& b) {
            return price_of(a.spec, kind)->lowest < price_of(b.spec, kind)->lowest;
        });
    if (best == nodes.end())
        return;
    best->assumptions.insert(best->assumptions.begin(),
                             "cluster: " + best->spec.id + ", the node of " + best->spec.accelerator.id +
                                 " with the lowest " + kind.value_or("hourly") + " price; " + choice.spec.id +
                                 ", the usual one, has none (--cluster)");
    choice = std::move(*best);
}

bool take_rent_of_other_nodes(std::optional<std::int64_t> per_node, const Catalogue& catalogue,
                              ClusterChoice& choice) {
    if (price_of(choice.spec, std::nullopt))
        return false;
    std::vector<Rent> rents;
    for (const ClusterChoice& node : rented_nodes(choice.spec, std::nullopt, per_node, catalogue)) {
        const double share =
            static_cast<double>(choice.spec.per_node) / static_cast<double>(node.spec.per_node);
        for (NodePrice price : node.spec.prices) {
            if (!price.per_hour)
                continue;
            price.amount = price.amount * share;
            rents.push_back({std::move(price), node.spec.id});
        }
    }
    if (rents.empty())
        return false;
    std::stable_sort(rents.begin(), rents.end(), [](const Rent& a, const Rent& b) {
        const bool a_later = a.price.kind != "on-demand";
        const bool b_later = b.price.kind != "on-demand";
        return std::tie(a_later, a.price.amount) < std::tie(b_later, b.price.amount);
    });
    choice.assumptions.push_back("price: that of " + rents.front().node + ", the cheapest node of " +
                                 choice.spec.accelerator.id + "; none is known of " + choice.spec.id +
                                 " (--cluster, --gpu-hour-price)");
    for (Rent& rent : rents)
        choice.spec.prices.push_back(std::move(rent.price));
    return true;
}

}  // namespace traincost
