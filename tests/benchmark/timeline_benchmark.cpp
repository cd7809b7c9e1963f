#include <benchmark/benchmark.h>

#include <traincost/cost/step_lanes.hpp>
#include <traincost/cost/step_timeline.hpp>
#include <traincost/io/answers/timeline_json.hpp>
#include <traincost/io/catalogue.hpp>

using namespace traincost;

// One step of 64 stages and 512 micro-batches, played and written as a trace. The bar is a second.
static void trace_64_stages(benchmark::State& state) {
    const Catalogue catalogue;
    Job job{.model = catalogue.model("llama-3.1-70b"),
            .cluster = catalogue.cluster("h100", 64).spec,
            .stack = catalogue.stack("megatron-core"),
            .run = {}};
    job.model.layers = 64;
    job.run.sequence = 1024;
    job.run.micro_batch = 1;
    job.run.global_batch = 512;
    job.run.precision_name = "bf16-mixed";
    job.run.precision = *precision_from(job.run.precision_name);
    job.run.parallel.pp = 64;
    for (auto _ : state) {
        const StepTimeline line = step_timeline(job);
        benchmark::DoNotOptimize(chrome_trace(line, step_lanes(line), "large"));
    }
}
BENCHMARK(trace_64_stages)->Unit(benchmark::kMillisecond);
