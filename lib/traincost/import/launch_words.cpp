#include "traincost/import/launch_words.hpp"

#include "traincost/base/name_letter.hpp"

#include <algorithm>
#include <cctype>

namespace traincost {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all) {
    return std::find(all.begin(), all.end(), word) != all.end();
}

bool is_override(std::string_view word) {
    while (!word.empty() && (word.front() == '+' || word.front() == '~')) {
        word.remove_prefix(1);
    }
    const std::size_t equals = word.find('=');
    if (equals == word.npos || equals == 0 ||
        (std::isalpha(static_cast<unsigned char>(word[0])) == 0 && word[0] != '_')) {
        return false;
    }
    const std::string_view key = word.substr(0, equals);
    return std::all_of(key.begin(), key.end(),
                       [](char c) { return is_name_letter(c) || c == '.' || c == '-' || c == '@'; });
}

bool is_flag(std::string_view word) {
    if (word.size() < 2 || word[0] != '-') {
        return false;
    }
    const std::string_view rest = word.substr(word.starts_with("--") ? 2 : 1);
    return !rest.empty() && (std::isalpha(static_cast<unsigned char>(rest[0])) != 0 || rest[0] == '_');
}

bool is_python(std::string_view base) {
    return base == "python" || base.starts_with("python3") || base.starts_with("python2");
}

bool is_framework_program(std::string_view base) {
    return is_one_of(
        base, {"litgpt", "tune", "axolotl", "llamafactory-cli", "llamafactory_cli", "composer", "fast-llm",
               "trl", "swift", "megatron", "flagscale", "primus-cli", "nemo", "xtuner", "colossalai"});
}

bool is_litgpt_task(std::string_view program, std::string_view word) {
    return program == "litgpt" || (program == "litgpt finetune" && is_one_of(word, {"lora", "full"}));
}

}  // namespace traincost
