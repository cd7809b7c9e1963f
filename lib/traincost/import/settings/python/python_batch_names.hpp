// What programs of one's own call the steps that accumulate and a step's whole batch.
#pragma once

#include <array>
#include <string_view>

namespace traincost {

inline constexpr std::array<std::string_view, 16> step_names = {"gradient_accumulation_steps",
                                                                "grad_accum_steps",
                                                                "grad_accumulation_steps",
                                                                "accumulation_steps",
                                                                "gradient_accumulation_iters",
                                                                "grad_accum",
                                                                "accum_steps",
                                                                "gradient_accumulation",
                                                                "grad_acc_steps",
                                                                "grad_acc",
                                                                "accumulate_grad_batches",
                                                                "accumulation",
                                                                "gradient_accumulate_every",
                                                                "accumulate_steps",
                                                                "n_accum",
                                                                "ga_steps"};
inline constexpr std::array<std::string_view, 4> total_names = {"global_batch_size", "effective_batch_size",
                                                                "total_batch_size", "train_batch_size"};
inline constexpr std::array<std::string_view, 6> step_token_names = {
    "tokens_per_step",    "tokens_per_update",   "tokens_per_optimizer_step",
    "total_batch_tokens", "global_batch_tokens", "tokens_per_batch"};

}  // namespace traincost
