#include "traincost/report/commands/command_words.hpp"

#include <algorithm>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/report/commands/other_names.hpp"

namespace traincost {

namespace {

constexpr std::string_view to_ask = "Ask";
constexpr std::string_view to_search = "Search";
constexpr std::string_view to_look_up = "Look up";
constexpr std::string_view to_check = "Check against measurements";
constexpr std::string_view to_set_up = "Set up";

// clang-format off
constexpr CommandWords all_commands[] = {
    {"estimate", to_ask, "Memory, time and cost of one configuration",
     "traincost estimate --model llama-3.1-8b --gpu h100 --gpus 8 --zero 1 --seq 8192 --micro-batch 1 --global-batch 64 --tokens 100B\n"
     "traincost estimate --model ./config.json --gpu a100 --gpus 2 --seq 2048 --micro-batch 4 --global-batch 64 --lora-rank 16"},
    {"plan", to_ask, "Pre-training sheet: model size, memory by module and ZeRO stage, best strategies",
     "traincost plan --model llama-2-70b --gpu a100 --gpus 64 --seq 4096 --global-batch 512 --tokens 2T"},
    {"days", to_ask, "Training days, from model size and rate",
     "traincost days --params 7B --tokens 2T --gpus 256 --gpu a100\n"
     "traincost days --params 7B --tokens 2T --gpus 256 --gpu a100 --mfu 0.45"},
    {"guide", to_ask, "Questions that lead to an estimate, and the command that repeats it",
     "traincost guide --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64 --tokens none --layout recommended --dry-run"},
    {"explain", to_ask, "Derivation of a number: equation, symbols with values, sources",
     "traincost explain step.gemm --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --micro-batch 1 --global-batch 64"},
    {"timeline", to_ask, "Timeline of one step, stage by stage",
     "traincost timeline --model llama-2-13b --gpu a100 --gpus 16 --pp 4 --tp 2 --seq 4096 --micro-batch 1 --global-batch 32"},
    {"export", to_ask, "Job as input for another program",
     "traincost export sheet --output /tmp/job.xlsx --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --micro-batch 1 --global-batch 64", "format"},
    {"export bench", {}, "PyTorch script that measures the job and writes run records",
     "traincost export bench --model gpt2-124m --gpu h200 --gpus 1 --seq 1024 --micro-batch 32 --global-batch 32"},
    {"export launch", {}, "Launch files of another framework, and the command that starts them",
     "traincost export launch --to megatron --model llama-3.1-8b --gpu h100 --gpus 16 --tp 2 --seq 8192 --micro-batch 1 --global-batch 64"},
    {"export sheet", {}, "Spreadsheet (.xlsx) of one configuration, with live formulas",
     "traincost export sheet --output /tmp/job.xlsx --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --micro-batch 1 --global-batch 64"},
    {"compare", to_ask, "Comparison of jobs: values, differences, ratios to the first",
     "traincost compare first.json second.json"},
    {"scale", to_ask, "Compute-optimal model size and tokens for a budget",
     "traincost scale --gpu h100 --gpu-hours 100K --mfu 40%"},
    {"recommend", to_search, "Best configurations on one or more clusters, and why",
     "traincost recommend --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64\n"
     "traincost recommend --model llama-3.1-70b --clusters all --gpus 256 --seq 8192 --global-batch 1024 --tokens 1T --budget '$5M'"},
    {"sweep", to_search, "Table over every combination of flag values",
     "traincost sweep --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64 --micro-batch 1 --vary tp=1,2,4 --vary zero=0,1,2,3"},
    {"merge", to_search, "Merged answer of a sharded search or sweep",
     "traincost merge part-1.json part-2.json"},
    {"params", to_look_up, "Parameter count of a model by module, tensor and rank",
     "traincost params llama-3.1-8b --tensors"},
    {"list", to_look_up, "Models, accelerators, clusters, stacks and prices in the catalogue",
     "traincost list accelerators\n"
     "traincost list models --filter llama"},
    {"show", to_look_up, "One catalogue record with its sources",
     "traincost show h100-sxm5-80gb"},
    {"read", to_look_up, "Facts stated by launch files and training logs of other frameworks",
     "traincost read train.sh ds_config.json"},
    {"check", to_look_up, "Validation of record files, listing every problem",
     "traincost check my-cluster.json"},
    {"method", to_look_up, "Output of a published calculator, digit for digit",
     "traincost method chinchilla-grid --tflops 40 --utilization 0.25 --cards 1 --days 7", "method"},
    {"method fast-llm", {}, {}, "traincost method fast-llm --preset Llama2-7B"},
    {"method iiis", {}, {}, "traincost method iiis --gpu A100 --model LLAMA-7B --network 100 --minibatch 32 --microbatch 2 --tp 4 --pp 2 --dp 2 --tokens-m 100 --epochs 2"},
    {"method iiis-sheet", {}, {}, "traincost method iiis-sheet --gpu 3090 --model LLAMA-7B --compare"},
    {"method chinchilla-grid", {}, {}, "traincost method chinchilla-grid --tflops 40 --utilization 0.25 --cards 1 --days 7"},
    {"method lightning", {}, {}, "traincost method lightning --model gpt2 --tokens 1B --gpus 4 --peak 125 --utilization 0.25"},
    {"method llm-bench", {}, {}, "traincost method llm-bench --model gpt2-1.5b --gpu H100 --tokens-per-s 30000"},
    {"method flagperf", {}, {}, "traincost method flagperf --model gpt3-6.7b --gpu A100 --tokens-per-s 3000"},
    {"method six-nd", {}, {}, "traincost method six-nd --params 7B --tokens 2T --gpus 256 --peak 312 --mfu 0.45"},
    {"achieved", to_check, "Efficiency of a finished run, from its step time, throughput or log",
     "traincost achieved --model llama-3.1-8b --gpu h100 --gpus 8 --tp 2 --zero 1 --seq 8192 --global-batch 64 --step-time 8.1s"},
    {"loop", to_check, "The four commands that predict, measure, compare and calibrate a job",
     "traincost loop --model gpt2-124m --gpu h200 --gpus 1 --seq 1024 --micro-batch 32 --global-batch 32"},
    {"validate", to_check, "Prediction errors on measured runs",
     "traincost validate runs.jsonl"},
    {"calibrate", to_check, "Fit of stack constants to measured runs, or of kernel models to measured kernels",
     "traincost calibrate runs.jsonl"},
    {"serve", to_set_up, "The calculator in the browser, and the JSON interface",
     "traincost serve\n"
     "traincost serve --port 9000"},
    {"completion", to_set_up, "Completion script for bash, zsh or fish",
     "traincost completion bash\n"
     "traincost completion fish"},
    {"manual", to_set_up, "Manual page in roff, for man",
     "traincost manual"},
};
// clang-format on

}  // namespace

std::span<const CommandWords> command_words() {
    return all_commands;
}

std::vector<std::string> command_names(std::string_view of) {
    const std::string above = of.empty() ? std::string() : std::string(of) + " ";
    std::vector<std::string> names;
    for (const CommandWords& words : all_commands) {
        const bool below = words.name.starts_with(above);
        const std::string_view own = below ? words.name.substr(above.size()) : std::string_view();
        if (!own.empty() && own.find(' ') == own.npos) {
            names.emplace_back(own);
        }
    }
    return names;
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

void require_command(std::string_view name) {
    const std::vector<std::string> names = command_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        const std::string suggestion = did_you_mean(name, names);
        throw Error(ErrorKind::usage, "unknown command '" + std::string(name) + "'" +
                                          (suggestion.empty() ? "; commands: " + listed(names) : suggestion));
    }
}

std::string unplaced_text(const std::string& word, const std::string& command,
                          const std::vector<std::string>& options, const std::vector<std::string>& commands) {
    const bool option = word.starts_with('-');
    const std::string what = option             ? "unknown option"
                             : commands.empty() ? "unexpected argument"
                                                : "unknown command";
    const std::string text = what + " '" + word + "'" + (command.empty() ? "" : " of '" + command + "'");
    const std::string meant = option ? option_meant_by(word) : "";
    const bool exists =
        std::find(options.begin(), options.end(), meant.substr(0, meant.find(' '))) != options.end();
    const std::string suggestion = !meant.empty() && exists ? "; did you mean '" + meant + "'?"
                                                            : did_you_mean(word, option ? options : commands);
    if (suggestion.empty()) {
        return text + "; see 'traincost " + (command.empty() ? "" : command + " ") + "--help'";
    }
    return text + suggestion;
}

}  // namespace traincost
