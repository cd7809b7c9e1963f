#include "traincost/import/launch_fact.hpp"

#include <array>

#include "traincost/base/text.hpp"

namespace traincost {

std::string_view fact_name(Fact fact) {
    static constexpr std::array<std::string_view, fact_count> names = {"model",
                                                                       "sequence",
                                                                       "micro_batch",
                                                                       "global_batch",
                                                                       "accumulation",
                                                                       "tp",
                                                                       "pp",
                                                                       "vp",
                                                                       "cp",
                                                                       "ep",
                                                                       "dp",
                                                                       "gpus",
                                                                       "gpus_per_node",
                                                                       "nodes",
                                                                       "zero",
                                                                       "sequence_parallel",
                                                                       "recompute",
                                                                       "precision",
                                                                       "optimizer",
                                                                       "offload",
                                                                       "lora_rank",
                                                                       "lora_targets",
                                                                       "lora_dropout",
                                                                       "quantization",
                                                                       "attention",
                                                                       "compile",
                                                                       "dropout",
                                                                       "fp8_scaling",
                                                                       "recompute_modules",
                                                                       "recompute_layers",
                                                                       "packing",
                                                                       "tp_overlap"};
    return names.at(static_cast<std::size_t>(fact));
}

std::string_view how_name(How how) {
    switch (how) {
        case How::stated:
            return "stated";
        case How::by_default:
            return "default";
        case How::derived:
            break;
    }
    return "derived";
}

std::string to_text(const FactValue& value) {
    if (const auto* truth = std::get_if<bool>(&value)) {
        return *truth ? "true" : "false";
    }
    if (const auto* count = std::get_if<std::int64_t>(&value)) {
        return std::to_string(*count);
    }
    if (const auto* number = std::get_if<double>(&value)) {
        return to_exact(*number);
    }
    if (const auto* word = std::get_if<std::string>(&value)) {
        return *word;
    }
    std::string text;
    for (const auto& [name, count] : std::get<ModelDimensions>(value)) {
        text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
    }
    return text;
}

}  // namespace traincost
