// What a person hands in: a configuration of a model, a launch script of 2,000 lines.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "traincost/import/hf/hf_config.hpp"
#include "traincost/import/importers.hpp"

using namespace traincost;

namespace {

/// A hybrid of 61 layers, each listed.
std::string listed_layers() {
    std::string types;
    for (int i = 0; i < 61; ++i) {
        types +=
            std::string(i == 0 ? "" : ", ") + (i % 4 == 3 ? "\"full_attention\"" : "\"linear_attention\"");
    }
    return R"({"model_type": "qwen3_next", "hidden_size": 2048, "num_hidden_layers": 61, "vocab_size": 151936,
               "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256, "num_experts": 512,
               "num_experts_per_tok": 10, "moe_intermediate_size": 512, "layer_types": [)" +
           types + "]}";
}

void import_config(benchmark::State& state) {
    const std::string text = listed_layers();
    for (auto _ : state) {
        benchmark::DoNotOptimize(read_hf_config(parse_json(text, "config.json")));
    }
}
BENCHMARK(import_config)->Unit(benchmark::kMicrosecond);

/// Variables, arrays, branches and functions, over and over, and one command at the end.
std::string long_script() {
    std::string text = "#!/bin/bash\nARGS=()\n";
    for (int i = 0; i < 199; ++i) {
        const std::string n = std::to_string(i);
        text += "SIZE_" + n + "=${SIZE_" + n + ":-" + n + "}\n# a word on it\nif [ \"$SIZE_" + n +
                "\" -gt 100 ]; then\n  BIG=$((SIZE_" + n + " * 2))\nelse\n  BIG=" + n +
                "\nfi\nARGS+=(--option-" + n + " \"${BIG}\")\nexport NAME_" + n + "=\"run-${BIG}\"\n\n";
    }
    text +=
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 \\\n"
        "  --num-attention-heads 32 --seq-length 4096 --micro-batch-size 1 \\\n"
        "  --global-batch-size 256 --bf16 \\\n  \"${ARGS[@]}\"\n";
    return text;
}

void import_script(benchmark::State& state) {
    const std::vector<LaunchFile> files = {{"train.sh", long_script()}};
    for (auto _ : state) {
        benchmark::DoNotOptimize(read_launch_files(files));
    }
}
BENCHMARK(import_script)->Unit(benchmark::kMillisecond);

}  // namespace
