// What the allocator and the device hold beyond what is alive at a stage's highest moment. Internal to cost/.
#pragma once

#include "traincost/cost/memory/stage_walk.hpp"

namespace traincost {

/// A stage's memory, and the terms that are not of its inventory or its walk.
struct StageReserve {
    StageMemory memory{};
    memory_terms::Buffers buffers;
    memory_terms::Fragmentation fragmentation;
};

memory_terms::Communicators communicators_of(const StageInventory& held);
memory_terms::Workspace workspace_of(const StageInventory& held);

/// What every rank holds beside model states and activations.
Bytes outside_pool(const StageInventory& held);

/// The terms of the highest moment, buffers, gaps, and the three totals.
StageReserve reserve_stage(const StageInventory& held, const StagePeak& peak);

}  // namespace traincost
