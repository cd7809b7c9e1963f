// One kernel time: a GEMM, an attention, a bandwidth-bound operator; and what it costs to look an
// accelerator's data up.
#include <traincost/cost/kernels/attention_time.hpp>
#include <traincost/cost/kernels/bandwidth.hpp>
#include <traincost/cost/kernels/gemm.hpp>
#include <traincost/io/bench/accelerator_kernels.hpp>
#include <traincost/io/catalogue.hpp>

#include <benchmark/benchmark.h>

using namespace traincost;

namespace {

struct Models {
    AcceleratorSpec chip = Catalogue().accelerator("h100-sxm5-80gb");
    KernelModels kernels = kernel_models_of(chip);
};

void gemm(benchmark::State& state) {
    const Models models;
    const GemmModel model = gemm_model(models.chip, models.kernels, DataType::bf16).value();
    GemmShape shape{.m = 128, .n = 4096, .k = 4096};
    for (auto _ : state) {
        shape.m = shape.m < 32768 ? shape.m + 128 : 128;
        benchmark::DoNotOptimize(gemm_time(shape, GemmPass::forward, model));
    }
}
BENCHMARK(gemm);

void attention(benchmark::State& state) {
    const Models models;
    const AttentionModel model =
        attention_model(models.chip, models.kernels, AttentionGeneration::flash3).value();
    AttentionShape shape{.batch = 1,
                         .heads = 32,
                         .kv_heads = 8,
                         .queries = 4096,
                         .keys = 4096,
                         .span = 4096,
                         .qk_dim = 128,
                         .v_dim = 128,
                         .causal = true};
    for (auto _ : state) {
        shape.batch = shape.batch < 64 ? shape.batch + 1 : 1;
        benchmark::DoNotOptimize(attention_backward_time(shape, model));
    }
}
BENCHMARK(attention);

void bandwidth_bound(benchmark::State& state) {
    const Models models;
    const BandwidthModel model = bandwidth_model(models.chip, models.kernels).value();
    double bytes = 1e6;
    for (auto _ : state) {
        bytes = bytes < 1e9 ? bytes + 1e6 : 1e6;
        benchmark::DoNotOptimize(memory_time(Bytes(bytes), MemoryAccess::stream, model));
    }
}
BENCHMARK(bandwidth_bound);

void kernel_data(benchmark::State& state) {
    const Models models;
    for (auto _ : state) {
        benchmark::DoNotOptimize(kernel_models_of(models.chip));
    }
}
BENCHMARK(kernel_data);

}  // namespace
