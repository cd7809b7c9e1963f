#pragma once

#include "traincost/base/quantity.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// Conventions in which the FLOPs of a step are quoted.
enum class FlopConvention : std::uint8_t {
    exact,       ///< the inventory: every matrix product, attention over visible keys only
    exact_full,  ///< the inventory with attention over all keys, causal or not
    palm,        ///< (6N + 12 L H Q T) a token, N without the input embedding [Chowdhery22, App. B]
    megatron,    ///< 72 B s L h² (1 + s/6h + V/12hL): full attention, classic shapes [Narayanan21, Eq. 3 at
                 ///< factor 3 of 4]
    six_nd,      ///< 6 N D, N all parameters, the active ones of a mixture [Kaplan20, §2.1]
};

/// FLOPs of one step's forward and backward passes over the whole cluster, nothing recomputed.
Flops model_flops(const Job& job, FlopConvention convention);

/// FLOPs of one step by the exact inventory.
struct StepFlops {
    Flops model;       ///< forward and backward: `model_flops` in the exact convention
    Flops recomputed;  ///< forward work run again
};
StepFlops step_flops(const Job& job);

/// `model_flops` of the exact inventory plus what the run recomputes.
Flops hardware_flops(const Job& job);

}  // namespace traincost
