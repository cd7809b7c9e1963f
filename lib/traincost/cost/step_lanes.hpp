// What each stage's units do in a played step: one lane for compute, for each kind of traffic, and for the
// host.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/step_timeline.hpp"

namespace traincost {

enum class Lane : std::uint8_t {
    compute,          ///< kernels, the optimizer's included
    tensor_parallel,  ///< exposed traffic of tensor, context and expert parallelism
    data_parallel,    ///< gradients and gathered weights, hidden under compute or not
    pipeline,         ///< transfers between stages
    host,             ///< launches, offload, data, logging: the device waits
};
inline constexpr std::size_t lane_count = 5;
std::string_view to_string(Lane lane);

/// A lane at work. In a task, what waits for its transfer comes first, then compute, then exposed traffic,
/// then the host: the order of blocks is not told.
struct LaneSpan {
    std::int32_t stage;
    Lane lane;
    PipelineTask task;         ///< of a micro-batch
    std::int32_t micro_batch;  ///< -1: of the whole step
    std::int32_t chunk;
    StepTerm term;  ///< of the whole step
    Seconds begin;
    Seconds end;
};

/// The lanes of every stage.
struct StepLanes {
    std::vector<LaneSpan> spans;                        ///< by stage; in a lane by time
    std::vector<std::array<double, lane_count>> usage;  ///< by stage: share of the step a lane is at work
    std::array<bool, lane_count> used;                  ///< whether a lane is at work anywhere
};

StepLanes step_lanes(const StepTimeline& line);

}  // namespace traincost
