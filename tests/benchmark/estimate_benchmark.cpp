#include <benchmark/benchmark.h>

#include <traincost/cost/estimate.hpp>
#include <traincost/io/catalogue.hpp>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

using namespace traincost;

namespace {

std::atomic<std::int64_t> allocations = 0;

}  // namespace

// Counts what the program allocates. Not inlined: the compiler would see free() given what new made.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace {

// Llama-3.1-70B on tp·pp·dp H100s: tensor parallelism 8, ZeRO 1, 128 sequences of 8192 tokens.
Job llama_70b(std::int64_t pp, std::int64_t dp) {
    const Catalogue catalogue;
    Job job{.model = catalogue.model("llama-3.1-70b"),
            .cluster = catalogue.cluster("h100", 8 * pp * dp).spec,
            .stack = catalogue.stack("megatron-core"),
            .run = {}};
    RunSpec& run = job.run;
    run.sequence = 8192;
    run.micro_batch = 1;
    run.global_batch = 128;
    run.precision_name = "bf16-mixed";
    run.precision = *precision_from(run.precision_name);
    run.parallel = {
        .tp = 8, .pp = pp, .dp = dp, .etp = {}, .zero = 1, .hybrid_shard = {}, .sequence_parallel = {}};
    run.tokens = 15e12;
    throw_if_any(validate(job));
    return job;
}

}  // namespace

// Arguments: pipeline stages, data-parallel ranks. The bars are 15 µs and five allocations for 4 stages.
static void estimate_llama_70b(benchmark::State& state) {
    const Job job = llama_70b(state.range(0), state.range(1));
    const std::int64_t before = allocations;
    benchmark::DoNotOptimize(estimate(job));
    state.counters["allocations"] = static_cast<double>(allocations - before);
    for (auto _ : state) {
        benchmark::DoNotOptimize(estimate(job));
    }
}
BENCHMARK(estimate_llama_70b)
    ->Args({1, 8})
    ->Args({4, 1})
    ->Args({4, 16})
    ->Args({16, 16})
    ->Unit(benchmark::kMicrosecond);
