// What is listed of a step's traffic is what the step counts.

#include <traincost/cost/estimate.hpp>
#include <traincost/cost/step_traffic.hpp>
#include <traincost/report/answers/step_details.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

Job spread(std::int64_t tp, std::int64_t pp, std::int64_t dp, std::int64_t zero) {
    Job job{search_jobs::gpt(16, 2048, 16), search_jobs::cluster(tp * pp * dp), search_jobs::stack(),
            search_jobs::run(1024, 64)};
    job.run.parallel.tp = tp;
    job.run.parallel.pp = pp;
    job.run.parallel.dp = dp;
    job.run.parallel.zero = zero;
    job.run.micro_batch = 1;
    job.stack.traffic.tp_overlap = 0.0;
    return job;
}

Seconds alone(const std::vector<Traffic>& all, Group group) {
    Seconds sum;
    for (const Traffic& t : all) {
        if (t.group == group)
            sum += t.alone;
    }
    return sum;
}

}  // namespace

TEST_CASE("tensor-parallel traffic that nothing hides is the step's term", "[traffic]") {
    for (const std::int64_t tp : {2, 4, 8}) {
        for (const std::int64_t pp : {1, 2}) {
            const Job job = spread(tp, pp, 1, 0);
            const Estimate e = estimate(job);
            CAPTURE(tp, pp);
            CHECK(alone(step_traffic(job, e), Group::tensor).value() ==
                  Approx(e.step[StepTerm::tensor_parallel].value()).epsilon(1e-9));
        }
    }
}

TEST_CASE("data-parallel traffic is the step's reductions and gathers", "[traffic]") {
    for (const std::int64_t zero : {0, 1, 3}) {
        const Job job = spread(1, 1, 8, zero);
        const Estimate e = estimate(job);
        const DataParallelTime& d = e.step.parts.data_parallel;
        CAPTURE(zero);
        CHECK(alone(step_traffic(job, e), Group::data).value() ==
              Approx((d.reduction * d.reductions + d.gathering * d.gathers).value()).epsilon(1e-9));
    }
}

TEST_CASE("a rank sends 2(n-1)/n of the gradients in a ring, and nothing alone", "[traffic]") {
    const Job job = spread(1, 1, 4, 0);
    const std::vector<Traffic> traffic = step_traffic(job, estimate(job));
    REQUIRE(traffic.size() == 1);
    CHECK(traffic[0].collective == Collective::all_reduce);
    CHECK(traffic[0].sent.value() == Approx(traffic[0].payload.value() * 2.0 * 3.0 / 4.0));
    const Job single = spread(1, 1, 1, 0);
    CHECK(step_traffic(single, estimate(single)).empty());
    CHECK(step_detail_tables(single, estimate(single)).size() == 3);
}

TEST_CASE("a stage sends one boundary a micro-batch onwards and one back", "[traffic]") {
    const Job job = spread(1, 4, 1, 0);
    const Estimate e = estimate(job);
    double sent = 0.0;
    for (const Traffic& t : step_traffic(job, e)) {
        CHECK(t.group == Group::pipeline);
        CHECK(t.messages == 64.0);
        sent += t.messages;
        // 1024 tokens of 2048 numbers of two bytes.
        CHECK(t.sent.value() == Approx(64.0 * 1024.0 * 2048.0 * 2.0));
    }
    CHECK(sent == (e.step.slowest_stage == 0 || e.step.slowest_stage == 3 ? 64.0 : 128.0));
}
