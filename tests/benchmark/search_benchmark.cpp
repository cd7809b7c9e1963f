// Searches of whole spaces: configurations a second, and how that grows with threads.
#include <benchmark/benchmark.h>

#include <traincost/cost/estimate.hpp>
#include <traincost/plan/search.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

/// GPT-3 175B at its published batch on 1,024 accelerators of 80 GB, everything that can be written down.
SearchRequest gpt3_1024() {
    return search_jobs::request(search_jobs::gpt(96, 12288, 96), search_jobs::cluster(1024),
                                search_jobs::run(2048, 1536));
}

SearchRequest deepseek_2048() {
    return search_jobs::request(search_jobs::deepseek_v3(), search_jobs::cluster(2048),
                                search_jobs::run(4096, 15360));
}

void report(benchmark::State& state, const SearchCounts& counts) {
    state.counters["configurations"] = static_cast<double>(counts.enumerated);
    state.counters["feasible"] = static_cast<double>(counts.feasible);
    state.counters["pruned"] = static_cast<double>(counts.pruned());
    state.counters["configurations/s"] = benchmark::Counter(static_cast<double>(counts.evaluated),
                                                            benchmark::Counter::kIsIterationInvariantRate);
}

/// Arguments: threads, and whether bounds may cut.
void search_gpt3(benchmark::State& state) {
    SearchRequest request = gpt3_1024();
    request.threads = static_cast<int>(state.range(0));
    request.prune = state.range(1) != 0;
    SearchCounts counts;
    for (auto _ : state)
        counts = search(request).counts;
    report(state, counts);
}
BENCHMARK(search_gpt3)->ArgsProduct({{1, 2}, {0, 1}})->Unit(benchmark::kMillisecond)->UseRealTime();

/// The same with memory for everything: every configuration is timed too.
void search_gpt3_all_fit(benchmark::State& state) {
    SearchRequest request = gpt3_1024();
    request.sites[0].cluster.accelerator.memory = Bytes{1e15};
    request.threads = static_cast<int>(state.range(0));
    request.prune = false;
    SearchCounts counts;
    for (auto _ : state)
        counts = search(request).counts;
    report(state, counts);
}
BENCHMARK(search_gpt3_all_fit)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void search_deepseek(benchmark::State& state) {
    SearchRequest request = deepseek_2048();
    request.threads = static_cast<int>(state.range(0));
    request.prune = state.range(1) != 0;
    SearchCounts counts;
    for (auto _ : state)
        counts = search(request).counts;
    report(state, counts);
}
BENCHMARK(search_deepseek)->ArgsProduct({{2}, {0, 1}})->Unit(benchmark::kMillisecond)->UseRealTime();

void estimate_one(benchmark::State& state) {
    const SearchRequest request = gpt3_1024();
    Configuration c;
    c.tp = 8;
    c.pp = 8;
    c.dp = 16;
    c.zero = 1;
    c.schedule = static_cast<std::int32_t>(Schedule::one_f_one_b);
    const Job job = job_of(request, c);
    for (auto _ : state)
        benchmark::DoNotOptimize(estimate(job));
}
BENCHMARK(estimate_one)->Unit(benchmark::kMicrosecond);

}  // namespace
