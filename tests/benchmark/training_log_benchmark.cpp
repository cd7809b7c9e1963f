// Reading training logs: a gigabyte in less than five seconds.

#include <traincost/import/logs/log_reader.hpp>

#include <benchmark/benchmark.h>

#include <sstream>
#include <string>

namespace {

using namespace traincost;

constexpr std::size_t log_bytes = std::size_t{32} << 20;

template <class Line>
std::string log_of(Line&& line) {
    std::string text;
    for (int i = 1; text.size() < log_bytes; ++i) {
        text += line(i);
    }
    return text;
}

void read(benchmark::State& state, const std::string& text) {
    std::int64_t iterations = 0;
    for (auto _ : state) {
        std::istringstream in(text);
        const std::optional<TrainingLog> log = read_training_log(in);
        iterations = log ? log->iterations : 0;
        benchmark::DoNotOptimize(iterations);
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
    state.counters["iterations"] = static_cast<double>(iterations);
}

void megatron_log(benchmark::State& state) {
    read(state, log_of([](int i) {
             const std::string n = std::to_string(i);
             return " [2026-01-02 03:04:05] iteration " + n + "/ 5000000 | consumed samples: " + n +
                    " | elapsed time per iteration (ms): 82" + std::to_string(i % 10) +
                    ".5 | throughput per GPU (TFLOP/s/GPU): 401.5 | learning rate: 1.0E-04 | global batch "
                    "size:    "
                    "64 | lm loss: 2.512345E+00 | loss scale: 1.0 | grad norm: 0.875 | number of skipped "
                    "iterations:   0 | number of nan iterations:   0 |\n";
         }));
}

void torchtitan_log(benchmark::State& state) {
    read(state, log_of([](int i) {
             return "[rank0]:[titan] 2026-01-02 03:04:05,678 - root - INFO - \x1b[31mstep: " +
                    std::to_string(i) +
                    "  \x1b[32mloss:  2.5123  \x1b[38;2;180;60;0mgrad_norm:  0.8750  \x1b[36mmemory: "
                    "60.25GiB(76.10%)  \x1b[34mtps: 7,13" +
                    std::to_string(i % 10) + "  \x1b[35mtflops: 412.50  \x1b[36mmfu: 41.72%\x1b[39m\n";
         }));
}

void warnings(benchmark::State& state) {
    read(state, log_of([](int i) {
             return "/opt/conda/lib/python3.11/site-packages/torch/nn/modules/module.py:1802: UserWarning: " +
                    std::to_string(i) + " positional arguments are deprecated\n";
         }));
}

BENCHMARK(megatron_log)->Unit(benchmark::kMillisecond);
BENCHMARK(torchtitan_log)->Unit(benchmark::kMillisecond);
BENCHMARK(warnings)->Unit(benchmark::kMillisecond);

}  // namespace
