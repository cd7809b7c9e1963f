#include <cli/commands.hpp>
#include <cli/commands/commands.hpp>

namespace traincost::cli {

// One row a command, in the order of the help.

namespace {

constexpr std::string_view ask = "Ask";
constexpr std::string_view search = "Search";
constexpr std::string_view look_up = "Look up";
constexpr std::string_view check = "Check against measurements";
constexpr std::string_view set_up = "Set up";

// clang-format off
constexpr Command table[] = {
    {"estimate", ask, add_estimate,
     "traincost estimate --model llama-3.1-8b --gpu h100 --gpus 8 --zero 1 --seq 8192 --micro-batch 1 --global-batch 64 --tokens 100B\n"
     "traincost estimate --model ./config.json --gpu a100 --gpus 2 --seq 2048 --micro-batch 4 --global-batch 64 --lora-rank 16"},
    {"plan", ask, add_plan,
     "traincost plan --model llama-2-70b --gpu a100 --gpus 64 --seq 4096 --global-batch 512 --tokens 2T"},
    {"days", ask, add_days,
     "traincost days --params 7B --tokens 2T --gpus 256 --gpu a100\n"
     "traincost days --params 7B --tokens 2T --gpus 256 --gpu a100 --mfu 0.45"},
    {"guide", ask, add_guide,
     "traincost guide --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64 --tokens none --layout recommended --dry-run"},
    {"explain", ask, add_explain,
     "traincost explain step.gemm --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --micro-batch 1 --global-batch 64"},
    {"timeline", ask, add_timeline,
     "traincost timeline --model llama-2-13b --gpu a100 --gpus 16 --pp 4 --tp 2 --seq 4096 --micro-batch 1 --global-batch 32"},
    {"export", ask, add_export,
     "traincost export sheet --output /tmp/job.xlsx --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --micro-batch 1 --global-batch 64"},
    {"compare", ask, add_compare,
     "traincost compare first.json second.json"},
    {"scale", ask, add_scale,
     "traincost scale --gpu h100 --gpu-hours 100K --mfu 40%"},
    {"recommend", search, add_recommend,
     "traincost recommend --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64\n"
     "traincost recommend --model llama-3.1-70b --clusters all --gpus 256 --seq 8192 --global-batch 1024 --tokens 1T --budget '$5M'"},
    {"sweep", search, add_sweep,
     "traincost sweep --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64 --micro-batch 1 --vary tp=1,2,4 --vary zero=0,1,2,3"},
    {"merge", search, add_merge,
     "traincost merge part-1.json part-2.json"},
    {"params", look_up, add_params,
     "traincost params llama-3.1-8b --tensors"},
    {"list", look_up, add_list,
     "traincost list accelerators\n"
     "traincost list models --filter llama"},
    {"show", look_up, add_show,
     "traincost show h100-sxm5-80gb"},
    {"read", look_up, add_read,
     "traincost read train.sh ds_config.json"},
    {"check", look_up, add_check,
     "traincost check my-cluster.json"},
    {"method", look_up, add_method,
     "traincost method chinchilla-grid --tflops 40 --utilization 0.25 --cards 1 --days 7"},
    {"achieved", check, add_achieved,
     "traincost achieved --model llama-3.1-8b --gpu h100 --gpus 8 --tp 2 --zero 1 --seq 8192 --global-batch 64 --step-time 8.1s"},
    {"loop", check, add_loop,
     "traincost loop --model gpt2-124m --gpu h200 --gpus 1 --seq 1024 --micro-batch 32 --global-batch 32"},
    {"validate", check, add_validate,
     "traincost validate runs.jsonl"},
    {"calibrate", check, add_calibrate,
     "traincost calibrate runs.jsonl"},
    {"serve", set_up, add_serve,
     "traincost serve\n"
     "traincost serve --port 9000"},
    {"completion", set_up, add_completion,
     "traincost completion bash\n"
     "traincost completion fish"},
    {"manual", set_up, add_manual,
     "traincost manual"},
};

struct Examples {
    std::string_view command;
    std::string_view lines;
};

// The commands of commands.
constexpr Examples nested_examples[] = {
    {"export sheet",
     "traincost export sheet --output /tmp/job.xlsx --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --micro-batch 1 --global-batch 64"},
    {"export launch",
     "traincost export launch --to megatron --model llama-3.1-8b --gpu h100 --gpus 16 --tp 2 --seq 8192 --micro-batch 1 --global-batch 64"},
    {"export bench",
     "traincost export bench --model gpt2-124m --gpu h200 --gpus 1 --seq 1024 --micro-batch 32 --global-batch 32"},
    {"method fast-llm", "traincost method fast-llm --preset Llama2-7B"},
    {"method iiis", "traincost method iiis --gpu A100 --model LLAMA-7B --network 100 --minibatch 32 --microbatch 2 --tp 4 --pp 2 --dp 2 --tokens-m 100 --epochs 2"},
    {"method iiis-sheet", "traincost method iiis-sheet --gpu 3090 --model LLAMA-7B --compare"},
    {"method chinchilla-grid", "traincost method chinchilla-grid --tflops 40 --utilization 0.25 --cards 1 --days 7"},
    {"method lightning", "traincost method lightning --model gpt2 --tokens 1B --gpus 4 --peak 125 --utilization 0.25"},
    {"method llm-bench", "traincost method llm-bench --model gpt2-1.5b --gpu H100 --tokens-per-s 30000"},
    {"method flagperf", "traincost method flagperf --model gpt3-6.7b --gpu A100 --tokens-per-s 3000"},
    {"method six-nd", "traincost method six-nd --params 7B --tokens 2T --gpus 256 --peak 312 --mfu 0.45"},
};
// clang-format on

}  // namespace

std::span<const Command> commands() {
    return table;
}

std::string_view examples_of(std::string_view command) {
    for (const Examples& examples : nested_examples) {
        if (examples.command == command) {
            return examples.lines;
        }
    }
    return {};
}

}  // namespace traincost::cli
