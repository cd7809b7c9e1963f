#include <traincost/plan/cluster_ranking.hpp>
#include <traincost/plan/recommend.hpp>
#include <traincost/report/tables/search_tables.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

#include "support/search_jobs.hpp"

using namespace traincost;
using namespace traincost::literals;

namespace {

/// Two clusters, the second at twice the price, of 8 to 32 accelerators each.
SearchRequest two_clusters() {
    SearchRequest request = search_jobs::request(search_jobs::gpt(4, 1024, 8), search_jobs::cluster(16),
                                                 search_jobs::run(1024, 1024));
    const Site first = request.sites.front();
    request.sites.clear();
    for (const char* name : {"plain", "dear"}) {
        for (const std::int64_t count : {8, 16, 32}) {
            Site site = first;
            site.cluster.id = name;
            site.cluster.accelerators = count;
            site.cluster.prices.front().amount = site.cluster.id == "dear" ? 32_USD : 16_USD;
            site.space = stack_space({request.model, site.cluster, site.stack, request.run});
            request.sites.push_back(site);
        }
    }
    request.top = 3;
    return request;
}

const Neighbour* with(const std::vector<Neighbour>& all, const std::string& words) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Neighbour& n) { return n.why.find(words) != n.why.npos; });
    return found == all.end() ? nullptr : &*found;
}

/// The best plan that runs on 16 accelerators of the plain cluster.
Plan plan_on_16(SearchRequest request) {
    request.sites = {request.sites[1]};
    Plan plan = search(request).best.front();
    plan.configuration.site = 1;
    return plan;
}

}  // namespace

TEST_CASE("the number of accelerators and the cluster are dimensions of a plan's neighbours", "[recommend]") {
    const SearchRequest request = two_clusters();
    const std::vector<Neighbour> all = neighbours(request, plan_on_16(request));
    const Neighbour* fewer = with(all, "8 accelerators instead of 16");
    const Neighbour* more = with(all, "32 accelerators instead of 16");
    const Neighbour* dear = with(all, "dear instead of plain");
    REQUIRE(fewer != nullptr);
    REQUIRE(more != nullptr);
    REQUIRE(dear != nullptr);
    CHECK(fewer->loss > 0.0);
    CHECK(fewer->why.find("time +") != std::string::npos);
    CHECK(dear->loss == Approx(0.0).margin(1e-12));
    CHECK(dear->why.find("cost +100%") != std::string::npos);
}

TEST_CASE("a neighbour that breaks a limit says so", "[recommend]") {
    SearchRequest request = two_clusters();
    const Plan plan = plan_on_16(request);
    request.limits.step_time = plan.metrics.time * 1.01;
    const std::vector<Neighbour> all = neighbours(request, plan);
    const Neighbour* fewer = with(all, "8 accelerators instead of 16");
    REQUIRE(fewer != nullptr);
    CHECK(fewer->why.ends_with("past the deadline"));
    request.limits.step_time = plan.metrics.time * 100.0;
    CHECK(with(neighbours(request, plan), "past the deadline") == nullptr);
}

TEST_CASE("a better neighbour that may not fit is called risky, and a worse one is not asked",
          "[recommend]") {
    SearchRequest request = two_clusters();
    const Plan best = plan_on_16(request);
    Plan slow = best;
    slow.configuration.recompute = static_cast<std::int32_t>(request.sites[1].space.recompute.size()) - 1;
    const auto risky = [&](bool may_not_fit) {
        std::size_t n = 0;
        for (const Neighbour& near :
             neighbours(request, slow, [&](const Job&, const Estimate&) { return may_not_fit; })) {
            const bool better = near.fits && near.loss <= 0.0;
            CHECK(near.risky >= (may_not_fit && better));
            CHECK((near.why.find("it may not fit") != near.why.npos) == near.risky);
            n += near.risky ? 1 : 0;
        }
        return n;
    };
    CHECK(risky(false) == 0);
    CHECK(risky(true) > 0);
}

TEST_CASE("where failures are counted a plan also hangs on their rate and on storage", "[recommend]") {
    SearchRequest request = two_clusters();
    Operation operation;
    operation.between_failures = 200_h;
    operation.storage = 100_MBps;
    operation.restart = 10_min;
    for (std::size_t i = 0; i < request.sites.size(); ++i)
        request.sites[i].goodput = goodput_of(base_job(request, i), operation);
    const SearchResult result = search(request);
    const auto sensitivity = [&](const Operation& o, const std::string& name) -> std::optional<double> {
        const std::vector<Recommendation> plans = recommend(request, result, {}, o);
        for (const Sensitivity& s : plans.front().sensitivities) {
            if (s.input == name)
                return s.step;
        }
        return std::nullopt;
    };
    CHECK(*sensitivity(operation, "time between failures") > 0.0);
    CHECK(*sensitivity(operation, "storage bandwidth") > 0.0);
    CHECK(*sensitivity(operation, "matrix rate") > 0.0);
    CHECK(!sensitivity({}, "time between failures"));
}

TEST_CASE("the best of all clusters is the best of the whole search", "[recommend]") {
    SearchRequest request = two_clusters();
    request.objective = {.time = 0.0, .cost = 1.0, .memory = 0.0, .energy = 0.0};
    const std::vector<ClusterPlan> each = best_of_clusters(request);
    REQUIRE(each.size() == 2);
    CHECK(each[0].cluster == "plain");
    CHECK(each[1].cluster == "dear");
    CHECK(*each[0].plan == search(request).best.front());
    CHECK(each[1].plan->value == Approx(2.0 * each[0].plan->value));
    CHECK(request.sites[static_cast<std::size_t>(each[1].plan->configuration.site)].cluster.id == "dear");
}

TEST_CASE("a cluster without a plan says why", "[recommend]") {
    SearchRequest request = two_clusters();
    request.objective = {.time = 0.0, .cost = 1.0, .memory = 0.0, .energy = 0.0};
    request.limits.step_cost = search(request).best.front().metrics.cost * 1.5;
    const std::vector<ClusterPlan> each = best_of_clusters(request);
    REQUIRE(!each[1].plan);
    const Table table = cluster_table(request, each);
    CHECK(table.rows[1].back().text.find("--budget") != std::string::npos);
}
