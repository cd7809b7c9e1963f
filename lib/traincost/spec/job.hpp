#pragma once

#include <string>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/spec/cluster.hpp"
#include "traincost/spec/model.hpp"
#include "traincost/spec/run.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// Everything one estimate needs.
struct Job {
    ModelSpec model;
    ClusterSpec cluster;
    StackSpec stack;
    RunSpec run;
    bool operator==(const Job&) const = default;
};

/// The pipeline schedule in force: the run's, else interleaved over virtual stages, else the stack's default.
Schedule schedule_of(const Job& job);

/// Share of tensor-parallel traffic hidden under products: the run's word, else the stack's habit. Adapters
/// need whole gathered inputs beside the frozen layer, which has no weight gradient to hide traffic under: 0.
double hidden_tensor_share(const Job& job);

/// Whether a FlashAttention is asked for by its name: it takes no mask, so that none is made.
inline bool asks_for_flash(const RunSpec& run) {
    return run.attention_generation && *run.attention_generation != AttentionGeneration::memory_efficient;
}

/// Whether the run's operators are compiled: its word, else its stack's.
inline bool is_compiled(const RunSpec& run, const StackSpec& stack) {
    return run.compile.value_or(stack.layer.compile);
}

/// Whether rows or blocks of narrow operands have scales of their own, which kernels of the stack find
/// (`narrow.fine_quantise_bytes`).
bool scales_finely(const Job& job);

/// Memory of one accelerator that the job may use: what is usable less the run's headroom.
Bytes allowed_memory(const Job& job);
Bytes allowed_memory(const AcceleratorSpec& accelerator, const RunSpec& run);

/// Whether the blocks can be dealt to `chunks` = pp·vp parts: equal ones, or as the stack or the run allows.
bool deals_stages(const Job& job, std::int64_t chunks);

/// All problems of the job, each with path, value and what is allowed; empty when it can be estimated.
std::vector<Problem> validate(const Job& job);

}  // namespace traincost
