#include <string>

#include <catch2/catch.hpp>

#include <traincost/base/error.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/kernels.hpp>
#include <traincost/io/catalogue.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;
using namespace traincost::literals;

namespace {

const Catalogue& catalogue() {
    static const Catalogue instance;
    return instance;
}

/// A step of one short sequence, which waits for its launches.
Job launch_bound() {
    Job job{catalogue().model("gpt2-124m"), catalogue().cluster("dgx-1-v100", 1).spec,
            catalogue().stack("hf-transformers"), search_jobs::run(256, 1)};
    job.run.precision_name = "fp16-amp";
    job.run.precision = stack_precision(job.stack.states, *precision_from("fp16-amp"));
    return job;
}

}  // namespace

TEST_CASE("a node's host launches at its own speed, unless the run says another", "[host speed]") {
    Job job = launch_bound();
    CHECK(host_time(66_ms, job).value() == Approx(0.066));
    job.cluster.host.launch_speed = 0.66;
    CHECK(host_time(66_ms, job).value() == Approx(0.1));
    job.run.host_speed = 2.0;
    CHECK(host_time(66_ms, job).value() == Approx(0.033));
}

TEST_CASE("a step that waits for launches takes longer on an older node's host", "[host speed]") {
    const Job newer = launch_bound();
    Job older = newer;
    older.cluster.host.launch_speed = 0.55;
    const auto host = [](const Job& job) { return estimate(job).step[StepTerm::host].value(); };
    CHECK(host(older) > 1.5 * host(newer));
}
