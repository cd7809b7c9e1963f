// What one rank sends in a step, by kind of group, collective and direction.
#pragma once

#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/collectives.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/cost/ops.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// When messages travel.
enum class TrafficPhase : std::uint8_t {
    forward,   ///< forward passes
    backward,  ///< backward passes, and what is run again in them
    update,    ///< once a step: gradients and updated weights
};
std::string_view to_string(TrafficPhase phase);

/// Messages of one kind over a step, on the stage that takes longest.
struct Traffic {
    Group group;
    Collective collective;
    TrafficPhase phase;
    std::int64_t ranks;
    double messages;
    Bytes payload;  ///< all messages, as nccl-tests counts them
    Bytes sent;     ///< by one rank in a ring, or pairwise
    Seconds alone;  ///< on the network, nothing hidden
};

/// All of a step. Data-parallel times are those of `estimate.step.parts`.
std::vector<Traffic> step_traffic(const Job& job, const Estimate& estimate);

}  // namespace traincost
