// What records say in words of their own: look-ups in free text, and other spellings of our names.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace traincost {

bool says(std::string_view text, std::string_view words);
bool says_any(std::string_view text, std::initializer_list<std::string_view> words);

/// The first whole number in the words after `words`.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view words);

/// N of "every N blocks" or layers, 2 of every second or other one; 1 where nothing like it is said.
std::int64_t every_in(std::string_view text);

/// The share a text is: 0.05; nothing of null, words or numbers outside [0, 1).
std::optional<double> fraction_in(std::string_view text);

/// The word or number after a key of a JSON text: "True" after `FP8` of {"FP8":"True"}.
std::string_view value_after(std::string_view text, std::string_view key);

using Spellings = std::span<const std::pair<std::string_view, std::string_view>>;

/// A word of a record as our names are spelt: lower case, `joint` between its parts, and a known other
/// spelling as the name it stands for.
std::string spelt(std::string_view word, char joint, Spellings others);

inline constexpr std::array<std::pair<std::string_view, std::string_view>, 13> optimizer_spellings = {{
    {"adam", "adamw"},
    {"fused_adam", "adamw"},
    {"fusedadam", "adamw"},
    {"fused_adamw", "adamw"},
    {"adamw_fused", "adamw"},
    {"adamw_torch", "adamw"},
    {"adamw_torch_fused", "adamw"},
    {"distributed_adam", "adamw"},
    {"distributed_fused_adam", "adamw"},
    {"adamw_8bit", "adam8bit"},
    {"adamw8bit", "adam8bit"},
    {"paged_adamw_32bit", "paged_adamw"},
    {"paged_adamw_8bit", "paged_adam8bit"},
}};

// PyTorch's scaled_dot_product_attention picks a flash kernel for the 16-bit formats that training runs in.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 21> attention_spellings = {{
    {"flash2", "flash"},
    {"flash3", "flash"},
    {"flash4", "flash"},
    {"flashattention", "flash"},
    {"flashattention_2", "flash"},
    {"flashattention_3", "flash"},
    {"flash_attention", "flash"},
    {"flash_attention_2", "flash"},
    {"flash_attention_3", "flash"},
    {"flash_attn", "flash"},
    {"fa2", "flash"},
    {"fa3", "flash"},
    {"splash", "flash"},
    {"cudnn", "flash"},
    {"sdpa", "flash"},
    {"memory_efficient", "flash"},
    {"flash_pallas", "flash"},
    {"flash_aiter", "flash"},
    {"eager", "math"},
    {"naive", "math"},
    {"unfused", "math"},
}};

inline constexpr std::array<std::pair<std::string_view, std::string_view>, 3> recompute_spellings = {{
    {"selective_activation_checkpointing", "selective"},
    {"full_activation_checkpointing", "full"},
    {"no", "none"},
}};

}  // namespace traincost
