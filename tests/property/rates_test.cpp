// Products take time on every accelerator, in every precision it has rates for: no more work than its peak.

#include <traincost/base/error.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/io/catalogue.hpp>

#include <catch2/catch.hpp>

#include <optional>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

/// One accelerator; nothing where too little of it is published to ask about it.
std::optional<ClusterSpec> published(const Catalogue& catalogue, const std::string& accelerator) {
    try {
        return catalogue.cluster(accelerator, 1).spec;
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// A dense job on one accelerator whose products are large, so that the matrix units are what binds it.
Job large_products(const ClusterSpec& cluster, std::string_view precision) {
    Job job{search_jobs::gpt(4, 8192, 64), cluster, search_jobs::stack(), search_jobs::run(4096, 4)};
    job.run.micro_batch = 4;
    job.run.precision_name = precision;
    job.run.precision = *precision_from(precision);
    return job;
}

}  // namespace

TEST_CASE("no accelerator of the catalogue exceeds its peak in any precision, and no product is free",
          "[rates]") {
    const Catalogue catalogue;
    int counted = 0;
    for (const CatalogueEntry& entry : catalogue.entries(Room::accelerators)) {
        const std::optional<ClusterSpec> cluster = published(catalogue, entry.id);
        if (!cluster)
            continue;
        for (const std::string_view precision : precision_names()) {
            Job job = large_products(*cluster, precision);
            INFO(entry.id << " in " << precision);
            if (!validate(job).empty())
                continue;
            Estimate e{};
            try {
                e = estimate(job);
            } catch (const Error& error) {
                // A format without a rate or kernel data is refused, never free.
                CHECK(error.kind() == ErrorKind::input);
                continue;
            }
            ++counted;
            CHECK(e.throughput.mfu > 0.0);
            CHECK(e.throughput.mfu <= 1.0);
            CHECK(e.throughput.hfu <= 1.0);
            const KernelContext context = kernel_context(job);
            const Shape shape = shape_of(job);
            for (const OpList& list : {layer_ops(job, shape, Side::decoder, false, 4096.0),
                                       head_ops(job, shape), embedding_ops(job, shape)}) {
                for (const Operator& op : list) {
                    if (op.kind != OpKind::gemm && op.kind != OpKind::attention)
                        continue;
                    CHECK(operator_time(op, Pass::forward, context).value() > 0.0);
                    CHECK(operator_time(op, Pass::backward, context).value() > 0.0);
                }
            }
        }
    }
    CHECK(counted > 300);
}

TEST_CASE("products in fp4 are no slower than in fp8 where both run", "[rates]") {
    const Catalogue catalogue;
    int compared = 0;
    for (const CatalogueEntry& entry : catalogue.entries(Room::accelerators)) {
        const std::optional<ClusterSpec> cluster = published(catalogue, entry.id);
        if (!cluster)
            continue;
        const auto products = [&](std::string_view precision) -> std::optional<Seconds> {
            const Job job = large_products(*cluster, precision);
            if (!validate(job).empty())
                return std::nullopt;
            return estimate(job).step[StepTerm::gemm];
        };
        const auto eight = products("fp8-mixed");
        const auto four = products("fp4-mixed");
        if (!eight || !four)
            continue;
        INFO(entry.id);
        ++compared;
        CHECK(four->value() <= eight->value() * 1.001);
    }
    CHECK(compared >= 10);
}

TEST_CASE("a format that its family has no kernel data for runs as on the mean accelerator", "[rates]") {
    const Catalogue catalogue;
    const ClusterSpec cluster = catalogue.cluster("ascend-950dt", 1).spec;
    const ClusterSpec generic = catalogue.cluster("biren-br100", 1).spec;
    const auto fp8 = static_cast<std::size_t>(GemmFormat::fp8);
    REQUIRE(cluster.kernels.gemm[fp8]);
    CHECK(cluster.kernels.source.find("fp8") != std::string::npos);
    CHECK(generic.kernels.source.find("of gemm-generic") == std::string::npos);
    // Ampere multiplies no fp8, so it has none.
    CHECK_FALSE(catalogue.cluster("a100", 1).spec.kernels.gemm[fp8]);
}
