// Kinds of parallelism that a stack cannot launch.

#include <traincost/cost/estimate.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/plan/search.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

Job job_under(const Catalogue& catalogue, const std::string& stack) {
    RunSpec run = search_jobs::run(1024, 64);
    run.micro_batch = 1;
    run.parallel.dp = 8;
    return {catalogue.model("mixtral-8x7b"), catalogue.cluster("h200-sxm-141gb", 8).spec,
            catalogue.stack(stack), run};
}

}  // namespace

TEST_CASE("no job is taken and none is searched that its stack cannot launch", "[stack][slow]") {
    const Catalogue catalogue;
    int lacking = 0;
    for (const CatalogueEntry& entry : catalogue.entries(Room::stacks)) {
        CAPTURE(entry.id);
        const Job plain = job_under(catalogue, entry.id);
        REQUIRE(validate(plain).empty());
        for (const Lack kind : {Lack::tp, Lack::pp, Lack::vp, Lack::cp, Lack::ep, Lack::zero_beside_pp}) {
            Job job = plain;
            Parallelism& p = job.run.parallel;
            p.dp = kind == Lack::ep ? 8 : 4;
            p.tp = kind == Lack::tp ? 2 : 1;
            p.cp = kind == Lack::cp ? 2 : 1;
            p.ep = kind == Lack::ep ? 2 : 1;
            p.pp = kind == Lack::pp || kind == Lack::vp || kind == Lack::zero_beside_pp ? 2 : 1;
            p.vp = kind == Lack::vp ? 2 : 1;
            p.zero = kind == Lack::zero_beside_pp ? 2 : 0;
            const std::vector<Problem> problems = validate(job);
            const bool refused = std::any_of(problems.begin(), problems.end(), [&](const Problem& problem) {
                return to_string(problem).find(lack_text(job.stack, kind)) != std::string::npos;
            });
            CHECK(refused == lacks(job.stack, kind));
            lacking += refused ? 1 : 0;
        }
        SearchRequest request{.model = plain.model,
                              .run = plain.run,
                              .sites = {{plain.cluster, plain.stack, stack_space(plain)}}};
        for (const bool full : {false, true}) {
            if (full)
                request.sites[0].space.zero = {0, 1, 2, 3};
            const SearchResult found = search(request);
            for (const std::vector<Plan>* plans : {&found.best, &found.pareto}) {
                for (const Plan& plan : *plans)
                    CHECK(validate(job_of(request, plan.configuration)).empty());
            }
        }
    }
    CHECK(lacking > 20);
}
