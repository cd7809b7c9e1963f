#pragma once

#include <cstdint>
#include <span>

#include "traincost/base/quantity.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

/// Times of one micro-batch on one pipeline stage, all its chunks together; `count` stages are alike.
struct StageTime {
    Seconds forward;
    Seconds backward;  ///< recompute, input and weight gradients
    Seconds weight;    ///< of `backward`, the weight gradients (what zero-bubble schedules move)
    double count = 1.0;
};

/// The pipelined part of a step.
struct PipelineTime {
    Seconds total;
    Seconds busy;          ///< the slowest stage's own work: m · (forward + backward)
    Seconds bubble;        ///< its waits for other stages
    Seconds transfer;      ///< and for transfers: total - busy - bubble
    std::int64_t slowest;  ///< index of the first slowest
};

/// Closed form over unequal stages, m micro-batches, vp chunks a stage; `send` is one exposed stage-to-stage
/// transfer.
///   1F1B, GPipe  T = Σ_s (f_s + b_s) + (m - 1) max_s (f_s + b_s)                       [Narayanan21, §2.2]
///   interleaved  T = m max_s (f_s + b_s) + Σ_{s ≠ slowest} (f_s + b_s) / vp            [Narayanan21, §2.2]
///   zero-bubble  T = m max_s (f_s + b_s) + (p - 1)(f + b - 2w)                         [Qi23, Table 2: H1]
///   DualPipe     T = m max_s (f_s + b_s) + (p/2 - 1)(f + b + (b - w) - 3w)             [DeepSeekV3, Table 2]
/// Each micro-batch boundary adds exposed sends. pp = 1 is the plain sum.
PipelineTime pipeline_time(Schedule schedule, std::span<const StageTime> stages, std::int64_t vp,
                           std::int64_t micro_batches, Seconds send);

}  // namespace traincost
