#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/blocks.hpp"
#include "traincost/cost/stages.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// Named parts of one rank's memory at the peak of its step. Every total is their sum.
enum class MemoryTerm : std::uint8_t {
    weights,         ///< the copy the forward pass reads, sharded as ZeRO-3 does
    master_weights,  ///< fp32 weights of mixed precision
    gradients,       ///< alive at the peak
    optimizer_states,
    adapters,               ///< weights, gradients and states of LoRA pairs
    saved_activations,      ///< kept for backward by micro-batches in flight
    block_inputs,           ///< inputs of blocks that are recomputed
    cast_weights,           ///< 16-bit copies cached by autocast
    gathered_weights,       ///< ZeRO-3 blocks gathered and prefetched
    gradient_staging,       ///< buckets and unsharded gradients under reduction
    working_set,            ///< tensors of the operator that runs at the peak
    pipeline_buffers,       ///< activations received and sent
    optimizer_temporaries,  ///< only when the peak is in the optimizer step
    workspace,              ///< matrix libraries
    fragmentation,          ///< reserved by the allocator, not allocated
    context,                ///< driver, kernels, libraries
    communicators,          ///< collective library buffers
};
inline constexpr int memory_term_count = 17;
std::string_view to_string(MemoryTerm term);

/// Where in the step the peak lies.
enum class Moment : std::uint8_t { forward, loss, backward, optimizer };
std::string_view to_string(Moment moment);

/// One pipeline stage's peak.
struct StageMemory {
    std::array<Bytes, memory_term_count> terms{};
    Bytes allocated;   ///< terms up to and including workspace
    Bytes reserved;    ///< allocated + fragmentation
    Bytes device;      ///< reserved + context + communicators: what nvidia-smi shows
    Bytes host;        ///< offloaded to host memory, per rank
    Bytes storage;     ///< offloaded to NVMe, per rank
    Bytes returnable;  ///< of `reserved`, gaps that the allocator gives back before it fails
    Bytes refused;     ///< what the allocator would reserve besides if the device had room for it
    Moment moment;
    std::int64_t block;  ///< block that runs at the peak (-1: embedding, head or optimizer)
    double micro_batches_in_flight;

    Bytes operator[](MemoryTerm term) const {
        return terms[static_cast<std::size_t>(term)];
    }
};

/// Micro-batches whose activations chunk-weighted stage `stage` holds at its peak, in units of the whole
/// stage: GPipe m; 1F1B min(m, pp - stage); interleaved (2(pp - stage - 1) + (vp - 1) pp + 1)/vp
/// [Narayanan21]; zero-bubble as 1F1B [Qi23, H1]; DualPipe pp + 1 halves [DeepSeekV3, Table 2].
double micro_batches_in_flight(Schedule schedule, std::int64_t pp, std::int64_t vp, std::int64_t stage,
                               std::int64_t micro_batches);

/// The same in blocks over the stage's blocks where chunks differ in size: an interleaved stage holds pp
/// micro-batches of each chunk at its peak, and what is more than that of its first.
double micro_batches_in_flight(const Job& job, std::int64_t stage);

/// Peak memory of pipeline stage `stage`.
StageMemory stage_memory(const Job& job, const Shape& shape, const BlockTable& table,
                         const StageClasses& stages, std::int64_t stage);

/// What is alive beside a stage's states at one moment of the walk.
struct WalkMoment {
    Moment moment;
    double done;      ///< share of the backward pass that is over
    Bytes alive;      ///< all that comes and goes, gradients apart
    Bytes gradients;  ///< alive then
};

/// A stage's liveness walk, moment by moment: the backward pass of the micro-batch that finds most in flight,
/// then what is left for the optimizer.
struct MemoryWalk {
    Bytes states;           ///< device memory that stays: states, buffers, gaps, context
    Bytes kept;             ///< what every further micro-batch in flight keeps
    double in_flight;       ///< micro-batches at the peak, the walked one included
    Bytes gradients;        ///< of all parameters
    bool gradients_appear;  ///< in the first backward pass of a step; else they are there throughout
    std::vector<WalkMoment> backward;
    std::vector<WalkMoment> after;  ///< no micro-batch in flight
};

/// The walk whose highest moment is the peak of `stage_memory`.
MemoryWalk memory_walk(const Job& job, const Shape& shape, const BlockTable& table,
                       const StageClasses& stages, std::int64_t stage);

/// Which totals of a stage's memory.
enum class MemoryView : std::uint8_t { allocated, reserved, device };

/// The totals of the stage that takes most of the device.
struct PeakMemory {
    Bytes allocated;
    Bytes reserved;
    Bytes device;
    Bytes returnable;  ///< of `reserved`

    Bytes operator[](MemoryView view) const {
        return view == MemoryView::allocated ? allocated : view == MemoryView::reserved ? reserved : device;
    }
};

/// What measured runs of a stack need beyond predictions: `times` the view they state.
struct MemoryMargin {
    MemoryView view = MemoryView::device;
    double times = 1.0;
    bool operator==(const MemoryMargin&) const = default;

    Bytes needed(const PeakMemory& predicted) const {
        const Bytes back = predicted.returnable;
        const Bytes stated = view == MemoryView::allocated ? predicted.allocated : predicted[view] - back;
        return predicted.device - back + stated * (times - 1.0);
    }
};

/// The fullest stage of all, each class of stages alike but for micro-batches in flight: its first, and its
/// first with fewer than the step has (older gradients are there). No more are looked at once one needs more
/// than `enough`.
PeakMemory peak_memory(const Job& job, const Shape& shape, const BlockTable& table,
                       const StageClasses& stages,
                       Bytes enough = Bytes{std::numeric_limits<double>::infinity()});

/// Highest device memory of all stages: of each class, alike but for micro-batches in flight, that of the
/// first and of the first with fewer than the step has (older gradients are there). Where one needs more
/// than `enough` the others are left out: the answer is then only known to be above it.
Bytes peak_device_memory(const Job& job, const Shape& shape, const BlockTable& table,
                         const StageClasses& stages,
                         Bytes enough = Bytes{std::numeric_limits<double>::infinity()});

/// A lower bound of `peak_device_memory` for every schedule and recompute choice: model states, all gradients
/// at the end of the backward pass, and what lies outside the allocator's pool. docs/bounds.md has the proof.
Bytes device_memory_floor(const Job& job, const Shape& shape, const BlockTable& table,
                          const StageClasses& stages);

/// Bytes a trainable parameter's optimizer states take under `optimizer`, unsharded.
Bytes optimizer_state_bytes(Optimizer optimizer, const Precision& precision);

/// Ranks that share the model states of dense and of expert parameters.
struct StateShards {
    double dense;   ///< dp·cp, or the hybrid shard group
    double expert;  ///< dp·cp·tp/(ep·etp)
};
StateShards state_shards(const Job& job);

}  // namespace traincost
