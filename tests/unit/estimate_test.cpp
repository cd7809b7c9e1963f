// An estimate joins memory, step and totals of one job: what it says of the whole follows from its parts, and
// it asks the heap for little.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <catch2/catch.hpp>

#include <traincost/cost/estimate.hpp>
#include <traincost/cost/flops.hpp>
#include <traincost/io/catalogue.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

std::atomic<std::int64_t> heap_requests = 0;

/// Llama-3.1-70B on four stages of eight H100 tensor-parallel each.
Job llama_70b() {
    const Catalogue catalogue;
    Job job{catalogue.model("llama-3.1-70b"), catalogue.cluster("h100", 64).spec,
            catalogue.stack("megatron-core"), search_jobs::run(8192, 128)};
    job.run.parallel.tp = 8;
    job.run.parallel.pp = 4;
    job.run.parallel.dp = 2;
    job.run.parallel.zero = 1;
    job.run.tokens = 1e12;
    throw_if_any(validate(job));
    return job;
}

}  // namespace

// Counts what the program asks the heap for. Not inlined: the compiler would see free() given what new made.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++heap_requests;
    if (void* memory = std::malloc(size))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++heap_requests;
    return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

TEST_CASE("an estimate allocates at most five times", "[estimate]") {
    const Job job = llama_70b();
    const std::int64_t before = heap_requests;
    const Estimate e = estimate(job);
    const std::int64_t asked = heap_requests - before;
    CHECK(e.stages.size() == 4);
    CHECK(asked >= 1);
    CHECK(asked <= 5);
}

TEST_CASE("an estimate's peak, shortfall and verdict are those of its fullest stage", "[estimate]") {
    for (const double memory_gb : {20.0, 400.0}) {
        Job job = llama_70b();
        job.cluster.accelerator.memory = Bytes{memory_gb * 1e9};
        job.cluster.accelerator.memory_usable.reset();
        const Estimate e = estimate(job);
        const auto fullest =
            std::max_element(e.stages.begin(), e.stages.end(),
                             [](const StageMemory& a, const StageMemory& b) { return a.device < b.device; });
        REQUIRE(fullest != e.stages.end());
        CHECK(e.peak_stage == fullest - e.stages.begin());
        CHECK(e.capacity.value() == Approx(memory_gb * 1e9));
        CHECK(e.shortfall.value() == std::max(0.0, fullest->device.value() - e.capacity.value()));
        CHECK(e.fits == (memory_gb > 100.0));
    }
}

TEST_CASE("an estimate's rates and totals are those of its step", "[estimate]") {
    const Job job = llama_70b();
    const Estimate e = estimate(job);
    const double step = e.step.total.value();
    CHECK(e.throughput.tokens_per_step == 128.0 * 8192.0);
    CHECK(e.throughput.tokens_per_s == Approx(128.0 * 8192.0 / step));
    CHECK(e.throughput.tokens_per_s_per_gpu == Approx(128.0 * 8192.0 / step / 64.0));
    // Forward and backward, by hand: 6 FLOPs a weight but the input embedding's and token, and 6 a layer,
    // pair of tokens and width of the heads, of which a causal mask leaves half.
    const double weights = 70553706496.0 - 128256.0 * 8192.0 - 161.0 * 8192.0;
    const double tokens = 128.0 * 8192.0;
    const double flops = 6.0 * weights * tokens + 6.0 * 80.0 * 8192.0 * 8192.0 * tokens;
    CHECK(e.throughput.model_flops_per_gpu.value() == Approx(flops / step / 64.0).epsilon(1e-3));
    CHECK(e.throughput.mfu == Approx(flops / step / 64.0 / 989.4e12).epsilon(1e-3));
    CHECK(e.throughput.hfu == Approx(e.throughput.mfu));
    REQUIRE(e.training);
    CHECK(e.training->steps == Approx(1e12 / tokens));
    CHECK(e.training->time.value() == Approx(1e12 / tokens * step));
    CHECK(e.training->gpu_hours == Approx(1e12 / tokens * step * 64.0 / 3600.0));
}
