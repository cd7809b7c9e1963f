// What people write for a job's values, and what they mean by it: 8xH100, bf16, adam, fsdp, 128K.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traincost/spec/run.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// "8192", "4k", "128K", "1M": tokens of a sequence, where K is 1024 and M is 1024 K.
std::int64_t sequence_length(const std::string& text);

/// Whether `text` counts in K or M.
bool counts_in_thousands(std::string_view text);

/// "8xH100", "8 x H100" and "H100:8" are 8 of H100; a name alone has no count.
struct CountedName {
    std::optional<std::int64_t> count;
    std::string name;
};
CountedName counted_name(const std::string& text);

/// A name of a stack that also says what is sharded: FSDP is stage 3, DDP stage 0; nothing for other names.
std::optional<std::int64_t> zero_meant_by(std::string_view stack_name);

/// "bf16", "fp16", "fp8" …: the recipe that `stack` trains or tunes in by that name; `text` itself where it
/// is no such name.
std::string precision_meant_by(const std::string& text, const StackSpec& stack, Tuning tuning);

/// "adam" is AdamW, which costs the same; `text` in lower case where it is no such name.
std::string optimizer_meant_by(const std::string& text);

}  // namespace traincost
