// What a name that a program gives to one of its settings means by its parts: "per_device_batch" counts the
// rows of a device, "grad_acc" steps that accumulate. Names are written in many orders; their parts are few.
#pragma once

#include <string_view>

namespace traincost {

/// The sequences that a device takes at once: "per_device_batch", "micro_bsz", "train_bs_per_gpu".
bool means_device_batch(std::string_view name);

/// The same in tokens: "rank_microbatch_size_tokens".
bool means_device_tokens(std::string_view name);

/// The micro-steps of an optimizer's step: "accumulate", "grad_acc_steps".
bool means_accumulation(std::string_view name);

/// The sequences of an optimizer's step, all devices together: "global_bs", "effective_batch".
bool means_whole_batch(std::string_view name);

/// The same in tokens: "global_batch_size_tokens".
bool means_step_tokens(std::string_view name);

/// The tokens of a sequence: "max_seqlen", "context_len", "ctx_size".
bool means_length(std::string_view name);

/// The name or the path of the model that is trained: "model_key", "base_model_path".
bool means_model(std::string_view name);

/// In how many parts a tensor is cut: "tensor_parallel", "tp_degree", "mp_size".
bool means_tensor_parts(std::string_view name);

/// The stages of a pipeline: "pipeline_parallel", "pp_degree".
bool means_stages(std::string_view name);

/// In how many parts a sequence is cut: "context_parallel", "ulysses_degree".
bool means_sequence_parts(std::string_view name);

/// Whether activations are computed again: "use_activation_checkpointing", "remat".
bool means_recomputing(std::string_view name);

/// What computes attention: "attn_impl", "attention_backend".
bool means_attention(std::string_view name);

/// Whether adapters are trained: "is_peft", "enable_lora".
bool means_adapters(std::string_view name);

}  // namespace traincost
