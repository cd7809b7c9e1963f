// Accelerators that draw less than their rated power: long products and attention slow down, memory-bound
// kernels not.

#include "traincost/io/power_limit.hpp"

#include <cmath>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include <traincost/ask/resolve.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/io/bench/family_member.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/io/specs/job_json.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

Job job_on(const Catalogue& catalogue, const std::string& accelerator) {
    Job job{catalogue.model("llama-2-7b"), catalogue.cluster(accelerator, 8).spec,
            catalogue.stack("megatron-core"), search_jobs::run(4096, 64)};
    job.run.parallel.dp = 8;
    job.run.parallel.zero = 1;
    return job;
}

JobDraft draft_on(const char* accelerator, std::int64_t count) {
    JobDraft draft;
    draft.model = {"llama-2-7b", "--model"};
    draft.gpu = {accelerator, "--gpu"};
    draft.gpus = {count, "--gpus"};
    draft.sequence = {4096, "--seq"};
    draft.micro_batch = {1, "--micro-batch"};
    draft.global_batch = {64, "--global-batch"};
    draft.zero = {1, "--zero"};
    return draft;
}

double seconds_at(Job job, double share) {
    if (share < 1.0)
        REQUIRE(limit_power(job.cluster, share * *job.cluster.accelerator.tdp_w, embedded_files()));
    return estimate(job).step.total.value();
}

}  // namespace

TEST_CASE("no accelerator of the catalogue is faster under a lower power limit", "[power][slow]") {
    const Catalogue catalogue;
    for (const CatalogueEntry& entry : catalogue.entries(Room::accelerators)) {
        INFO(entry.id);
        std::optional<Job> with_rates;
        try {
            if (!catalogue.accelerator(entry.id).tdp_w)
                continue;
            with_rates = job_on(catalogue, entry.id);
            estimate(*with_rates);
        } catch (const Error&) {
            continue;  // without units or kernels for 16 bits
        }
        const Job& job = *with_rates;
        double before = seconds_at(job, 1.0);
        for (const double share : {0.9, 0.7, 0.5, 0.3}) {
            const double now = seconds_at(job, share);
            CHECK(now >= before * (1 - 1e-12));
            before = now;
        }
        // A clock goes as the square root of the power that is left for products.
        CHECK(before <= seconds_at(job, 1.0) / std::sqrt(power_for_products(0.3)));
    }
}

TEST_CASE("what leakage, memory and links draw does not reach products under a limit", "[power]") {
    const Catalogue catalogue;
    Job job = job_on(catalogue, "h100-sxm5-80gb");
    const double rated = job.cluster.kernels.power_knee;
    REQUIRE(rated > 0.0);
    for (const double share : {0.95, 0.7, 0.5, 0.3}) {
        INFO(share);
        REQUIRE(limit_power(job.cluster, share * *job.cluster.accelerator.tdp_w, embedded_files()));
        CHECK(job.cluster.kernels.power_knee == Approx(rated * (share - 0.2) / 0.8));
    }
    REQUIRE(limit_power(job.cluster, 0.1 * *job.cluster.accelerator.tdp_w, embedded_files()));
    CHECK(job.cluster.kernels.power_knee > 0.0);
}

TEST_CASE("a power limit slows H100 down as its lower-powered part is, and its node draws less", "[power]") {
    const Sources sources;
    JobDraft draft = draft_on("h100", 8);
    const Job whole = resolve(draft, sources).job;
    draft.power_limit_w = {500.0, "--power-limit"};
    const Job limited = resolve(draft, sources).job;
    CHECK(*accelerator_watts(limited.cluster) == 500.0);
    CHECK(*limited.cluster.accelerator.tdp_w == 700.0);
    CHECK(*power_watts(limited.cluster) == Approx(*power_watts(whole.cluster) - 8 * 200.0));
    const double rated = estimate(whole).step.total.value();
    const double slowed = estimate(limited).step.total.value();
    CHECK(slowed > 1.05 * rated);
    CHECK(slowed < rated / std::sqrt(power_for_products(500.0 / 700.0)));
}

TEST_CASE("a job file keeps the power limit, and another node lifts it", "[power]") {
    const Sources sources;
    for (const char* accelerator : {"h100", "a100", "gh200", "mi300x", "b200", "rtx-4090", "tpu-v5p"}) {
        INFO(accelerator);
        JobDraft draft = draft_on(accelerator, 16);
        draft.per_node = {4, "--per-node"};
        for (const double share : {0.6, 0.9, 1.2}) {
            draft.power_limit_w = {share * *sources.catalogue().accelerator(accelerator).tdp_w,
                                   "--power-limit"};
            const ResolvedJob once = resolve(draft, sources);
            JsonWriter out;
            write_json(out, once.job, once.operation);
            const JobDraft kept =
                job_draft_from_json(JsonNode(parse_json(out.text(), "job.json")), sources.catalogue());
            const ResolvedJob again = resolve(kept, sources);
            CHECK(again.job == once.job);
            JobDraft elsewhere;
            elsewhere.cluster = {"dgx-b200", "--cluster"};
            CHECK_FALSE(overlaid(kept, elsewhere).power_limit_w);
        }
    }
}
