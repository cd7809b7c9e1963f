#include <traincost/cost/estimate.hpp>
#include <traincost/plan/plan_ranking.hpp>
#include <traincost/plan/search.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

/// What the plain engine says of a request's space, one `estimate` each, no branch cut.
struct Exhaustive {
    std::vector<Plan> plans;         ///< that fit
    std::optional<Plan> smallest{};  ///< of all, by memory over capacity
    std::int64_t configurations = 0;
};

Exhaustive exhaustive(const SearchRequest& request) {
    Exhaustive all;
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
                const Bytes capacity = e.capacity;
                ++all.configurations;
                const Plan small{c, {{}, memory, {}, 0.0}, memory / capacity};
                if (!all.smallest || small.value < all.smallest->value ||
                    (small.value == all.smallest->value && c < all.smallest->configuration)) {
                    all.smallest = small;
                }
                if (memory > capacity)
                    return true;
                Plan plan{c, metrics_of(site.cluster, site.goodput, e.step.total, memory), 0.0};
                plan.value = objective_value(request.objective, plan.metrics);
                all.plans.push_back(plan);
                return true;
            });
        }
    }
    return all;
}

/// Of ranked plans those of the first `top` speeds, at most `TopPlans::guises` of each.
std::vector<Plan> first_speeds(const std::vector<Plan>& ranked, std::size_t top) {
    std::vector<Plan> first;
    std::size_t speeds = 0;
    std::size_t guises = 0;
    for (const Plan& plan : ranked) {
        const bool another = first.empty() || !same_speed(first.back(), plan);
        if (another && ++speeds > top)
            break;
        guises = another ? 1 : guises + 1;
        if (guises <= TopPlans::guises)
            first.push_back(plan);
    }
    return first;
}

/// Those that no other dominates. One that dominates comes earlier by time, memory, cost and simplicity.
std::vector<Plan> front_of(std::vector<Plan> plans) {
    std::sort(plans.begin(), plans.end(), [](const Plan& a, const Plan& b) {
        const auto of = [](const Plan& p) {
            return std::tuple(p.metrics.time, p.metrics.memory, p.metrics.cost);
        };
        return of(a) != of(b) ? of(a) < of(b) : simpler(a.configuration, b.configuration);
    });
    std::vector<Plan> front;
    for (const Plan& plan : plans) {
        if (std::none_of(front.begin(), front.end(), [&](const Plan& o) { return dominates(o, plan); }))
            front.push_back(plan);
    }
    std::sort(front.begin(), front.end(), [](const Plan& a, const Plan& b) {
        return a.metrics != b.metrics ? a.metrics < b.metrics : simpler(a.configuration, b.configuration);
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
    // States, weights and activations on the host.
    all.push_back(
        search_jobs::request(search_jobs::gpt(2, 1024, 8), cluster(4, 6.0), search_jobs::run(2048, 8)));
    all.back().sites[0].space.offload = host_offloads(cluster(4).host);
    // Experts across nodes, which DualPipe hides.
    all.push_back(
        search_jobs::request(search_jobs::mixture(4, 2048, 16, 16), cluster(16), search_jobs::run(2048, 16)));
    // Gradients that come and go with micro-batches, weights gathered block by block.
    all.push_back(
        search_jobs::request(search_jobs::gpt(5, 2048, 16), cluster(8, 12.0), search_jobs::run(1024, 16)));
    all.back().sites[0].stack.states.gradients = GradientStore::parameter;
    all.back().sites[0].stack.states.shard = ShardEngine::fsdp2;
    // Virtual stages over blocks that only make equal parts with the two ends, and over unequal ones.
    all.push_back(
        search_jobs::request(search_jobs::gpt(14, 1024, 8), cluster(8), search_jobs::run(1024, 16)));
    all.back().sites[0].stack.pipeline.ends_count_as_blocks = true;
    all.push_back(search_jobs::request(search_jobs::gpt(7, 1024, 8), cluster(4), search_jobs::run(1024, 16)));
    all.back().run.uneven_stages = true;
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

/// A request and all that its space holds, as the requests stand: listed once for every test that asks.
struct ListedRequest {
    SearchRequest request;
    Exhaustive all;
};

const std::vector<ListedRequest>& listed_requests() {
    static const std::vector<ListedRequest> listed = [] {
        std::vector<ListedRequest> made;
        for (SearchRequest& request : small_requests()) {
            Exhaustive all = exhaustive(request);
            made.push_back({std::move(request), std::move(all)});
        }
        return made;
    }();
    return listed;
}

}  // namespace

TEST_CASE("a search finds what exhaustive enumeration finds: same best, same front", "[search][slow]") {
    for (auto [request, all] : listed_requests()) {
        std::vector<Plan>& plans = all.plans;
        for (const Objective objective :
             {Objective{}, Objective{0, 0, 1, 0}, Objective{0, 1, 0, 0}, Objective{1, 0, 0.5, 0}}) {
            request.objective = objective;
            for (Plan& plan : plans)
                plan.value = objective_value(objective, plan.metrics);
            std::sort(plans.begin(), plans.end(), ranks_before);
            const std::vector<Plan> front = front_of(plans);
            for (const std::size_t top : {std::size_t{1}, std::size_t{25}}) {
                request.top = top;
                const std::vector<Plan> first = first_speeds(plans, top);
                CHECK(!first.empty());
                for (const bool prune : {false, true}) {
                    if (!prune && top == 1)
                        continue;  // the head of the longer list
                    request.prune = prune;
                    const SearchResult found = search(request);
                    CHECK(found.best == first);
                    CHECK(found.pareto == front);
                    CHECK((prune || found.counts.feasible == std::ssize(plans)));
                }
            }
        }
    }
}

TEST_CASE("evaluated, infeasible and cut configurations add up to the space", "[search]") {
    std::int64_t by_memory = 0;
    std::int64_t by_plans = 0;
    for (auto [request, all] : listed_requests()) {
        for (const bool prune : {false, true}) {
            request.prune = prune;
            const SearchCounts n = search(request).counts;
            CHECK(n.enumerated == all.configurations);
            CHECK(n.enumerated == n.evaluated + n.cut_by_memory + n.cut_by_plans);
            CHECK(n.evaluated == n.does_not_fit + n.over_deadline + n.over_budget + n.feasible);
            CHECK((prune || n.pruned() == 0));
            by_memory += n.cut_by_memory;
            by_plans += n.cut_by_plans;
        }
    }
    CHECK(by_memory > 0);
    CHECK(by_plans > 0);
}

TEST_CASE("where nothing fits the nearest is the one that exhaustive enumeration finds", "[search][slow]") {
    for (SearchRequest& request : small_requests()) {
        for (Site& site : request.sites)
            site.cluster.accelerator.memory = Bytes{1.05e9};
        const Exhaustive all = exhaustive(request);
        CHECK(all.plans.empty());
        for (const bool prune : {false, true}) {
            request.prune = prune;
            const SearchResult found = search(request);
            CHECK(found.smallest == all.smallest);
            CHECK((prune ? found.counts.cut_by_memory > 0 : found.counts.pruned() == 0));
        }
    }
}

TEST_CASE("limits leave of a search what they leave of the exhaustive list", "[search]") {
    for (auto [request, all] : listed_requests()) {
        request.top = 5;
        std::vector<Plan>& plans = all.plans;
        std::sort(plans.begin(), plans.end(), ranks_before);
        for (const double share : {0.0, 0.3, 2.0}) {
            // Slower than the fastest by so much; at no share nothing is left.
            const Seconds limit = plans.front().metrics.time * (share > 0.0 ? 1.0 + share : 0.5);
            request.limits.step_time = limit;
            std::vector<Plan> left = plans;
            std::erase_if(left, [&](const Plan& plan) { return plan.metrics.time > limit; });
            const SearchResult found = search(request);
            CHECK(found.best == first_speeds(left, 5));
            CHECK(found.pareto == front_of(left));
            if (left.empty()) {
                REQUIRE(found.fastest);
                CHECK(found.fastest->metrics.time == plans.front().metrics.time);
                CHECK(found.cheapest);
            }
        }
    }
}

TEST_CASE("a bound is never above what it bounds", "[search][slow]") {
    for (const SearchRequest& request : small_requests()) {
        if (request.model.layers > 8)
            continue;  // a large space that adds nothing here
        const Site& site = request.sites[0];
        const Job base{request.model, site.cluster, site.stack, request.run};
        constexpr double rounding = 1.0 + 1e-12;
        for (const ShapeKey& key : shape_keys(base, site.space)) {
            for_each_pipeline(base, site.space, key, [&](const PipelineBranch& branch) {
                StateChoice lightest = branch.states.back();
                lightest.hybrid_shard = 0;
                for (const std::int32_t r : branch.recompute) {
                    const auto parts = [&](const StateChoice& state, Schedule schedule) {
                        Job job = base;
                        apply(configuration_of(branch, state, schedule, r), site.space, job.run);
                        return job;
                    };
                    const auto memory_floor = [&](const Job& job) {
                        const Shape shape = shape_of(job);
                        BlockOps ops;
                        fill_ops(job, shape, ops);
                        const BlockTable table = block_table(job, shape, ops);
                        return device_memory_floor(job, shape, table, stage_classes(job, table));
                    };
                    const auto time_floor = [&](const Job& job) {
                        const Shape shape = shape_of(job);
                        BlockOps ops;
                        fill_ops(job, shape, ops);
                        const BlockTable table = block_table(job, shape, ops);
                        return step_time_floor(job, table, stage_classes(job, table));
                    };
                    Bytes lightest_floor{std::numeric_limits<double>::infinity()};
                    for (std::size_t o = 0; o < site.space.offload.size(); ++o) {
                        lightest.offload = static_cast<std::int32_t>(o);
                        lightest_floor =
                            std::min(lightest_floor, memory_floor(parts(lightest, branch.schedules.front())));
                    }
                    Seconds least_time{std::numeric_limits<double>::infinity()};
                    for (const Schedule schedule : branch.schedules)
                        least_time = std::min(least_time, time_floor(parts(branch.states.front(), schedule)));
                    for (const StateChoice& state : branch.states) {
                        for (const Schedule schedule : branch.schedules) {
                            const Job job = parts(state, schedule);
                            const Estimate e = estimate(job);
                            const Bytes peak = e.stages[static_cast<std::size_t>(e.peak_stage)].device;
                            const Bytes floor = memory_floor(job);
                            CHECK(floor <= peak * rounding);
                            CHECK(lightest_floor <= floor * rounding);
                            CHECK(least_time <= e.step.total * rounding);
                        }
                    }
                }
                return true;
            });
        }
    }
}

TEST_CASE("a space holds exactly the configurations that validate accepts, with the batch dealt evenly",
          "[search]") {
    for (const SearchRequest& request : small_requests()) {
        const Site& site = request.sites[0];
        const Job base{request.model, site.cluster, site.stack, request.run};
        using Degrees = std::array<std::int64_t, 7>;
        std::set<Degrees> listed;
        std::int64_t refused = 0;
        for (const ShapeKey& key : shape_keys(base, site.space)) {
            for_each_configuration(base, site.space, key, [&](const Configuration& c) {
                refused += validate(job_of(request, c)).empty() ? 0 : 1;
                listed.insert({c.tp, c.cp, c.pp, c.vp, c.ep, c.dp, c.micro_batch});
                return true;
            });
        }
        CHECK(refused == 0);
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
                                if (request.run.global_batch % (b * dp) != 0)
                                    continue;
                                Job job = base;
                                job.run.parallel.tp = tp;
                                job.run.parallel.cp = cp;
                                job.run.parallel.pp = pp;
                                job.run.parallel.vp = vp;
                                job.run.parallel.dp = dp;
                                job.run.parallel.ep = ep;
                                job.run.micro_batch = b;
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

TEST_CASE("with a margin a search leaves out what has none, pruned or not, and says where nothing has it",
          "[search]") {
    bool some_left_out = false;
    std::vector<SearchRequest> requests = small_requests();
    requests.resize(1);
    requests.push_back(small_requests()[3]);
    for (SearchRequest& request : requests) {
        request.top = 25;
        const MemoryMargin margin{MemoryView::reserved, 1.25};
        request.margin_of = [&](const Job&) { return margin; };
        request.prune = false;
        const SearchResult all = search(request);
        request.prune = true;
        const SearchResult pruned = search(request);
        CHECK(all.best == pruned.best);
        CHECK(all.pareto == pruned.pareto);
        CHECK(all.risky == pruned.risky);
        std::vector<Plan> sure;
        for (const Plan& plan : exhaustive(request).plans) {
            const Estimate e = estimate(job_of(request, plan.configuration));
            const StageMemory& fullest = e.stages[static_cast<std::size_t>(e.peak_stage)];
            if (margin.needed({fullest.allocated, fullest.reserved, fullest.device, fullest.returnable}) <=
                e.capacity)
                sure.push_back(plan);
            else
                some_left_out = true;
        }
        std::sort(sure.begin(), sure.end(), ranks_before);
        sure.resize(std::min<std::size_t>(sure.size(), request.top));
        CHECK(all.risky == sure.empty());
        if (!sure.empty()) {
            // The best hold what equals their last too.
            REQUIRE(all.best.size() >= sure.size());
            CHECK(std::equal(sure.begin(), sure.end(), all.best.begin()));
        }
    }
    CHECK(some_left_out);
}
