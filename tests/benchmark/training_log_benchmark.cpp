// Reading training logs and tables of metrics: a gigabyte in less than five seconds and 50 MB of memory.

#include <traincost/import/logs/log_reader.hpp>

#include <benchmark/benchmark.h>

#include <malloc.h>

#include <fstream>
#include <istream>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace traincost;

constexpr std::size_t log_bytes = std::size_t{32} << 20;

template <class Line>
std::string log_of(Line&& line, std::string text = {}) {
    text.reserve(log_bytes + (std::size_t{1} << 16));
    for (int i = 1; text.size() < log_bytes; ++i) {
        text += line(i);
    }
    return text;
}

/// A text read where it stands, so that no copy of it counts as memory of the reader.
class TextBuffer : public std::streambuf {
public:
    explicit TextBuffer(std::string& text) {
        setg(text.data(), text.data(), text.data() + text.size());
    }
};

/// MiB of the most memory that this process held, or of what it holds; nothing where the system does not say.
std::optional<double> memory_of_process(std::string_view which) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(which)) {
            return std::stod(line.substr(which.size() + 1)) / 1024.0;
        }
    }
    return std::nullopt;
}

/// `peak_MiB`: the most memory that reading the text once takes beside it.
void read(benchmark::State& state, std::string text) {
    std::int64_t iterations = 0;
    const auto read_once = [&] {
        TextBuffer buffer(text);
        std::istream in(&buffer);
        const std::optional<TrainingLog> log = read_training_log(in);
        iterations = log ? log->iterations : 0;
        benchmark::DoNotOptimize(iterations);
    };
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << '5';  // the most so far is what is held now
    const std::optional<double> before = memory_of_process("VmRSS:");
    read_once();
    const std::optional<double> most = memory_of_process("VmHWM:");
    for (auto _ : state) {
        read_once();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
    state.counters["MB"] = benchmark::Counter(static_cast<double>(state.iterations() * text.size()) / 1e6,
                                              benchmark::Counter::kIsRate);
    state.counters["iterations"] = static_cast<double>(iterations);
    if (before && most) {
        state.counters["peak_MiB"] = *most - *before;
    }
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

/// A number that differs from line to line, with so many decimals.
std::string varied(int i, int decimals) {
    std::string digits = std::to_string(1'000'000'000 + (i * 7919LL) % 1'000'000'000);
    return digits.substr(0, 2) + "." + digits.substr(2, static_cast<std::size_t>(decimals));
}

/// Names of what a run logs to a tracker: 13 that say something of a step, and 27 of layers.
std::vector<std::string> metric_names() {
    std::vector<std::string> names = {"_step",
                                      "_runtime",
                                      "_timestamp",
                                      "train/loss",
                                      "train/grad_norm",
                                      "train/learning_rate",
                                      "train/global_step",
                                      "train/epoch",
                                      "perf/tokens_per_second",
                                      "perf/step_time_ms",
                                      "perf/mfu",
                                      "memory/peak_allocated_gb",
                                      "val/loss"};
    for (int i = 0; i < 27; ++i) {
        names.push_back("model/layer_" + std::to_string(i) + "/weight_norm");
    }
    return names;
}

std::vector<std::string> metric_values(int i) {
    const std::string n = std::to_string(i);
    std::vector<std::string> values = {n,
                                       n + ".123456",
                                       "1767" + std::to_string(300'000 + i) + ".123",
                                       varied(i, 16),
                                       varied(i, 8),
                                       "0.0001",
                                       n,
                                       "0.5",
                                       "9" + varied(i, 4),
                                       "8" + varied(i, 7),
                                       "0.4123",
                                       "60.25",
                                       ""};
    for (int layer = 0; layer < 27; ++layer) {
        values.push_back(varied(i + layer, 15));
    }
    return values;
}

/// The fields between separators, each between quotes where there are any.
std::string row_of(const std::vector<std::string>& fields, std::string_view separator,
                   std::string_view quote) {
    std::string row;
    for (const std::string& field : fields) {
        row += row.empty() ? "" : separator;
        row.append(quote).append(field).append(quote);
    }
    return row + "\n";
}

void metrics_csv(benchmark::State& state) {
    read(state,
         log_of([](int i) { return row_of(metric_values(i), ",", ""); }, row_of(metric_names(), ",", "")));
}

void metrics_quoted_csv(benchmark::State& state) {
    read(state, log_of([](int i) { return row_of(metric_values(i), ",", "\""); },
                       row_of(metric_names(), ",", "\"")));
}

void metrics_tabs(benchmark::State& state) {
    read(state,
         log_of([](int i) { return row_of(metric_values(i), "\t", ""); }, row_of(metric_names(), "\t", "")));
}

void metrics_json_lines(benchmark::State& state) {
    const std::vector<std::string> names = metric_names();
    read(state, log_of([&](int i) {
             const std::vector<std::string> values = metric_values(i);
             std::string line;
             for (std::size_t k = 0; k < names.size(); ++k) {
                 line +=
                     (k == 0 ? "{\"" : ", \"") + names[k] + "\": " + (values[k].empty() ? "null" : values[k]);
             }
             return line + "}\n";
         }));
}

void metrics_nested_json_lines(benchmark::State& state) {
    read(state, log_of([](int i) {
             return "{\"step\": " + std::to_string(i) + ", \"train\": {\"loss\": " + varied(i, 12) +
                    ", \"grad_norm\": " + varied(i, 8) + "}, \"perf\": {\"tokens_per_second\": 9" +
                    varied(i, 4) + ", \"step_time_ms\": 8" + varied(i, 7) +
                    "}, \"memory\": {\"peak_allocated_gb\": 60.25}}\n";
         }));
}

void metrics_markdown(benchmark::State& state) {
    read(state, log_of(
                    [](int i) {
                        return "| " + std::to_string(i) + " | " + varied(i, 4) + " | " + varied(i, 3) +
                               " | 1.0e-04 | 9" + varied(i, 1) + " | 8" + varied(i, 2) + " | 60.25 |\n";
                    },
                    "| step | loss | grad norm | lr | tokens/s | step time (ms) | memory (GB) |\n"
                    "|---:|---:|---:|---:|---:|---:|---:|\n"));
}

void metrics_narrow_csv(benchmark::State& state) {
    read(state, log_of(
                    [](int i) {
                        return std::to_string(i) + "," + varied(i, 4) + ",0.8" + std::to_string(i % 1000) +
                               ",9" + varied(i, 1) + "\n";
                    },
                    "step,loss,step_time,tokens_per_s\n"));
}

void metrics_named_values(benchmark::State& state) {
    read(state, log_of([](int i) {
             std::string line = "step: " + std::to_string(i) + ", loss: " + varied(i, 4) +
                                ", grad_norm: " + varied(i, 3) + ", lr: 1.0e-04, tokens_per_second: 9" +
                                varied(i, 1) + ", step_time_ms: 8" + varied(i, 2) + ", memory_gb: 60.25";
             for (int layer = 0; layer < 20; ++layer) {
                 line += ", norm_layer_" + std::to_string(layer) + ": " + varied(i + layer, 5);
             }
             return line + "\n";
         }));
}

void metrics_narrow_tabs(benchmark::State& state) {
    read(state, log_of(
                    [](int i) {
                        return std::to_string(i) + "\t" + varied(i, 4) + "\t0.8" + std::to_string(i % 1000) +
                               "\t9" + varied(i, 1) + "\n";
                    },
                    "step\tloss\tstep_time\ttokens_per_s\n"));
}

void metrics_short_named_values(benchmark::State& state) {
    read(state, log_of([](int i) {
             return "step=" + std::to_string(i) + " loss=" + varied(i, 4) + " lr=1.0e-04 tokens_per_sec=9" +
                    varied(i, 1) + " step_time=0." + std::to_string(800 + i % 100) + "\n";
         }));
}

void trainer_log(benchmark::State& state) {
    read(state, log_of([](int i) {
             return "{'loss': " + varied(i, 4) + ", 'learning_rate': " + varied(i, 14) +
                    "e-05, 'epoch': " + varied(i, 2) + "}\n";
         }));
}

void trainer_json_lines(benchmark::State& state) {
    read(state, log_of([](int i) {
             return "{\"loss\": " + varied(i, 4) + ", \"grad_norm\": " + varied(i, 14) +
                    ", \"learning_rate\": " + varied(i, 14) + "e-05, \"epoch\": " + varied(i, 2) +
                    ", \"step\": " + std::to_string(i) + "}\n";
         }));
}

void trainer_bar(benchmark::State& state) {
    read(state, log_of([](int i) {
             const std::string n = std::to_string(i);
             const std::string bar =
                 "  7%|7         | " + n + "/5000000 [1:02:03<22:33:44, " + varied(i, 2) + "s/it]";
             return i % 10 != 0 ? bar + "\r"
                                : bar + "\n{'loss': " + varied(i, 4) + ", 'learning_rate': " + varied(i, 14) +
                                      "e-05, 'epoch': " + varied(i, 2) + "}\n";
         }));
}

void lightning_bar(benchmark::State& state) {
    read(state, log_of([](int i) {
             return "Epoch 0:   7%|7         | " + std::to_string(i) + "/5000000 [1:02:03<22:33:44, " +
                    varied(i, 2) + "it/s, v_num=3, train_loss=" + varied(i, 3) + "]" + (i % 50 ? "\r" : "\n");
         }));
}

void llama_factory_log(benchmark::State& state) {
    read(state, log_of([](int i) {
             return "{\"current_steps\": " + std::to_string(i) +
                    ", \"total_steps\": 5000000, \"loss\": " + varied(i, 4) + ", \"lr\": " + varied(i, 14) +
                    "e-05, \"epoch\": " + varied(i, 2) + ", \"percentage\": 7.1, \"elapsed_time\": \"" +
                    std::to_string(i / 360) + ":" + std::to_string(10 + i / 6 % 50) +
                    ":30\", \"remaining_time\": \"3:02:04\"}\n";
         }));
}

void composer_log(benchmark::State& state) {
    read(state, log_of([](int i) {
             const std::string n = std::to_string(i);
             return "[batch=" + n + "/5000000]:\n\t Train time/batch: " + n + "\n\t Train time/sample: " + n +
                    "\n\t Train loss/train/total: " + varied(i, 4) +
                    "\n\t Train throughput/batches_per_sec: 1." + varied(i, 4).substr(3) +
                    "\n\t Train throughput/device/tokens_per_sec: 9" + varied(i, 4) +
                    "\n\t Train memory/peak_allocated_mem: " + varied(i, 4) + "\n";
         }));
}

void nanogpt_log(benchmark::State& state) {
    read(state, log_of([](int i) {
             return "iter " + std::to_string(i) + ": loss " + varied(i, 4) + ", time " + varied(i, 2) +
                    "ms, mfu " + varied(i, 2) + "%\n";
         }));
}

void litgpt_log(benchmark::State& state) {
    read(state, log_of([](int i) {
             return "Epoch 1 | iter " + std::to_string(i) + " step " + std::to_string(i / 4) +
                    " | loss train: " + varied(i, 3) + ", val: n/a | iter time: " + varied(i, 2) + " ms" +
                    (i % 4 == 0 ? " (step)" : "") + "\n";
         }));
}

void maxtext_log(benchmark::State& state) {
    read(state, log_of([](int i) {
             return "completed step: " + std::to_string(i) + ", seconds: " + varied(i, 3) +
                    ", TFLOP/s/device: 2" + varied(i, 3) + ", Tokens/s/device: 30" + varied(i, 3) +
                    ", total_weights: 4096, loss: " + varied(i, 3) + "\n";
         }));
}

void deepspeed_log(benchmark::State& state) {
    read(state, log_of([](int i) {
             const std::string n = std::to_string(i);
             return "[2026-01-02 03:04:05,678] [INFO] [timer.py:260:stop] epoch=0/micro_step=" + n +
                    "/global_step=" + n + ", RunningAvgSamplesPerSec=" + varied(i, 15) +
                    ", CurrSamplesPerSec=" + varied(i, 15) +
                    ", MemAllocated=10.5GB, MaxMemAllocated=20.5GB\n";
         }));
}

BENCHMARK(megatron_log)->Unit(benchmark::kMillisecond);
BENCHMARK(torchtitan_log)->Unit(benchmark::kMillisecond);
BENCHMARK(warnings)->Unit(benchmark::kMillisecond);
BENCHMARK(metrics_csv)->Unit(benchmark::kMillisecond);
BENCHMARK(metrics_quoted_csv)->Unit(benchmark::kMillisecond);
BENCHMARK(metrics_tabs)->Unit(benchmark::kMillisecond);
BENCHMARK(metrics_json_lines)->Unit(benchmark::kMillisecond);
BENCHMARK(metrics_nested_json_lines)->Unit(benchmark::kMillisecond);
BENCHMARK(metrics_markdown)->Unit(benchmark::kMillisecond);
BENCHMARK(metrics_narrow_csv)->Unit(benchmark::kMillisecond);
BENCHMARK(metrics_named_values)->Unit(benchmark::kMillisecond);
BENCHMARK(metrics_narrow_tabs)->Unit(benchmark::kMillisecond);
BENCHMARK(metrics_short_named_values)->Unit(benchmark::kMillisecond);
BENCHMARK(trainer_log)->Unit(benchmark::kMillisecond);
BENCHMARK(trainer_json_lines)->Unit(benchmark::kMillisecond);
BENCHMARK(trainer_bar)->Unit(benchmark::kMillisecond);
BENCHMARK(lightning_bar)->Unit(benchmark::kMillisecond);
BENCHMARK(llama_factory_log)->Unit(benchmark::kMillisecond);
BENCHMARK(composer_log)->Unit(benchmark::kMillisecond);
BENCHMARK(nanogpt_log)->Unit(benchmark::kMillisecond);
BENCHMARK(litgpt_log)->Unit(benchmark::kMillisecond);
BENCHMARK(maxtext_log)->Unit(benchmark::kMillisecond);
BENCHMARK(deepspeed_log)->Unit(benchmark::kMillisecond);

}  // namespace
