// Accelerators that draw less than their rated power: long products and attention slow down, memory-bound
// kernels not.

#include "traincost/io/power_limit.hpp"

#include <cmath>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include <traincost/cost/estimate.hpp>
#include <traincost/io/catalogue.hpp>

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

double seconds_at(Job job, double share) {
    if (share < 1.0)
        REQUIRE(limit_power(job.cluster, share * *job.cluster.accelerator.tdp_w));
    return estimate(job).step.total.value();
}

}  // namespace

TEST_CASE("no accelerator of the catalogue is faster under a lower power limit", "[power]") {
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
        CHECK(before <= seconds_at(job, 1.0) * 1.9);  // a clock goes as the square root of the power
    }
}

TEST_CASE("a power limit slows H100 down as its lower-powered part is, and its node draws less", "[power]") {
    const Catalogue catalogue;
    Job limited = job_on(catalogue, "h100");
    const double rated = estimate(limited).step.total.value();
    const double node = *limited.cluster.node_power_w;
    REQUIRE(limit_power(limited.cluster, 500.0));
    CHECK(*limited.cluster.accelerator.tdp_w == 500.0);
    CHECK(*limited.cluster.node_power_w == node);
    const double slowed = estimate(limited).step.total.value();
    CHECK(slowed > 1.05 * rated);
    CHECK(slowed < std::sqrt(700.0 / 500.0) * rated);
}
