#include "traincost/plan/cluster_ranking.hpp"

#include <algorithm>

namespace traincost {

std::vector<ClusterPlan> best_of_clusters(const SearchRequest& request) {
    std::vector<ClusterPlan> all;
    std::vector<std::vector<std::int32_t>> sites;  // of each, in the whole request
    for (std::size_t i = 0; i < request.sites.size(); ++i) {
        const Site& site = request.sites[i];
        std::size_t at = 0;
        while (at < all.size() && (all[at].cluster != site.cluster.id || all[at].stack != site.stack.id))
            ++at;
        if (at == all.size()) {
            SearchRequest alone = request;
            alone.sites.clear();
            alone.top = 1;
            alone.shard = 0;
            alone.shards = 1;
            alone.monitor = nullptr;
            all.push_back({site.cluster.id, site.stack.id, {}, std::move(alone), {}});
            sites.emplace_back();
        }
        all[at].request.sites.push_back(site);
        sites[at].push_back(static_cast<std::int32_t>(i));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        ClusterPlan& one = all[i];
        one.result = search(one.request);
        if (one.result.best.empty())
            continue;
        one.plan = one.result.best.front();
        one.plan->configuration.site =
            sites[i][static_cast<std::size_t>(one.result.best.front().configuration.site)];
    }
    std::stable_sort(all.begin(), all.end(), [](const ClusterPlan& a, const ClusterPlan& b) {
        if (!a.plan || !b.plan)
            return a.plan.has_value() && !b.plan;
        return a.plan->value < b.plan->value;
    });
    return all;
}

}  // namespace traincost
