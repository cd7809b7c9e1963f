#include <traincost/cost/collectives.hpp>
#include <traincost/io/catalogue.hpp>

#include <benchmark/benchmark.h>

namespace {

using namespace traincost;

void time_collective(benchmark::State& state, Collective collective, const GroupPlacement& group) {
    const Network network = Catalogue().cluster("dgx-h100", 1024).spec.network;
    double bytes = 1 << 20;
    for (auto _ : state) {
        bytes = bytes < 1e9 ? bytes * 1.01 : 1 << 20;
        benchmark::DoNotOptimize(collective_time(collective, Bytes(bytes), group, network));
    }
}

BENCHMARK_CAPTURE(time_collective, all_reduce_in_a_node, Collective::all_reduce, GroupPlacement{8, 8, 1});
BENCHMARK_CAPTURE(time_collective, all_reduce_over_128_nodes, Collective::all_reduce,
                  GroupPlacement{1024, 8, 1});
BENCHMARK_CAPTURE(time_collective, all_gather_over_128_nodes, Collective::all_gather,
                  GroupPlacement{128, 1, 1});
BENCHMARK_CAPTURE(time_collective, all_to_all_over_8_nodes, Collective::all_to_all, GroupPlacement{64, 8, 1});

}  // namespace
