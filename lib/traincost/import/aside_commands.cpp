#include "traincost/import/aside_commands.hpp"

#include <algorithm>
#include <iterator>

namespace traincost {

namespace {

constexpr std::string_view asides[] = {
    // clang-format off
    "train_compile", "mid_train", "chat_sft", "chat_rl", "_eval", "tune run quantize",
    "tune run generate", "vllm-serve", "vllm_serve", "swift export", "swift infer", "swift deploy",
    "swift eval", "swift rollout", "eval.py", "evaluate.py", "litgpt download", "litgpt convert", "litgpt evaluate",
    "litgpt merge", "litgpt generate", "litgpt chat", "litgpt serve", "axolotl preprocess",
    "axolotl merge", "axolotl inference", "llamafactory-cli export", "llamafactory-cli chat",
    "llamafactory-cli api",
    // clang-format on
};

}  // namespace

bool is_aside(const Setting& command) {
    const Setting* started = command.peek("$starts");  // by a launcher
    const Setting* program = started != nullptr ? started : command.peek("$program");
    return program != nullptr &&
           std::any_of(std::begin(asides), std::end(asides),
                       [&](std::string_view word) { return program->text.find(word) != std::string::npos; });
}

std::vector<const Setting*> training_commands(const std::vector<Setting>& commands) {
    std::vector<const Setting*> jobs;
    for (const bool aside : {false, true}) {
        for (const Setting& command : commands) {
            if (is_aside(command) == aside) {
                jobs.push_back(&command);
            }
        }
        if (!jobs.empty()) {
            break;
        }
    }
    return jobs;
}

}  // namespace traincost
