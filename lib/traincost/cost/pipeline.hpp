// How long a pipeline's stages take together: a closed form for searches. What it stands for, event by event,
// is cost/pipeline_simulation; a test holds the two together.
#pragma once

#include <cstdint>
#include <span>

#include "traincost/base/quantity.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

/// Times of one micro-batch on one pipeline stage, all its chunks together.
struct StageTime {
    Seconds forward;
    Seconds backward;  ///< recompute, input and weight gradients
    Seconds weight;    ///< of `backward`, the weight gradients (what zero-bubble schedules move)
    Seconds
        end_forward;  ///< of `forward`, the embedding (first stage) or the head (last stage): in one chunk
    Seconds end_backward;  ///< of `backward`, likewise
};

/// One stage-to-stage transfer.
struct StageTransfer {
    Seconds time;
    bool overlapped = false;  ///< under the stages' work, as a delay; else the receiving stage waits for it
};

/// The pipelined part of a step: busy + bubble + transfer.
struct PipelineTime {
    Seconds total;
    Seconds busy;          ///< the slowest stage's own work: m · (forward + backward)
    Seconds bubble;        ///< its waits for other stages
    Seconds transfer;      ///< what transfers add
    std::int64_t slowest;  ///< index of its stage; under DualPipe of the earlier of its two stages
};

/// The stages of a pipeline: stage s takes classes[class_of[s]].
struct PipelineStagesView {
    std::span<const StageTime> classes;
    std::span<const std::int32_t> class_of;

    const StageTime& operator[](std::size_t stage) const {
        return classes[static_cast<std::size_t>(class_of[stage])];
    }
    std::size_t size() const {
        return class_of.size();
    }
};

/// Closed form over unequal stages of work w_s = f_s + b_s, m micro-batches, vp chunks a stage.
///
///   GPipe        Σ f + (m-1) max f + Σ b + (m-1) max b                       [Huang19, §2.3]
///   1F1B         the longest path through its tasks: Σ w, and m - 1 micro-batches passed on in loops over
///                stages u … t, each of which takes Σ_{u..t} w for t - u + 1 of them
///   interleaved  m w_last + Σ_{s ≠ last} c_s + pp · embedding, with equal chunks of c_s = w_s / vp
///   zero-bubble  m w + (pp-1) max(f, b-w', f+b-2w'), w' weight gradients     [Qi23, Table 2]
///   DualPipe     m w + (pp/2-1) (2f+b-2w')                                   [DeepSeekV3, Table 2: b = 2f]
///
/// For nearly equal stages 1F1B is m max w + Σ_{s ≠ slowest} w [Narayanan21, §2.2]. Where a form does not
/// hold (unequal chunks, zero-bubble and DualPipe over unequal stages) the schedule is played over its first
/// micro-batches, and the rest passes at the pace of the slowest stage. pp = 1 is the plain sum.
PipelineTime pipeline_time(Schedule schedule, const PipelineStagesView& stages, std::int64_t vp,
                           std::int64_t micro_batches, const StageTransfer& transfer);

}  // namespace traincost
