// How a source counts the FLOPs behind the TFLOP/s it prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/flops.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// The count of forward and backward, before anything recomputed.
enum class FlopCount : std::uint8_t {
    exact,        ///< matrix products and attention over visible keys
    exact_full,   ///< matrix products and attention over all keys
    megatron,     ///< 72 B s L h² (1 + s/6h + V/12hL) [Narayanan21, Eq. 3]
    six_nd,       ///< 6 N D, N all (active) parameters
    six_nd_full,  ///< 6 N D and full attention, 12 L H Q T a token; N all (active) parameters
    palm,         ///< as six_nd_full, N without the input embedding
};

/// Whether the forward pass that is run again counts.
enum class RecomputeCount : std::uint8_t {
    never,   ///< model FLOPs
    always,  ///< a full second forward pass counts, as the source says
    as_run,  ///< counts where the run recomputes everything
};

struct FlopDefinition {
    FlopCount count;
    RecomputeCount recompute;
    bool operator==(const FlopDefinition&) const = default;
};

/// The definition that the words of a run record's `flops_definition` name; nothing where they name none
/// ("none printed", or words that are not understood).
std::optional<FlopDefinition> flop_definition_from(std::string_view words);

/// FLOPs of one step of `job` over the whole cluster, counted so. A recomputed pass adds a third of the model
/// FLOPs; Megatron's formula does not run the head again: 96 B s L h² (1 + s/6h + V/16hL) [Narayanan21, Eq.
/// 3].
Flops defined_flops(const Job& job, const FlopDefinition& definition);

}  // namespace traincost
