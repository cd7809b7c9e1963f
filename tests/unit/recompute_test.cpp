#include <traincost/cost/estimate.hpp>
#include <traincost/cost/kernels.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

Job recomputed() {
    Job job{search_jobs::gpt(8, 2048, 16), search_jobs::cluster(1), search_jobs::stack(),
            search_jobs::run(2048, 1)};
    job.run.recompute = Recompute::full;
    return job;
}

}  // namespace

TEST_CASE("a checkpoint that stops early leaves out a block's last product", "[recompute]") {
    Job job = recomputed();
    const StepTime whole = estimate(job).step;
    job.stack.layer.recompute_stops_early = true;
    const StepTime early = estimate(job).step;
    const Shape shape = shape_of(job);
    BlockOps ops;
    fill_ops(job, shape, ops);
    const KernelContext context = kernel_context(job);
    Seconds left_out;
    for (const Operator& op : ops.blocks[0]) {
        if (op.name == "down" || op.name == "mlp_add")
            left_out += operator_time(op, Pass::forward, context);
    }
    CHECK((whole[StepTerm::recompute] - early[StepTerm::recompute]).value() ==
          Approx(8 * left_out.value()).epsilon(1e-9));
    CHECK(whole[StepTerm::gemm] == early[StepTerm::gemm]);
}

TEST_CASE("training metrics walk the logits once more, and keep nothing", "[recompute]") {
    Job job = recomputed();
    const Estimate without = estimate(job);
    job.stack.head.metric_losses = 2.0;
    const Estimate with = estimate(job);
    CHECK(with.step[StepTerm::memory_bound] > without.step[StepTerm::memory_bound]);
    CHECK(with.stages[0].allocated == without.stages[0].allocated);
}
