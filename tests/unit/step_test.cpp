// A step's terms by hand: two stages whose blocks cost round times.

#include <traincost/cost/step.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;
using namespace traincost::literals;

namespace {

PassTime pass(double factor) {
    return {1_ms * factor, 2_ms * factor, 3_ms * factor, 4_ms * factor,
            5_ms * factor, 6_ms * factor, 7_ms * factor, Seconds{}};
}

/// Four blocks on two A100, one a stage; six micro-batches.
Job two_stages() {
    Job job{search_jobs::gpt(4, 1024, 8), search_jobs::cluster(2), search_jobs::stack(),
            search_jobs::run(1024, 6)};
    job.run.parallel.pp = 2;
    return job;
}

/// A block takes 28 ms forward (1 + 2 + … + 7) and twice that backward, the head 10 + 20 ms of products.
BlockTable table() {
    BlockTable t{};
    t.size = 1;
    t.kinds[0].time.forward = pass(1.0);
    t.kinds[0].time.backward = pass(2.0);
    t.kinds[0].time.whole_again = pass(1.0);
    t.kinds[0].parameters.dense = 100.0;
    t.head_time.forward.gemm = 10_ms;
    t.head_time.backward.gemm = 20_ms;
    t.head_parameters.dense = 30.0;
    t.embedding_parameters.dense = 20.0;
    return t;
}

StepTime step_of(const Job& job, const AllocatorPressure& pressure = {}) {
    const BlockTable t = table();
    return step_time(job, shape_of(job), t, stage_classes(job, t), pressure);
}

double ms(Seconds time) {
    return time.value() * 1e3;
}

}  // namespace

TEST_CASE("a step is the slowest stage's own work, its waits and what follows", "[step]") {
    const StepTime step = step_of(two_stages(), {.refusals = 1.0, .time = 9_ms});
    CHECK(step.slowest_stage == 1);  // with the head
    // Two blocks, three units of each kind of time in both passes, six micro-batches.
    CHECK(ms(step[StepTerm::gemm]) == Approx(2 * 3 * 1 * 6 + 30 * 6));
    CHECK(ms(step[StepTerm::attention]) == Approx(2 * 3 * 2 * 6));
    CHECK(ms(step[StepTerm::memory_bound]) == Approx(2 * 3 * 3 * 6));
    CHECK(ms(step[StepTerm::tensor_parallel]) == Approx(2 * 3 * 4 * 6));
    CHECK(ms(step[StepTerm::context_parallel]) == Approx(2 * 3 * 5 * 6));
    CHECK(ms(step[StepTerm::expert_parallel]) == Approx(2 * 3 * 6 * 6));
    CHECK(ms(step[StepTerm::host]) == Approx(2 * 3 * 7 * 6));
    CHECK(ms(step[StepTerm::recompute]) == 0.0);
    CHECK(ms(step[StepTerm::bubble]) == Approx(2 * 28 * 3));  // the other stage's two blocks, once both ways
    CHECK(ms(step[StepTerm::data_parallel]) == 0.0);
    CHECK(ms(step[StepTerm::offload]) == 0.0);
    CHECK(ms(step[StepTerm::fixed]) == Approx(10));
    CHECK(ms(step[StepTerm::allocator]) == Approx(9));
    CHECK(step[StepTerm::pipeline_transfer] > Seconds{});
    CHECK(ms(step.forward) == Approx((2 * 28 + 10) * 6));
    CHECK(ms(step.backward) == Approx((2 * 56 + 20) * 6));
    Seconds sum;
    for (const Seconds& term : step.terms)
        sum += term;
    CHECK(step.total.value() == Approx(sum.value()));
}

TEST_CASE("blocks that are recomputed run forward once more in backward", "[step]") {
    Job job = two_stages();
    job.run.recompute = Recompute::full;
    const StepTime all = step_of(job);
    CHECK(ms(all[StepTerm::recompute]) == Approx(2 * 28 * 6));
    CHECK(ms(all.backward) == Approx((2 * (56 + 28) + 20) * 6));
    job.run.recompute_every = 2;
    CHECK(ms(step_of(job)[StepTerm::recompute]) == Approx(28 * 6));
}

TEST_CASE("the update moves gradients, states and weights of what a rank owns", "[step]") {
    Job job = two_stages();
    // The last stage's two blocks and head. fp32 gradients are read once or twice; two fp32 moments, fp32
    // masters and bf16 weights are read and written.
    const double parameters = 2 * 100 + 30;
    const double gradients = 4 * job.stack.states.gradient_passes;
    CHECK(step_of(job).parts.optimizer_bytes.value() == Approx(parameters * (gradients + 2 * (8 + 4 + 2))));
    job.run.offload_optimizer = Offload::cpu;
    CHECK(step_of(job).parts.optimizer_bytes.value() == Approx(parameters * gradients));
    job.run.offload_optimizer = Offload::none;
    job.run.tuning = Tuning::lora;
    CHECK(step_of(job).parts.optimizer_bytes.value() == 0.0);
}

TEST_CASE("under ZeRO a rank updates its shard, and exposed reductions are a term of their own", "[step]") {
    Job job = two_stages();
    job.cluster = search_jobs::cluster(8);
    job.run.parallel.dp = 4;
    job.run.global_batch = 24;
    const double whole = step_of(job).parts.optimizer_bytes.value();
    job.run.parallel.zero = 1;
    const StepTime sharded = step_of(job);
    CHECK(sharded.parts.optimizer_bytes.value() == Approx(whole / 4));
    CHECK(sharded[StepTerm::data_parallel].value() == sharded.parts.data_parallel.exposed.value());
}

TEST_CASE("interleaving shortens the wait by its chunks", "[step]") {
    Job job = two_stages();
    const Seconds plain = step_of(job)[StepTerm::bubble];
    job.run.parallel.vp = 2;
    CHECK(step_of(job)[StepTerm::bubble] < plain);
}
