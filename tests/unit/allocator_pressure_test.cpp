// What a step loses where the allocator asks for more than the device has, by hand and beside an H200.
#include "traincost/cost/memory/allocator_pressure.hpp"

#include <array>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/io/catalogue.hpp"

using namespace traincost;
using namespace traincost::literals;

namespace {

constexpr double GiB = 1024.0 * 1024.0 * 1024.0;

/// One GPU with a flat optimizer, whose blocks do not fit into the room that activations left.
Job flat_job() {
    Job job{search_jobs::gpt(4, 2048, 16), search_jobs::cluster(1), search_jobs::stack(),
            search_jobs::run(2048, 8)};
    job.run.micro_batch = 4;
    job.stack.states.flat_optimizer = true;
    job.stack.states.flat_gradient_copies = 1.0;
    job.run.precision.gradients = DataType::bf16;
    return job;
}

/// The same with only so much of what it wants to reserve beyond what it allocates.
Job squeezed(Job job, double share) {
    const StageMemory roomy = estimate(job).stages[0];
    const Bytes wanted = roomy.device - (roomy.reserved - roomy.allocated) * (1.0 - share);
    job.cluster.accelerator.memory_usable = wanted;
    return job;
}

}  // namespace

TEST_CASE("an allocator whose memory the device has room for loses no time", "[allocator]") {
    const Estimate e = estimate(flat_job());
    REQUIRE(e.fits);
    CHECK(e.stages[0].refused == Bytes{});
    CHECK(e.step[StepTerm::allocator] == Seconds{});
}

TEST_CASE("all that is cached goes to the driver and back once a step where a flat optimizer is refused",
          "[allocator]") {
    const Job roomy = flat_job();
    const Job job = squeezed(roomy, 0.9);
    const Estimate e = estimate(job);
    REQUIRE(e.fits);
    const StageMemory& stage = e.stages[0];
    const StageMemory free = estimate(roomy).stages[0];
    CHECK(stage.refused.value() > 0.0);
    CHECK((stage.reserved + stage.refused).value() == Approx(free.reserved.value()));
    const AllocatorPressure& p = e.step.parts.allocator;
    CHECK(p.refusals == 1.0);
    CHECK(p.returned.value() == Approx((free.reserved - free.allocated).value()));
    const AllocatorModel& model = job.cluster.kernels.allocator;
    const double each = model.segment_s_per_byte + model.per_segment.value() / model.segment.value();
    CHECK(e.step[StepTerm::allocator].value() == Approx(p.returned.value() * each));
    CHECK(e.step.total.value() == Approx((estimate(roomy).step.total + e.step[StepTerm::allocator]).value()));
}

TEST_CASE("gathers that wait for their stream are refused in every micro-batch", "[allocator]") {
    Job job = flat_job();
    job.cluster = search_jobs::cluster(2);
    job.stack.states.flat_optimizer = false;
    job.run.parallel.tp = 2;
    job.run.parallel.sequence_parallel = true;
    job.run.global_batch = 32;
    job.stack.device.gathered_blocks_ahead = 4.0;
    job.stack.device.held_gathers_limit = 1.0;
    const Estimate e = estimate(squeezed(job, 0.5));
    REQUIRE(e.stages[0].refused.value() > 0.0);
    CHECK(e.step.parts.allocator.refusals == 8.0);
}

TEST_CASE("steps of an H200 under falling limits lost what giving back and asking again takes",
          "[allocator][published]") {
    // Steps with pages mapped, torch 2.11, 2026-11-22: reserved with room less allocated, refusals a step,
    // and what the step lost.
    struct Row {
        double GiB_back;
        double refusals;
        double lost_ms;
    };
    const std::array<Row, 4> rows = {
        {{8.05, 2.0, 82.0}, {8.05, 1.0, 54.5}, {2.21, 1.0, 17.5}, {1.22, 1.0, 8.6}}};
    Job job = flat_job();
    job.stack.device.expandable_segments = true;
    StageMemory stage = estimate(job).stages[0];
    for (const Row& row : rows) {
        stage.allocated = 10_GiB;
        stage.reserved = 10_GiB;
        stage.refused = Bytes{row.GiB_back * GiB};
        const double predicted = allocator_pressure(job, stage).time.value() * row.refusals * 1e3;
        CHECK(predicted / row.lost_ms > 0.7);
        CHECK(predicted / row.lost_ms < 1.3);
    }
}

TEST_CASE("norms whose gradients are summed one by one cost a crossing each for every domain more",
          "[allocator]") {
    Job job = flat_job();
    job.cluster = search_jobs::cluster(16);
    job.run.parallel.tp = 16;
    job.run.parallel.sequence_parallel = true;
    const Seconds together = estimate(job).step[StepTerm::fixed];
    CHECK(together == job.stack.host.per_step);
    job.stack.host.norm_sync_per_domain = 3_ms;
    // Four blocks of two norms and the last one, over two nodes.
    CHECK((estimate(job).step[StepTerm::fixed] - together).value() == Approx(9.0 * 3e-3));
    job.run.parallel.tp = 8;
    job.run.parallel.dp = 2;
    CHECK(estimate(job).step[StepTerm::fixed] == together);
}

TEST_CASE("batches of other lengths leave the loss's blocks behind", "[memory]") {
    const Catalogue catalogue;
    Job job{catalogue.model("llama-3.2-1b"), catalogue.cluster("h100", 1).spec,
            catalogue.stack("hf-transformers"), search_jobs::run(2048, 1)};
    job.run.precision_name = "bf16-pure";
    job.run.precision = *precision_from("bf16-pure");
    job.run.tuning = Tuning::lora;
    job.run.adapter.rank = 16;
    const auto reserved = [&] { return estimate(job).stages.front().reserved.value(); };
    const double equal = reserved();
    job.run.padded_length = 1536;
    // The log-softmax and two gradients in fp32 of 128,256 logits a token, and the head's input.
    CHECK(reserved() - equal == Approx(2048.0 * 128256.0 * 12.0).epsilon(0.03));
    job.run.padded_length = 2048;
    CHECK(reserved() == equal);
    job.run.padded_length = 1536;
    job.run.expandable_segments = true;
    const double mapped = reserved();
    job.run.padded_length.reset();
    CHECK(reserved() == mapped);
}

TEST_CASE("one GPU alone has the gaps of one stream", "[memory]") {
    const Catalogue catalogue;
    Job job{catalogue.model("llama-3.2-1b"), catalogue.cluster("h100", 1).spec, catalogue.stack("pytorch"),
            search_jobs::run(2048, 1)};
    const auto gaps = [&] {
        const StageMemory m = estimate(job).stages.front();
        return m.terms[static_cast<std::size_t>(MemoryTerm::fragmentation)].value();
    };
    const double alone = gaps();
    job.stack.device.fragmentation = 0.09;
    CHECK(gaps() == Approx(alone));
    job.stack.device.fragmentation = 0.05;
    CHECK(gaps() < alone);
}
