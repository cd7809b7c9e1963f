#include "traincost/ask/stack_constants.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

Job job_of(const ModelSpec& model, const std::string& stack) {
    static const Catalogue catalogue;
    Job job{model, search_jobs::cluster(8), catalogue.stack(stack), search_jobs::run(1024, 64)};
    job.run.parallel.dp = 8;
    return job;
}

std::vector<std::string> paths(const Job& job) {
    std::vector<std::string> all;
    for (const StackConstant& constant : constants_of(job, estimate(job), Catalogue()))
        all.push_back(constant.path);
    return all;
}

bool has(const std::vector<std::string>& all, const std::string& path) {
    return std::find(all.begin(), all.end(), path) != all.end();
}

}  // namespace

TEST_CASE("the constants that bear on a job are those whose change changes its estimate", "[stack]") {
    const std::vector<std::string> dense = paths(job_of(search_jobs::gpt(8, 1024, 8), "megatron-core"));
    CHECK(has(dense, "host.per_step_s"));
    CHECK(has(dense, "device.context_bytes"));
    CHECK_FALSE(has(dense, "experts.launch_s"));       // no experts
    CHECK_FALSE(has(dense, "narrow.quantise_bytes"));  // no narrow format
    CHECK_FALSE(has(dense, "traffic.tp_overlap"));     // no tensor parallelism
    const std::vector<std::string> experts =
        paths(job_of(search_jobs::mixture(8, 1024, 8, 8), "megatron-core"));
    CHECK(has(experts, "experts.launch_s"));
    Job own = job_of(search_jobs::gpt(8, 1024, 8), "megatron-core");
    own.stack.id = "a stack of one's own";
    CHECK(paths(own).empty());
}

TEST_CASE("it is said how many constants are fitted and on how many sources", "[stack]") {
    const auto constant = [](ClaimKind kind, std::optional<std::int64_t> sources) {
        return StackConstant{"host.per_step_s", "0.1", {.kind = kind, .sources = sources}};
    };
    std::vector<StackConstant> all = {constant(ClaimKind::estimate, {}), constant(ClaimKind::fitted, 1)};
    CHECK(constants_text(all, "ours") ==
          "2 constants of ours affect this job: 1 fitted on 1 source, 0 measured, 1 estimated, 0 from its "
          "code.");
    all.push_back(constant(ClaimKind::fitted, 5));
    all.push_back(constant(ClaimKind::measured, 1));
    CHECK(constants_text(all, "ours") ==
          "4 constants of ours affect this job: 2 fitted on 1 to 5 sources each, 1 measured, 1 estimated, 0 "
          "from its code.");
    CHECK(origin_text(
              {.kind = ClaimKind::fitted, .n = 40, .sources = 1, .held_out_error = 0.046, .date = "2026"}) ==
          "fitted to 40 runs of 1 source, error of runs held out 4.60%, 2026");
    CHECK(origin_text({.kind = ClaimKind::code, .why = "in the code"}).empty());
}
