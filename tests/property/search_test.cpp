#include <traincost/cost/estimate.hpp>
#include <traincost/plan/plan_ranking.hpp>
#include <traincost/plan/search.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

/// Every plan of the request by the plain engine, one `estimate` each, no branch cut.
std::vector<Plan> exhaustive(const SearchRequest& request) {
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < request.sites.size(); ++i) {
        const Site& site = request.sites[i];
        const Job base{request.model, site.cluster, site.stack, request.run};
        for (const ShapeKey& key : shape_keys(base, site.space)) {
            for_each_configuration(base, site.space, key, [&](const Configuration& given) {
                Configuration c = given;
                c.site = static_cast<std::int32_t>(i);
                const Job job = job_of(request, c);
                const Estimate e = estimate(job);
                const Bytes memory = e.stages[static_cast<std::size_t>(e.peak_stage)].device;
                if (memory > e.capacity * (1.0 - request.limits.headroom))
                    return true;
                Plan plan{c, metrics_of(site.cluster, site.goodput, e.step.total, memory), 0.0};
                plan.value = objective_value(request.objective, plan.metrics);
                plans.push_back(plan);
                return true;
            });
        }
    }
    return plans;
}

std::vector<Plan> front_of(const std::vector<Plan>& plans) {
    std::vector<Plan> front;
    for (const Plan& plan : plans) {
        if (std::none_of(plans.begin(), plans.end(), [&](const Plan& o) { return dominates(o, plan); }))
            front.push_back(plan);
    }
    std::sort(front.begin(), front.end(), [](const Plan& a, const Plan& b) {
        return a.metrics != b.metrics ? a.metrics < b.metrics : a.configuration < b.configuration;
    });
    return front;
}

std::vector<SearchRequest> small_requests() {
    using search_jobs::cluster;
    std::vector<SearchRequest> all;
    all.push_back(search_jobs::request(search_jobs::gpt(6, 1024, 8), cluster(8), search_jobs::run(2048, 16)));
    all.push_back(
        search_jobs::request(search_jobs::gpt(12, 4096, 32), cluster(16), search_jobs::run(4096, 32)));
    all.push_back(search_jobs::request(search_jobs::mixture(4, 2048, 16, 8), cluster(8, 16.0),
                                       search_jobs::run(2048, 8)));
    all.push_back(
        search_jobs::request(search_jobs::gpt(7, 2048, 16), cluster(12, 6.0), search_jobs::run(1024, 24)));
    // Gradients that come and go with micro-batches, weights gathered block by block.
    all.push_back(
        search_jobs::request(search_jobs::gpt(5, 2048, 16), cluster(8, 12.0), search_jobs::run(1024, 16)));
    all.back().sites[0].stack.gradients = GradientStore::parameter;
    all.back().sites[0].stack.shard = ShardEngine::fsdp2;
    // Two clusters at once: cost and time disagree.
    ClusterSpec cheap = cluster(8);
    cheap.prices[0].amount = Dollars{4.0};
    cheap.accelerator.memory_bandwidth = ByteRate{1e12};
    SearchRequest two =
        search_jobs::request(search_jobs::gpt(6, 2048, 16), cluster(16), search_jobs::run(2048, 16));
    two.sites.push_back({cheap, two.sites[0].stack, two.sites[0].space});
    all.push_back(two);
    return all;
}

}  // namespace

TEST_CASE("a search finds what exhaustive enumeration finds: same best, same front", "[search]") {
    for (SearchRequest& request : small_requests()) {
        std::vector<Plan> plans = exhaustive(request);
        for (const Objective objective :
             {Objective{}, Objective{0, 0, 1, 0}, Objective{0, 1, 0, 0}, Objective{1, 0, 0.5, 0}}) {
            request.objective = objective;
            request.top = 25;
            const SearchResult found = search(request);
            for (Plan& plan : plans)
                plan.value = objective_value(objective, plan.metrics);
            std::sort(plans.begin(), plans.end(), ranks_before);
            CHECK(found.counts.feasible == static_cast<std::int64_t>(plans.size()));
            CHECK(found.counts.enumerated == found.counts.evaluated + found.counts.pruned);
            const std::vector<Plan> first(plans.begin(),
                                          plans.begin() + std::min<std::ptrdiff_t>(25, std::ssize(plans)));
            CHECK(!first.empty());
            CHECK(found.best == first);
            CHECK(found.pareto == front_of(plans));
        }
    }
}

TEST_CASE(
    "a space holds exactly the configurations that validate accepts, with the batch and interleaved "
    "chunks dealt evenly",
    "[search]") {
    for (const SearchRequest& request : small_requests()) {
        const Site& site = request.sites[0];
        const Job base{request.model, site.cluster, site.stack, request.run};
        using Degrees = std::array<std::int64_t, 7>;
        std::set<Degrees> listed;
        for (const ShapeKey& key : shape_keys(base, site.space)) {
            for_each_configuration(base, site.space, key, [&](const Configuration& c) {
                CHECK(validate(job_of(request, c)).empty());
                listed.insert({c.tp, c.cp, c.pp, c.vp, c.ep, c.dp, c.micro_batch});
                return true;
            });
        }
        std::set<Degrees> valid;
        const std::int64_t n = site.cluster.accelerators;
        const std::int64_t experts = request.model.moe ? request.model.moe->experts : 1;
        for (std::int64_t tp = 1; tp <= n; ++tp) {
            for (std::int64_t cp = 1; tp * cp <= n; ++cp) {
                for (std::int64_t pp = 1; tp * cp * pp <= n && pp <= request.model.layers; ++pp) {
                    if (n % (tp * cp * pp) != 0)
                        continue;
                    const std::int64_t dp = n / (tp * cp * pp);
                    for (std::int64_t vp = 1; vp <= request.model.layers; ++vp) {
                        for (std::int64_t ep = 1; ep <= experts; ++ep) {
                            for (std::int64_t b = 1; b <= request.run.global_batch; ++b) {
                                Job job = base;
                                job.run.parallel.tp = tp;
                                job.run.parallel.cp = cp;
                                job.run.parallel.pp = pp;
                                job.run.parallel.vp = vp;
                                job.run.parallel.dp = dp;
                                job.run.parallel.ep = ep;
                                job.run.micro_batch = b;
                                if (request.run.global_batch % (b * dp) != 0)
                                    continue;
                                if (vp > 1 && (micro_batches(job.run) % pp != 0 ||
                                               request.model.layers % (pp * vp) != 0)) {
                                    continue;
                                }
                                if (validate(job).empty())
                                    valid.insert({tp, cp, pp, vp, ep, dp, b});
                            }
                        }
                    }
                }
            }
        }
        CHECK(listed == valid);
    }
}

TEST_CASE("the answer of a search does not depend on threads or shards", "[search]") {
    for (SearchRequest& request : small_requests()) {
        request.threads = 1;
        const SearchResult one = search(request);
        request.threads = 0;
        const SearchResult many = search(request);
        CHECK(one.best == many.best);
        CHECK(one.pareto == many.pareto);
        CHECK(one.counts == many.counts);
        std::vector<SearchResult> parts;
        request.shards = 3;
        for (request.shard = 0; request.shard < 3; ++request.shard)
            parts.push_back(search(request));
        const SearchResult merged = merge(parts, request.top);
        CHECK(merged.best == one.best);
        CHECK(merged.pareto == one.pareto);
        CHECK(merged.counts == one.counts);
        CHECK(merged.smallest == one.smallest);
    }
}
