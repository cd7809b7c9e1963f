// Time of operators' kernels: narrow products with what makes their inputs, and hosts that launch them.

#include "traincost/cost/kernels.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <catch2/catch.hpp>

#include <traincost/cost/estimate.hpp>
#include <traincost/io/catalogue.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

/// Sixteen blocks of Llama 2 7B on one H200, everything in 16 bits: the own runs of 2026-11-22.
Job blocks_of_7b(bool compiled, DataType products) {
    const Catalogue catalogue;
    Job job{catalogue.model("llama-2-7b"), catalogue.cluster("h200", 1).spec, catalogue.stack("pytorch"),
            search_jobs::run(4096, 2)};
    job.model.layers = 16;
    job.run.micro_batch = 2;
    job.run.precision_name = "bf16-pure";
    job.run.precision = *precision_from("bf16-pure");
    job.run.precision.gemm = products;
    job.run.compile = compiled;
    return job;
}

double milliseconds(const Job& job) {
    return estimate(job).step.total.value() * 1e3;
}

/// A small model whose steps wait for their host.
Job small_steps() {
    const Catalogue catalogue;
    Job job{catalogue.model("gpt2-124m"), catalogue.cluster("h200", 1).spec,
            catalogue.stack("hf-transformers"), search_jobs::run(512, 1)};
    job.run.micro_batch = 1;
    job.run.precision_name = "bf16-pure";
    job.run.precision = *precision_from("bf16-pure");
    return job;
}

}  // namespace

TEST_CASE("fp8 is slower than bf16 where casts run one by one, and faster compiled", "[kernels]") {
    const double eager = milliseconds(blocks_of_7b(false, DataType::bf16));
    const double eager_fp8 = milliseconds(blocks_of_7b(false, DataType::fp8));
    const double compiled = milliseconds(blocks_of_7b(true, DataType::bf16));
    const double compiled_fp8 = milliseconds(blocks_of_7b(true, DataType::fp8));
    CHECK(eager == Approx(357).epsilon(0.08));
    CHECK(eager_fp8 == Approx(542).epsilon(0.08));
    CHECK(compiled == Approx(319).epsilon(0.08));
    CHECK(compiled_fp8 == Approx(239).epsilon(0.08));
    CHECK(eager_fp8 > eager);
    CHECK(compiled_fp8 < compiled);
}

TEST_CASE("a compiled block under DTensor waits for its weights and its collectives", "[kernels]") {
    const Catalogue catalogue;
    Job job{catalogue.model("llama-3.2-1b"), catalogue.cluster("h200", 2).spec, catalogue.stack("pytorch"),
            search_jobs::run(64, 1)};
    job.run.micro_batch = 1;
    job.run.compile = true;
    job.run.parallel.tp = 2;
    job.run.parallel.sequence_parallel = true;
    job.stack.host = {};
    job.stack.host.per_dispatched_kernel = Seconds{1.0};  // nothing on the device takes as long
    const double blocks = 16;
    const double weights = 4 + 3;  // of products: attention's and the MLP's
    const double collectives = 4;  // gathered and scattered around attention and around the MLP
    const double host = estimate(job).step[StepTerm::host].value();
    CHECK(host >= 0.98 * blocks * 2 * (weights + collectives));
    CHECK(host <= 1.10 * blocks * 2 * (weights + collectives));
}

TEST_CASE("tensor-parallel traffic hides as the job asks, else as its stack is used to", "[kernels]") {
    const Catalogue catalogue;
    for (const char* stack : {"torchtitan", "megatron-core", "nemo", "pytorch"}) {
        INFO(stack);
        Job job{catalogue.model("llama-2-7b"), catalogue.cluster("h200", 2).spec, catalogue.stack(stack),
                search_jobs::run(4096, 2)};
        job.run.parallel.tp = 2;
        const auto exposed = [&](std::optional<bool> asked) {
            job.run.parallel.tp_overlap = asked;
            return estimate(job).step[StepTerm::tensor_parallel].value();
        };
        const StackTraffic& traffic = job.stack.traffic;
        const double all = exposed(false);
        CHECK(exposed(std::nullopt) == Approx(all * (1.0 - traffic.tp_overlap)));
        CHECK(exposed(true) == Approx(all * (1.0 - std::max(traffic.tp_overlap, traffic.tp_overlap_asked))));
        CHECK(exposed(true) < all);
    }
}

TEST_CASE("what waits for the host goes with the host's speed", "[kernels]") {
    Job job = small_steps();
    const double usual = milliseconds(job);
    const double host = estimate(job).step[StepTerm::host].value() * 1e3;
    REQUIRE(host > 0.5 * usual);
    job.run.host_speed = 1.0;
    CHECK(milliseconds(job) == usual);
    job.run.host_speed = 0.5;
    CHECK(milliseconds(job) > 1.8 * usual);
    job.run.host_speed = 1000.0;
    CHECK(estimate(job).step[StepTerm::host].value() == 0.0);
}

TEST_CASE("a checkpointed block costs the host more than its launches", "[kernels]") {
    Job job = small_steps();
    job.run.recompute = Recompute::full;
    const double with = milliseconds(job);
    const double each = job.stack.host.per_checkpoint.value() * 1e3;
    REQUIRE(each > 0.0);
    job.stack.host.per_checkpoint = Seconds{};
    const double blocks = 12;
    CHECK(with - milliseconds(job) == Approx(blocks * each));
}

TEST_CASE("what a checkpoint issues again goes out while the backward pass before it runs", "[kernels]") {
    // RoBERTa-large's own step of one H100, 2026-11-26: 197 ms; 218 with a wait at every block.
    const Catalogue catalogue;
    Job job{catalogue.model("bert-large"), catalogue.cluster("h100", 1).spec,
            catalogue.stack("hf-transformers"), search_jobs::run(512, 32)};
    job.run.micro_batch = 32;
    job.run.recompute = Recompute::full;
    job.run.precision_name = "bf16-amp";
    job.run.precision = stack_precision(job.stack.states, *precision_from("bf16-amp"));
    const PassTime again = estimate(job).step.parts.again;
    CHECK(again.device().value() > 0.0);
    CHECK(again.host.value() == 0.0);
    // Few sequences: the backward pass waits for the host too, and what runs again with it.
    job.run.micro_batch = job.run.global_batch = 1;
    CHECK(estimate(job).step.parts.again.host.value() > 0.0);
}

TEST_CASE("autocast leaves the products of fp32 experts in fp32", "[kernels]") {
    const Catalogue catalogue;
    Job job{catalogue.model("olmoe-1b-7b"), catalogue.cluster("h200", 1).spec,
            catalogue.stack("hf-transformers"), search_jobs::run(2048, 2)};
    job.model.layers = 8;
    job.run.micro_batch = 2;
    job.run.recompute = Recompute::full;
    job.run.precision_name = "bf16-amp";
    job.run.precision = stack_precision(job.stack.states, *precision_from("bf16-amp"));
    CHECK(milliseconds(job) == Approx(474).epsilon(0.15));  // own step, 2026-11-23
    Job narrow = job;
    narrow.run.precision_name = "bf16-pure";
    narrow.run.precision = *precision_from("bf16-pure");
    CHECK(milliseconds(narrow) < 0.5 * milliseconds(job));
    Job dense = job;
    dense.stack.experts.walks = 0.0;  // experts of plain products
    CHECK(milliseconds(dense) < 0.5 * milliseconds(job));
}

TEST_CASE("an optimizer that walks lists of tensors takes longer whoever says so", "[kernels]") {
    Job job = small_steps();
    const Seconds fused = estimate(job).step[StepTerm::optimizer];
    job.run.optimizer_kernel = OptimizerKernel::foreach;
    CHECK(estimate(job).step[StepTerm::optimizer] > fused * 1.5);
    job.run.optimizer_kernel.reset();
    job.stack.states.optimizer = OptimizerKernel::foreach;
    CHECK(estimate(job).step[StepTerm::optimizer] > fused * 1.5);
}
