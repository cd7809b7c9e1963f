// A pipelined step played event by event, in the order each schedule fixes for each stage: what the closed
// form of cost/pipeline is held against, and what a timeline shows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/pipeline.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

/// Times of one micro-batch on one chunk of blocks. Chunk c runs on stage c mod pp; under DualPipe on stage c
/// for micro-batches of the first half, on stage pp - 1 - c for those of the second.
struct ChunkTime {
    Seconds forward;
    Seconds backward;  ///< recompute, input and weight gradients
    Seconds weight;    ///< of `backward`, the weight gradients
};

/// The chunks of stages: a stage's time in equal parts, the embedding in the first chunk, the head in the
/// last.
std::vector<ChunkTime> chunk_times(const PipelineStagesView& stages, std::int64_t vp);

/// What a stage does: a forward pass, a backward pass (whole, or input gradients alone), or the weight
/// gradients that a zero-bubble schedule has put off.
enum class PipelineTask : std::uint8_t { forward, backward, input_gradient, weight_gradient };

/// One task in time.
struct PipelineEvent {
    std::int64_t stage;
    PipelineTask task;
    std::int64_t chunk;
    std::int64_t micro_batch;
    Seconds begin;  ///< of work or of the wait for its transfer
    Seconds end;
};

/// A pipeline to play.
struct Pipeline {
    Schedule schedule;
    std::span<const ChunkTime> chunks;  ///< pp · vp; DualPipe: pp
    std::int64_t stages;
    std::int64_t micro_batches;
    StageTransfer transfer;
};

/// What a played pipeline takes: from the first forward to the last backward.
struct PipelineRun {
    Seconds total;
    std::vector<Seconds> busy;  ///< by stage, transfers that it waits for included; the rest of total is idle
    std::vector<PipelineEvent> events;  ///< by stage, in the order it runs them
};

/// Whether the schedule is defined for so many stages, chunks and micro-batches: interleaved alone has more
/// than one chunk a stage; DualPipe needs even stages and an even number of micro-batches, at least two a
/// stage.
bool can_play(Schedule schedule, std::int64_t stages, std::int64_t vp, std::int64_t micro_batches);

/// Plays the pipeline. GPipe [Huang19]; 1F1B and interleaved 1F1B, micro-batches through the chunks in groups
/// of pp [Narayanan21, §2.2]; ZB-H1, stage s putting off weight gradients by s micro-batches [Qi23, §2.1];
/// DualPipe, from both ends, pairs of a forward and a backward pass as one task [DeepSeekV3, §3.2.1]. `Error`
/// of kind input where `can_play` is false.
PipelineRun play(const Pipeline& pipeline);

/// `play(pipeline).total` without the events.
Seconds played_time(const Pipeline& pipeline);

}  // namespace traincost
