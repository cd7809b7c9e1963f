#include "traincost/fit/unstated_recompute.hpp"

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

#include "traincost/cost/estimate.hpp"
#include "traincost/cost/kernels.hpp"

using namespace traincost;

namespace {

Job job_of_memory(double memory_GB) {
    Job job{search_jobs::gpt(24, 2048, 16), search_jobs::cluster(8, memory_GB), search_jobs::stack(),
            search_jobs::run(2048, 64)};
    job.run.micro_batch = 4;
    job.run.parallel.dp = 8;
    return job;
}

Bytes used(const Job& job) {
    return estimate(job).stages.front().device;
}

}  // namespace

TEST_CASE("a run that says nothing recomputes as few blocks as make it fit", "[validate]") {
    Job none = job_of_memory(640);
    Job all = none;
    all.run.recompute = Recompute::full;
    const double middle = (used(none) + used(all)).value() / 2e9;

    Job job = job_of_memory(middle);
    std::vector<std::string> assumptions;
    assume_least_recompute({}, {}, {}, job, assumptions);
    REQUIRE(job.run.recompute_layers);
    CHECK(assumptions.size() == 1);
    CHECK(estimate(job).fits);
    CHECK(*job.run.recompute_layers < 24);
    --*job.run.recompute_layers;
    CHECK_FALSE(estimate(job).fits);
}

TEST_CASE("a run that says nothing of its gradients either keeps them in 16 bits before it recomputes",
          "[validate]") {
    Job wide = job_of_memory(640);
    wide.stack.states.gradients = GradientStore::main_buffer;
    wide.run.precision.gradients = wide.run.precision.reduce = DataType::fp32;
    Job narrow = wide;
    narrow.run.precision.gradients = narrow.run.precision.reduce = DataType::bf16;
    REQUIRE(used(narrow) < used(wide));
    const double middle = (used(narrow) + used(wide)).value() / 2e9;

    Job job = wide;
    job.cluster = job_of_memory(middle).cluster;
    std::vector<std::string> assumptions;
    Job stated = job;
    assume_least_recompute({}, {}, {}, job, assumptions);
    CHECK(job.run.precision.gradients == DataType::bf16);
    CHECK(job.run.recompute == Recompute::none);
    CHECK(assumptions.size() == 1);

    RunRecord says{};
    says.run.grad_dtype = "fp32";
    assume_least_recompute(says, {}, {}, stated, assumptions);
    CHECK(stated.run.precision.gradients == DataType::fp32);
    CHECK(stated.run.recompute != Recompute::none);
}

TEST_CASE("nothing is assumed of a run that fits, of one that says so, and of one that cannot fit",
          "[validate]") {
    std::vector<std::string> assumptions;
    Job large = job_of_memory(640);
    assume_least_recompute({}, {}, {}, large, assumptions);
    CHECK(large.run.recompute == Recompute::none);

    RunRecord says{};
    says.run.recompute = "none";
    Job stated = job_of_memory(20);
    assume_least_recompute(says, {}, {}, stated, assumptions);
    CHECK(stated.run.recompute == Recompute::none);

    Job hopeless = job_of_memory(2);
    assume_least_recompute({}, {}, {}, hopeless, assumptions);
    CHECK(hopeless.run.recompute == Recompute::none);
    CHECK_FALSE(hopeless.run.recompute_layers);
    CHECK(assumptions.empty());
}

TEST_CASE("all micro-batches but the first add to a gradient", "[kernels]") {
    Job job = job_of_memory(640);
    job.stack.states.gradients = GradientStore::parameter;
    job.stack.states.model_gradients_kept = false;
    job.stack.states.shard = ShardEngine::none;
    job.run.micro_batch = 8;
    CHECK(accumulation_time(job, 1e9) == Seconds{});  // one micro-batch
    job.run.micro_batch = 4;
    const Seconds half = accumulation_time(job, 1e9);
    job.run.micro_batch = 1;
    CHECK(half.value() > 0.0);
    CHECK((accumulation_time(job, 1e9) / half) == Approx(7.0 / 8.0 / 0.5));
    job.run.precision.gradients = job.run.precision.weights;
    const Seconds apart = accumulation_time(job, 1e9);
    job.stack.states.gradients = GradientStore::main_buffer;  // the product reads the sum: one of three walks
    CHECK(accumulation_time(job, 1e9) / apart == Approx(1.0 / 3.0).epsilon(0.01));
    job.stack.states.gradients = GradientStore::parameter;
    job.stack.states.shard = ShardEngine::xla;
    CHECK(accumulation_time(job, 1e9) == Seconds{});
}
