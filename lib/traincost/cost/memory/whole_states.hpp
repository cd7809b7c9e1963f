// What all ranks of a layout hold together at least: every weight and every state of it once.
#pragma once

#include "traincost/cost/blocks.hpp"
#include "traincost/cost/stages.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

struct WholeStates {
    Bytes weights;
    Bytes
        updated;  ///< master weights and optimizer states; none where layers are frozen, whose stages differ
};

/// Of the job on one rank, all of whose blocks are in the table, with nothing offloaded.
WholeStates whole_states(Job job, const BlockTable& table);

}  // namespace traincost
