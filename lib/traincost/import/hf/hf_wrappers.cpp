#include "traincost/import/hf/hf_wrappers.hpp"

#include <algorithm>
#include <array>

namespace traincost {

namespace {

constexpr std::array wrappers = std::to_array<HfWrapper>({
    {"aria", "aria_text"},
    {"audioflamingo3", "qwen2"},
    {"aya_vision", "cohere2"},
    {"cohere2_vision", "cohere2"},
    {"deepseek_vl", "llama"},
    {"ernie4_5_vl_moe", "ernie4_5_vl_moe_text"},
    {"exaone4_5", "exaone4"},
    {"fast_vlm", "qwen2"},
    {"gemma3", "gemma3_text"},
    {"gemma3n", "gemma3n_text"},
    {"gemma4", "gemma4_text"},
    {"glm46v", "glm4v_text"},
    {"glm4v", "glm4v_text"},
    {"glm4v_moe", "glm4v_moe_text"},
    {"glm_ocr", "glm_ocr_text"},
    {"got_ocr2", "qwen2"},
    {"granite_speech", "granite"},
    {"idefics2", "mistral"},
    {"idefics3", "llama"},
    {"internvl", "qwen2"},
    {"internvl_chat", "qwen2", "llm_config"},
    {"janus", "llama"},
    {"kimi_k25", "deepseek_v3"},
    {"kimi_vl", "deepseek_v3"},
    {"lfm2_vl", "lfm2"},
    {"lighton_ocr", "qwen3"},
    {"llama4", "llama4_text"},
    {"llava", "llama"},
    {"llava_next", "llama"},
    {"llava_next_video", "llama"},
    {"llava_onevision", "qwen2"},
    {"mistral3", "mistral"},
    {"mllama", "mllama_text_model"},
    {"musicflamingo", "qwen2"},
    {"ovis2", "qwen2"},
    {"paddleocr_vl", "paddleocr_vl_text"},
    {"paligemma", "gemma"},
    {"qwen2_5_omni", "qwen2_5_omni_text", "thinker_config.text_config"},
    {"qwen2_5_omni_thinker", "qwen2_5_omni_text"},
    {"qwen2_5_vl", "qwen2_5_vl_text"},
    {"qwen2_audio", "qwen2"},
    {"qwen2_vl", "qwen2_vl_text"},
    {"qwen3_5", "qwen3_5_text"},
    {"qwen3_5_moe", "qwen3_5_moe_text"},
    {"qwen3_asr", "qwen3"},
    {"qwen3_omni_moe", "qwen3_omni_moe_text", "thinker_config.text_config"},
    {"qwen3_omni_moe_thinker", "qwen3_omni_moe_text"},
    {"qwen3_vl", "qwen3_vl_text"},
    {"qwen3_vl_moe", "qwen3_vl_moe_text"},
    {"smolvlm", "llama"},
    {"step3p7", "step3p5"},
    {"video_llama_3", "qwen2"},
    {"video_llava", "llama"},
    {"vipllava", "llama"},
    {"voxtral", "llama"},
});

}  // namespace

std::span<const HfWrapper> hf_wrappers() {
    return wrappers;
}

const HfWrapper* find_hf_wrapper(std::string_view type) {
    const auto found = std::find_if(wrappers.begin(), wrappers.end(),
                                    [&](const HfWrapper& wrapper) { return wrapper.type == type; });
    return found == wrappers.end() ? nullptr : &*found;
}

const JsonValue* hf_nested(const JsonValue& root, std::string_view path, const JsonValue*& holder) {
    const std::size_t dot = path.find('.');
    const JsonValue* found = root.find(path.substr(0, dot));
    if (found == nullptr || dot == std::string_view::npos)
        return found;
    if (found->object() == nullptr)
        return nullptr;
    holder = found;
    return hf_nested(*found, path.substr(dot + 1), holder);
}

}  // namespace traincost
