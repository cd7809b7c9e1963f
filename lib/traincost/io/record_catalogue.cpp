#include "traincost/io/record_catalogue.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/fit/interconnect.hpp"
#include "traincost/io/bench/record_rules_data.hpp"
#include "traincost/io/cluster_build.hpp"
#include "traincost/io/power_limit.hpp"

namespace traincost {

namespace {

struct Kept {
    std::mutex mutex;
    std::map<std::tuple<std::string, std::int64_t, std::int64_t, std::string, std::string, double>,
             ClusterChoice>
        clusters;
    std::map<std::string, StackSpec, std::less<>> stacks;
};

/// The accelerator's usual node, with the fabric between nodes that the record states.
ClusterChoice cluster_of(const Catalogue& catalogue, const RecordCluster& cluster) {
    ClusterChoice choice = catalogue.cluster(cluster.accelerator, cluster.accelerators, cluster.per_node);
    if (!cluster.domain_link.empty())
        join_domain(choice, cluster.domain_link, catalogue.bench());
    if (const auto fabric = fabric_from_words(cluster.interconnect, choice.spec.per_node))
        join_nodes(choice, fabric->name, fabric->per_node, fabric->nics, catalogue.bench());
    if (cluster.power_limit_w) {
        const double watts = *cluster.power_limit_w;
        if (const auto complaint = limit_complaint(choice.spec.accelerator, watts))
            throw Error(ErrorKind::input,
                        "cluster.power_limit_W: " + to_significant(watts) + " W; " + *complaint);
        limit_power(choice.spec, watts, catalogue.bench());
    }
    return choice;
}

}  // namespace

RecordCatalogue record_catalogue(const Catalogue& catalogue) {
    const auto kept = std::make_shared<Kept>();
    RecordCatalogue result;
    result.rules = std::make_shared<const RecordRules>(read_record_rules(catalogue));
    result.cluster = [&catalogue, kept](const RecordCluster& cluster, std::vector<std::string>& assumptions) {
        const std::tuple key(cluster.accelerator, cluster.accelerators, cluster.per_node.value_or(0),
                             cluster.interconnect, cluster.domain_link, cluster.power_limit_w.value_or(0.0));
        const std::lock_guard lock(kept->mutex);
        auto found = kept->clusters.find(key);
        if (found == kept->clusters.end())
            found = kept->clusters.emplace(key, cluster_of(catalogue, cluster)).first;
        assumptions.insert(assumptions.end(), found->second.assumptions.begin(),
                           found->second.assumptions.end());
        return found->second.spec;
    };
    result.stack = [&catalogue, kept](std::string_view name) {
        const std::lock_guard lock(kept->mutex);
        auto found = kept->stacks.find(name);
        if (found == kept->stacks.end())
            found = kept->stacks.emplace(std::string(name), catalogue.stack(name)).first;
        return found->second;
    };
    return result;
}

}  // namespace traincost
