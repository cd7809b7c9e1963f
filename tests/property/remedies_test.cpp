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
    int compared = 0;
    random_searches::for_random_requests(of_each, 11, [&](auto& random, SearchRequest& request) {
        request.sites[0].space = stack_space(base_job(request, 0));
        const std::optional<Job> job = random_searches::layout(random, request);
        if (!job || estimate(*job).fits)
            return;
        request.run.uneven_stages = job->run.uneven_stages || searches_uneven_stages(*job);
        const RelaxedSearch found = relaxed_search(request, {}, [](SearchRequest& r) { return search(r); });
        const std::vector<Remedy> advice =
            remedies(*job, allowed_memory(job->cluster.accelerator, request.run));
        if (advice.empty() || !advice.front().fits) {
            CHECK(found.result.best.empty());
            return;
        }
        ++compared;
        REQUIRE_FALSE(found.result.best.empty());
        const RunSpec& run = job->run;
        const Parallelism& p = run.parallel;
        CAPTURE(p.tp, p.pp, p.vp, p.cp, p.dp, p.zero, run.micro_batch, run.recompute, run.recompute_every,
                run.schedule, run.uneven_stages, advice.front().change,
                configuration_flags(found.request, found.result.best.front().configuration));
        CHECK(found.result.best.front().metrics.time.value() <=
              Approx(advice.front().step.value()).epsilon(1e-9));
    });
    CHECK(compared > 25);
}
