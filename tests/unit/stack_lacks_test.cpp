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

TEST_CASE("products in fp8 and fp4 alone are narrow, whatever the format around them", "[job]") {
    for (const std::string_view name : precision_names()) {
        INFO(name);
        const bool narrow = name.find("fp8") != name.npos || name.find("fp4") != name.npos;
        CHECK(multiplies_narrow(*precision_from(name)) == narrow);
    }
}

TEST_CASE("no job is taken and none is searched that its stack cannot launch", "[stack][slow]") {
    const Catalogue catalogue;
    int lacking = 0;
    for (const CatalogueEntry& entry : catalogue.entries(Room::stacks)) {
        CAPTURE(entry.id);
        const Job plain = job_under(catalogue, entry.id);
        REQUIRE(validate(plain).empty());
        for (const Lack kind : {Lack::tp, Lack::pp, Lack::vp, Lack::cp, Lack::ep, Lack::zero_beside_pp,
                                Lack::narrow_compile_sharded, Lack::narrow_recompute_sharded}) {
            Job job = plain;
            Parallelism& p = job.run.parallel;
            p.dp = kind == Lack::ep ? 8 : 4;
            p.tp = kind == Lack::tp ? 2 : 1;
            p.cp = kind == Lack::cp ? 2 : 1;
            p.ep = kind == Lack::ep ? 2 : 1;
            p.pp = kind == Lack::pp || kind == Lack::vp || kind == Lack::zero_beside_pp ? 2 : 1;
            p.vp = kind == Lack::vp ? 2 : 1;
            p.zero = kind == Lack::zero_beside_pp ? 2 : 0;
            if (kind == Lack::narrow_compile_sharded || kind == Lack::narrow_recompute_sharded) {
                p.dp = 8;
                p.zero = 3;
                job.run.precision = *precision_from("fp8-mixed");
                job.run.compile = kind == Lack::narrow_compile_sharded;
                job.run.recompute =
                    kind == Lack::narrow_recompute_sharded ? Recompute::full : Recompute::none;
            }
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

TEST_CASE("llm-train-bench's table of features: FP8 under FSDP is neither compiled nor checkpointed",
          "[stack]") {
    const Catalogue catalogue;
    Job job = job_under(catalogue, "llm-train-bench");
    job.model = catalogue.model("gpt2-1.5b");
    job.run.parallel.dp = 8;
    for (const char* precision : {"bf16-amp", "fp8-mixed"}) {
        for (const std::int64_t zero : {0, 3}) {
            for (const bool compile : {false, true}) {
                for (const Recompute recompute : {Recompute::none, Recompute::full}) {
                    job.run.precision = *precision_from(precision);
                    job.run.parallel.zero = zero;
                    job.run.compile = compile;
                    job.run.recompute = recompute;
                    CAPTURE(precision, zero, compile, static_cast<int>(recompute));
                    const bool asserted = std::string(precision) == "fp8-mixed" && zero == 3 &&
                                          (compile || recompute != Recompute::none);
                    CHECK(validate(job).empty() == !asserted);
                }
            }
        }
    }
    SearchRequest request{
        .model = job.model, .run = job.run, .sites = {{job.cluster, job.stack, stack_space(job)}}};
    request.sites[0].space.zero = {0, 3};
    request.sites[0].space.recompute = {{.layers = {}}, {.kind = Recompute::full, .layers = {}}};
    for (const bool compile : {false, true}) {
        request.run.compile = compile;
        bool sharded = false;
        const SearchResult found = search(request);
        REQUIRE_FALSE(found.best.empty());
        for (const std::vector<Plan>* plans : {&found.best, &found.pareto}) {
            for (const Plan& plan : *plans) {
                CHECK(validate(job_of(request, plan.configuration)).empty());
                sharded = sharded || plan.configuration.zero == 3;
            }
        }
        CHECK(sharded == !compile);
    }
}
