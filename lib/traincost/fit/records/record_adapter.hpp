// The adapters of a record's run, in a field of its own or in the words of its notes.
#pragma once

#include "traincost/fit/records/record.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

/// Rank, targets and dropout as stated: by `extra.lora_rank`, `extra.lora_targets` and `extra.lora_dropout`,
/// else by notes such as "LoRA of rank 16 on q, k, v and o" or "LoRA rank 32 on all linear layers". What
/// neither says stays as it is. Returns whether rank and targets are both stated.
bool set_stated_adapter(const RunRecord& record, AdapterSpec& adapter);

}  // namespace traincost
