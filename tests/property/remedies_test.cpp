// What is advised to a job that does not fit, held against what a search of the same job finds.
#include <traincost/cost/estimate.hpp>
#include <traincost/plan/configuration_text.hpp>
#include <traincost/plan/relaxation.hpp>
#include <traincost/plan/remedies.hpp>

#include <catch2/catch.hpp>

#include "support/random_searches.hpp"

using namespace traincost;

TEST_CASE("no remedy is faster than the best plan of a search of the same job", "[remedies]") {
    const int of_each = random_searches::repetitions("TRAINCOST_SEARCHES", 5);
    const Catalogue catalogue;
    std::uint32_t seed = 11;
    int compared = 0;
    for (const CatalogueEntry& stack : catalogue.entries(Room::stacks)) {
        random_searches::Generator random(seed++);
        for (int i = 0, tried = 0; i < of_each && tried < 40 * of_each; ++tried) {
            std::optional<SearchRequest> request = random_searches::request(random, catalogue, stack.id);
            if (!request)
                continue;
            ++i;
            request->sites[0].space = stack_space(base_job(*request, 0));
            const std::optional<Job> job = random_searches::layout(random, *request);
            if (!job || estimate(*job).fits)
                continue;
            request->run.uneven_stages = job->run.uneven_stages || searches_uneven_stages(*job);
            const RelaxedSearch found =
                relaxed_search(*request, {}, [](SearchRequest& r) { return search(r); });
            const std::vector<Remedy> advice =
                remedies(*job, allowed_memory(job->cluster.accelerator, request->run));
            CAPTURE(stack.id, tried, job->model.name, job->cluster.id, job->cluster.accelerators);
            if (advice.empty() || !advice.front().fits) {
                CHECK(found.result.best.empty());
                continue;
            }
            ++compared;
            REQUIRE_FALSE(found.result.best.empty());
            const RunSpec& run = job->run;
            const Parallelism& p = run.parallel;
            CAPTURE(p.tp, p.pp, p.vp, p.cp, p.dp, p.zero, run.micro_batch, run.recompute, run.recompute_every,
                    run.schedule, run.uneven_stages, run.global_batch, advice.front().change,
                    configuration_flags(found.request, found.result.best.front().configuration));
            CHECK(found.result.best.front().metrics.time.value() <=
                  Approx(advice.front().step.value()).epsilon(1e-9));
        }
    }
    CHECK(compared > 25);
}
