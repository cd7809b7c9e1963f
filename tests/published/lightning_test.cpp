// The two runs of Lightning-LLM-Training-Test that its README reports: a GPT-2 in fp16 on T4s, DeepSpeed's
// ZeRO-2 with the optimizer on the host. transformers of 2023: no fused attention, dropout 0.1. The hosts are
// not named; both updates, 124 million parameters in some 0.2 s, tell of few virtual cores.

#include <cmath>

#include <catch2/catch.hpp>

#include "traincost/cost/estimate.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/spec/data_type.hpp"

using namespace traincost;

namespace {

struct Lightning {
    std::int64_t gpus;
    std::int64_t batch;
    double tokens_per_s;  ///< of a GPU, the last step's
    double memory;        ///< bytes a device uses, the mean of its GPUs
};

constexpr Lightning four{4, 1, 1587.348, 3.7e9};
constexpr Lightning one{1, 2, 2571.891, 4687e6};

/// A host of a tenth of the measured one's speed: set so that the first run is met; nothing of the second.
constexpr double slow = 0.1;

Estimate predicted(const Lightning& x, double host_speed) {
    static const Catalogue catalogue;
    RunSpec run{};
    run.precision = *precision_from("fp16-mixed");
    run.sequence = 512;
    run.micro_batch = x.batch;
    run.global_batch = x.batch * x.gpus;
    run.parallel.dp = x.gpus;
    run.parallel.zero = 2;
    run.offload_optimizer = Offload::cpu;
    run.attention = AttentionKernel::math;
    run.dropout = 0.1;
    run.host_speed = host_speed;
    return estimate({catalogue.model("gpt2-124m"), catalogue.cluster("t4", x.gpus).spec,
                     catalogue.stack("hf-deepspeed"), run});
}

double step_error(const Lightning& x, const Estimate& e) {
    const double measured = static_cast<double>(x.batch * 512) / x.tokens_per_s;
    return e.step.total.value() / measured - 1;
}

double memory_error(const Lightning& x, const Estimate& e) {
    return e.stages[static_cast<std::size_t>(e.peak_stage)].device.value() / x.memory - 1;
}

}  // namespace

TEST_CASE("Lightning's T4s with the optimizer on a slow host: both steps within 16 %", "[lightning]") {
    CHECK(std::abs(step_error(four, predicted(four, slow))) < 0.10);
    CHECK(std::abs(step_error(one, predicted(one, slow))) < 0.16);
    // With the host of a server both come out more than twice too fast.
    CHECK(step_error(four, predicted(four, 1.0)) < -0.55);
    CHECK(step_error(one, predicted(one, 1.0)) < -0.55);
}

TEST_CASE("Lightning's T4s: device memory within 15 %, short", "[lightning]") {
    // Measured before the backward pass; of the second step on the allocator holds what the first took.
    CHECK(std::abs(memory_error(four, predicted(four, slow))) < 0.15);
    CHECK(std::abs(memory_error(one, predicted(one, slow))) < 0.15);
}
