// What a search says of a plan, held against what `estimate` says of it, over the catalogue's stacks.
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/step_timeline.hpp>
#include <traincost/plan/configuration_text.hpp>
#include <traincost/plan/plan_ranking.hpp>
#include <traincost/plan/relaxation.hpp>
#include <traincost/plan/search.hpp>
#include <traincost/spec/pipeline_rules.hpp>

#include <catch2/catch.hpp>

#include "support/random_searches.hpp"
#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

PlanMetrics metrics_by_estimate(const SearchRequest& request, const Plan& plan) {
    const Site& site = request.sites[static_cast<std::size_t>(plan.configuration.site)];
    const Estimate e = estimate(job_of(request, plan.configuration));
    return metrics_of(site.cluster, site.goodput, e.step.total,
                      e.stages[static_cast<std::size_t>(e.peak_stage)].device);
}

using random_searches::for_random_requests;

}  // namespace

TEST_CASE("under every stack a plan's time, memory and cost are the estimate's to the bit", "[search]") {
    const int of_each = random_searches::repetitions("TRAINCOST_SEARCHES", 1);
    int plans = 0;
    for_random_requests(of_each, 1, [&](auto&, SearchRequest& request) {
        const SearchResult found = search(request);
        for (const std::vector<Plan>* list : {&found.best, &found.pareto}) {
            for (const Plan& plan : *list) {
                ++plans;
                const PlanMetrics metrics = metrics_by_estimate(request, plan);
                CAPTURE(metrics.time.value(), plan.metrics.time.value(), metrics.memory.value(),
                        plan.metrics.memory.value());
                CHECK(metrics == plan.metrics);
                const Job job = job_of(request, plan.configuration);
                CHECK(validate(job).empty());
                const Estimate e = estimate(job);
                CHECK(e.host_shortfall() <= Bytes{});
            }
        }
        if (found.smallest)
            CHECK(metrics_by_estimate(request, *found.smallest).memory == found.smallest->metrics.memory);
    });
    CHECK(plans > 50);
}

TEST_CASE("under every stack a search that cuts by bounds finds what one without cuts finds", "[search]") {
    const int of_each = random_searches::repetitions("TRAINCOST_SEARCHES", 1);
    for_random_requests(of_each, 2, [&](auto&, SearchRequest& request) {
        const SearchResult cut = search(request);
        request.prune = false;
        const SearchResult whole = search(request);
        CHECK(cut.best == whole.best);
        CHECK(cut.pareto == whole.pareto);
        CHECK(cut.smallest == whole.smallest);
        CHECK(cut.counts.enumerated == whole.counts.enumerated);
    });
}

TEST_CASE("no valid layout that fits is better than the best a search finds", "[search]") {
    const int of_each = random_searches::repetitions("TRAINCOST_SEARCHES", 1);
    int compared = 0;
    for_random_requests(of_each, 3, [&](auto& random, SearchRequest& request) {
        const SearchResult found = search(request);
        const Bytes allowed = allowed_memory(request.sites[0].cluster.accelerator, request.run);
        for (int i = 0; i < 100; ++i) {
            const std::optional<Job> job = random_searches::layout(random, request);
            if (!job)
                continue;
            const Estimate e = estimate(*job);
            if (!e.fits || e.stages[static_cast<std::size_t>(e.peak_stage)].device > allowed)
                continue;
            ++compared;
            const Parallelism& p = job->run.parallel;
            CAPTURE(p.tp, p.pp, p.vp, p.cp, p.dp, p.ep, p.zero, job->run.micro_batch, e.step.total.value(),
                    p.hybrid_shard.value_or(0), p.etp.value_or(0), job->run.uneven_stages);
            REQUIRE(!found.best.empty());
            CHECK(found.best.front().metrics.time <= e.step.total);
        }
    });
    CHECK(compared > 50);
}

TEST_CASE("every plan that is recommended can be drawn as a timeline", "[search]") {
    for_random_requests(1, 4, [&](auto&, SearchRequest& request) {
        request.sites[0].space = full_space(base_job(request, 0));
        request.sites[0].space.offload = {{}};
        request.sites[0].space.all_hybrid_shards = false;
        for (const Plan& plan : search(request).best)
            CHECK_NOTHROW(step_timeline(job_of(request, plan.configuration)));
    });
}

TEST_CASE("virtual stages are searched where the ends of a model count as blocks", "[search]") {
    // 126 layers and two ends make 128 parts: 8 stages of 16 [Llama 3, section 3.3.2].
    const Catalogue catalogue;
    RunSpec run{};
    run.sequence = 8192;
    run.global_batch = 2048;
    run.micro_batch = 1;
    run.precision_name = "bf16-mixed";
    run.precision = *precision_from("bf16-mixed");
    Job job{catalogue.model("llama-3.1-405b"), catalogue.cluster("dgx-h100", 16384).spec,
            catalogue.stack("megatron-core"), run};
    SearchSpace space = stack_space(job);
    space.tp = {8};
    space.pp = {8};
    space.cp = {2};
    SearchRequest request{.model = job.model, .run = run, .sites = {{job.cluster, job.stack, space}}};
    request.threads = 1;
    const SearchResult found = search(request);
    REQUIRE(!found.best.empty());
    CHECK(found.best.front().configuration.vp > 1);
    // What estimate accepts can be asked for.
    request.sites[0].space.vp = {8};
    CHECK(search(request).counts.enumerated > 0);
}

TEST_CASE("guises of one plan are one, and the simplest stands for them", "[search]") {
    // Context parallelism over short sequences hides its exchange, and one kernel attends to all keys.
    const Catalogue catalogue;
    RunSpec run{};
    run.sequence = 8192;
    run.global_batch = 64;
    run.micro_batch = 1;
    run.precision_name = "bf16-mixed";
    run.precision = *precision_from("bf16-mixed");
    Job job{catalogue.model("llama-3-8b"), catalogue.cluster("dgx-h100", 8).spec,
            catalogue.stack("megatron-core"), run};
    job.stack.attention.ring_launches = 0.0;
    SearchRequest request{
        .model = job.model, .run = run, .sites = {{job.cluster, job.stack, stack_space(job)}}};
    request.top = 10;
    const std::vector<PlanGuises> plans = guises_of(search(request).best);
    CHECK(plans.size() == 10);
    bool several = false;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const Configuration& c = plans[i].plan.configuration;
        for (const Configuration& other : plans[i].also) {
            several = true;
            CHECK(!simpler(other, c));
        }
        for (std::size_t k = i + 1; k < plans.size(); ++k)
            CHECK(!same_speed(plans[i].plan, plans[k].plan));
    }
    CHECK(several);
}

TEST_CASE("where nothing fits a search goes beyond its space in every way at once, and says so", "[search]") {
    // 70B on 24 A100s: 80 layers have no 3 or 6 equal parts (Fast-LLM's own example).
    const Catalogue catalogue;
    RunSpec run{};
    run.sequence = 4096;
    run.global_batch = 192;
    run.micro_batch = 1;
    run.precision_name = "bf16-mixed";
    run.precision = *precision_from("bf16-mixed");
    Job job{catalogue.model("llama-2-70b"), catalogue.cluster("a100-sxm4-80gb", 24, 4).spec,
            catalogue.stack("megatron-core"), run};
    SearchRequest request{
        .model = job.model, .run = run, .sites = {{job.cluster, job.stack, stack_space(job)}}};
    const auto run_search = [](SearchRequest& r) { return search(r); };
    CHECK(search(request).best.empty());
    const RelaxedSearch uneven = relaxed_search(request, {.offload = false, .recompute = false}, run_search);
    REQUIRE(!uneven.result.best.empty());
    CHECK(uneven.relaxed == std::vector<std::string>{"uneven pipeline stages"});
    const Configuration best = uneven.result.best.front().configuration;
    CHECK(configuration_flags(uneven.request, best).find("--uneven-stages") != std::string::npos);
    CHECK(estimate(job_of(uneven.request, best)).fits);
    const RelaxedSearch offloaded =
        relaxed_search(request, {.uneven_stages = false, .recompute = false}, run_search);
    CHECK(offloaded.relaxed == std::vector<std::string>{"model states and activations in host memory"});
    // The best of all, not of the first that holds one.
    const RelaxedSearch all = relaxed_search(request, {}, run_search);
    CHECK(all.relaxed.size() == 3);
    const Seconds best_of_all = all.result.best.front().metrics.time;
    CHECK(best_of_all <= uneven.result.best.front().metrics.time);
    CHECK(best_of_all <= offloaded.result.best.front().metrics.time);
    CHECK(relaxed_search(request, {false, false, false, {}}, run_search).relaxed.empty());
}

TEST_CASE("no plan keeps more in host memory than a node has", "[search]") {
    SearchRequest request = search_jobs::request(search_jobs::gpt(24, 2048, 16),
                                                 search_jobs::cluster(8, 16.0), search_jobs::run(1024, 32));
    request.sites[0].space.offload = {{}, {Offload::cpu}, {Offload::cpu, Offload::cpu, 0.5}};
    request.sites[0].cluster.host.memory = Bytes{64e9};
    const SearchResult little = search(request);
    request.sites[0].cluster.host.memory = Bytes{4e12};
    const SearchResult much = search(request);
    REQUIRE_FALSE(much.best.empty());
    for (const Plan& plan : little.best)
        CHECK(estimate(job_of(request, plan.configuration)).node_host <= Bytes{64e9});
    CHECK(little.counts.feasible < much.counts.feasible);
}

TEST_CASE("no schedule is searched that its micro-batches cannot run", "[search]") {
    CHECK_FALSE(runs_schedule(Schedule::dualpipe, 4, 1, 6));
    CHECK_FALSE(runs_schedule(Schedule::dualpipe, 4, 1, 9));
    CHECK_FALSE(runs_schedule(Schedule::dualpipe, 3, 1, 12));
    CHECK(runs_schedule(Schedule::dualpipe, 4, 1, 8));
    CHECK_FALSE(runs_schedule(Schedule::interleaved, 4, 2, 6));
    CHECK(runs_schedule(Schedule::interleaved, 4, 2, 8));
    CHECK_FALSE(runs_schedule(Schedule::one_f_one_b, 4, 2, 8));
    CHECK(runs_schedule(Schedule::dualpipe, 1, 1, 1));
}

TEST_CASE("divisors of the largest numbers are found without overflow", "[search]") {
    CHECK(divisors(1) == std::vector<std::int64_t>{1});
    CHECK(divisors(36) == std::vector<std::int64_t>{1, 2, 3, 4, 6, 9, 12, 18, 36});
    ClusterSpec cluster{};
    cluster.accelerators = std::int64_t{1} << 62;
    CHECK_THROWS_AS(require_searchable(cluster), Error);
}
