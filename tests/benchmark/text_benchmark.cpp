#include <traincost/base/text.hpp>

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

using namespace traincost;

// What a mistyped name costs: one edit distance a candidate, for a catalogue of this many names.
static void suggest_a_name(benchmark::State& state) {
    std::vector<std::string> names;
    for (int i = 0; i < state.range(0); ++i) {
        names.push_back("model-" + std::to_string(i) + "-instruct");
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(nearest("modl-77-instruct", names));
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(suggest_a_name)->Arg(30)->Arg(300);
