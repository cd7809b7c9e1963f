#include "traincost/fit/record_stack.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/fit/record_words.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// Whether scaled_dot_product_attention ran FlashAttention-2 on every architecture: before torch 2.11, whose
/// cuDNN (9.15.1 and later) is the first that it prefers on Hopper and Blackwell (transformers pull request
/// 48163). A source that names no release is dated by its year.
bool before_cudnn_attention(const RunRecord& record) {
    constexpr std::string_view name = "torch ";
    const std::string_view version = record.run.stack_version;
    const std::size_t at = version.find(name);
    if (at != std::string_view::npos && says(version.substr(at, name.size() + 2), ".")) {
        constexpr std::int64_t first_major = 2;
        constexpr std::int64_t first_minor = 11;
        const std::int64_t major = number_after(version, name).value_or(first_major);
        const std::int64_t minor = number_after(version.substr(at), ".").value_or(first_minor);
        return major < first_major || (major == first_major && minor < first_minor);
    }
    constexpr std::int64_t last_year = 2025;
    return record.source_year.value_or(last_year + 1) <= last_year;
}

/// torchtitan's by its date: what it compiles changed with 2025 (0.0.2, of that April, did not compile the
/// loss yet), its loss and its attention kernel after it.
std::string_view torchtitan_name(const RunRecord& record) {
    const std::string_view version = record.run.stack_version;
    if (says(version, "2024") || record.source_year == 2024 || says(version, "torchtitan 0.0.2"))
        return "torchtitan-2024";
    return before_cudnn_attention(record) ? "torchtitan-2025" : "torchtitan";
}

bool blackwell(const AcceleratorSpec& accelerator) {
    return says_any(accelerator.id, {"b200", "b300"});
}

/// LLM Foundry's of 2023. Until that August its benchmark script set PURE mixed precision and an image of
/// torch 1.13.
std::string_view llm_foundry_name(const RunRecord& record, const AcceleratorSpec& accelerator) {
    if (record.extra_text("mp_mode") == "PURE")
        return "llm-foundry-2023";
    return accelerator.architecture.starts_with("Hopper") ? "llm-foundry-hopper-2023" : "llm-foundry";
}

/// The stack's record: Megatron-Bridge's recipes have ones of their own, by release, torchtitan's and
/// LLM Foundry's runs by year, and MaxText one on GPUs.
std::string_view stack_name(const RunRecord& record, const AcceleratorSpec& accelerator) {
    const RecordRun& run = record.run;
    if (run.stack == "maxtext" && !accelerator.id.starts_with("tpu"))
        return "maxtext-gpu";
    const bool transformers = says_any(run.stack_version, {"Transformers", "transformers", "HF"});
    if (transformers && (run.stack == "deepspeed" ||
                         (run.stack == "hf-transformers" && says(run.stack_version, "DeepSpeed"))))
        return "hf-deepspeed";
    if (says(run.stack_version, "DeepSpeed ZeRO-3"))
        return "deepspeed";  // the baseline beside a Megatron table
    if (run.stack == "hf-transformers" && says(record.extra_text("variant").value_or(""), "Liger"))
        return "liger";
    // Release 0.5's grouped kernels and captured layers are Blackwell's: Hopper's times did not change with
    // it.
    if (says(run.stack_version, "Megatron-Bridge")) {
        const bool hopper = accelerator.architecture.starts_with("Hopper");
        return says(run.stack_version, "Megatron-Bridge v0.5") && !hopper ? "megatron-bridge-0.5"
                                                                          : "megatron-bridge";
    }
    if (run.stack == "torchtitan")
        return torchtitan_name(record);
    if (run.stack == "mlperf" && accelerator.vendor == "AMD")
        return "mlperf-rocm";
    if (run.stack == "llm-foundry" && record.source_year == 2023)
        return llm_foundry_name(record, accelerator);
    return says(run.stack_version, "Unsloth") ? "unsloth" : std::string_view(run.stack);
}

/// The kernel generation that "flash2" or "FlashAttention-3" names; none where the record says only flash.
std::optional<AttentionGeneration> stated_generation(const RecordRun& run) {
    const std::string kernel = lower(run.attention_kernel);
    if (value_of<AttentionKernel>(spelt(kernel, '_', attention_spellings)) != AttentionKernel::flash)
        return std::nullopt;
    constexpr std::array<std::pair<char, AttentionGeneration>, 3> generations = {
        {{'2', AttentionGeneration::flash2},
         {'3', AttentionGeneration::flash3},
         {'4', AttentionGeneration::flash4}}};
    const auto found = std::find_if(generations.begin(), generations.end(),
                                    [&](const auto& g) { return kernel.ends_with(g.first); });
    return found == generations.end() ? std::nullopt : std::optional(found->second);
}

/// What a record says its run chose otherwise than its stack: `extra.choices`, an object of the stack's own
/// keys. A value that is not one of theirs is an `Error`.
void apply_choices(std::string_view choices, StackSpec& stack) {
    const auto text = [&](std::string_view key) {
        return value_after(choices, "\"" + std::string(key) + "\"");
    };
    const auto named = [&](std::string_view key, auto& field) {
        const std::string_view word = text(key);
        if (word.empty())
            return;
        const auto value = value_of<std::decay_t<decltype(field)>>(word);
        if (!value)
            throw Error(ErrorKind::input,
                        "extra.choices." + std::string(key) + ": '" + std::string(word) + "' is not known");
        field = *value;
    };
    named("loss", stack.loss);
    named("optimizer", stack.optimizer);
    if (!text("vocab_multiple").empty())
        stack.vocab_multiple = parse_count(std::string(text("vocab_multiple")), Range::positive);
    if (!text("gradient_passes").empty())
        stack.gradient_passes = parse_number(std::string(text("gradient_passes")), Range::not_negative);
    if (!text("cuda_graphs").empty())
        stack.cuda_graphs = text("cuda_graphs") == "true";
}

}  // namespace

StackSpec stack_of(const RunRecord& record, const AcceleratorSpec& accelerator,
                   const RecordCatalogue& catalogue) {
    const RecordRun& run = record.run;
    StackSpec stack = catalogue.stack(stack_name(record, accelerator));
    constexpr std::array<std::string_view, 7> dispatched = {
        "pytorch", "hf-transformers", "hf-deepspeed", "llama-factory", "unsloth", "litgpt", "torchtune"};
    // FlashAttention-2 is of July 2023; GPT-NeoX took it up at the end of that year.
    const std::int64_t flash2_year = stack.id == "flash-attn" ? 2023 : 2024;
    const bool engine = says(run.stack_version, "Transformer Engine");  // which calls cuDNN itself
    if (const auto generation = stated_generation(run)) {
        stack.attention_generation = *generation;
    } else if ((stack.id == "gpt-neox" || stack.id == "flash-attn") &&
               record.source_year.value_or(flash2_year) < flash2_year) {
        stack.attention_generation = AttentionGeneration::memory_efficient;  // as FlashAttention-1
    } else if (std::find(dispatched.begin(), dispatched.end(), stack.id) != dispatched.end() && !engine &&
               before_cudnn_attention(record)) {
        stack.attention_generation = AttentionGeneration::flash2;
    }
    // On Blackwell torchtitan ran cuDNN's kernel from May 2025 on (pull request 1209).
    if (stack.id == "torchtitan-2025" && blackwell(accelerator) && !stated_generation(run))
        stack.attention_generation = AttentionGeneration::flash4;
    // torchtune computed the loss on whole fp32 logits before its chunked loss: in 0.2, and below that step
    // of its ladder.
    const std::string ladder = record.extra_text("ladder").value_or("");
    if (stack.id == "torchtune" && (says(run.stack_version, "0.2") || says(ladder, "Baseline") ||
                                    says(ladder, "packed dataset") || ladder == "+ compile"))
        stack.loss = LossKernel::fp32_logits;
    apply_choices(record.extra_text("choices").value_or(""), stack);
    return stack;
}

}  // namespace traincost
