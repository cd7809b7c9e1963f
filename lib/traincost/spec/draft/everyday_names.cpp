#include "traincost/spec/draft/everyday_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "traincost/base/text.hpp"
#include "traincost/spec/adapter_format.hpp"

namespace traincost {

bool counts_in_thousands(std::string_view text) {
    constexpr std::string_view letters = "kKmM";
    return !text.empty() && letters.find(text.back()) != letters.npos;
}

std::int64_t sequence_length(const std::string& text) {
    return parse_count(counts_in_thousands(text) ? text + "i" : text, Range::positive);
}

namespace {

std::string_view without_outer_blanks(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

CountedName counted_name(const std::string& text) {
    constexpr std::string_view digits = "0123456789";
    const std::string_view all = text;
    // "8xH100", "8 x H100", "8*H100".
    if (const auto end = all.find_first_not_of(digits); end != 0 && end != all.npos) {
        const std::string_view rest = without_outer_blanks(all.substr(end));
        const std::string_view name = without_outer_blanks(rest.empty() ? rest : rest.substr(1));
        if (!name.empty() && std::string_view("xX*").find(rest.front()) != rest.npos)
            return {parse_count(text.substr(0, end), Range::positive), std::string(name)};
    }
    // "H100:8", "H100 x8", "H100 x 8"; without a blank, as in "rtx4090", an x is the name's own.
    if (const auto last = all.find_last_not_of(digits); last != all.npos && last + 1 < all.size()) {
        const std::string_view before = without_outer_blanks(all.substr(0, last + 1));
        const std::string_view sign = before.empty() ? before : before.substr(before.size() - 1);
        const std::string_view name = without_outer_blanks(before.substr(0, before.size() - sign.size()));
        const bool parted = name.size() + sign.size() < before.size();
        if (!name.empty() && (sign == ":" || (parted && (sign == "x" || sign == "X"))))
            return {parse_count(text.substr(last + 1), Range::positive), std::string(name)};
    }
    return {std::nullopt, text};
}

std::optional<std::int64_t> zero_meant_by(std::string_view stack_name) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> names = {
        {{"fsdp", 3}, {"fsdp2", 3}, {"ddp", 0}}};
    const std::string name = lower(stack_name);
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == name; });
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

std::string precision_meant_by(const std::string& text, const StackSpec& stack, Tuning tuning) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 13> names = {
        {{"bf16", "bf16"},
         {"bfloat16", "bf16"},
         {"fp16", "fp16"},
         {"float16", "fp16"},
         {"half", "fp16"},
         {"fp8", "fp8-mixed"},
         {"float8", "fp8-mixed"},
         {"mxfp8", "mxfp8-mixed"},
         {"fp4", "fp4-mixed"},
         {"nvfp4", "fp4-mixed"},
         {"float32", "fp32"},
         {"single", "fp32"},
         {"nf4", "nf4-base"}}};
    std::string name = lower(text);
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == name; });
    if (found == names.end()) {
        return name;
    }
    std::string recipe(found->second);
    if (recipe == "bf16" || recipe == "fp16") {
        recipe += stores_weights_narrow(stack, tuning) ? "-mixed" : "-amp";
    }
    return recipe;
}

std::string optimizer_meant_by(const std::string& text) {
    const std::string name = lower(text);
    return name == "adam" ? "adamw" : name;
}

}  // namespace traincost
