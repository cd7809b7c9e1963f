// One stage's way through its step, moment by moment, to the highest. Internal to cost/.
#pragma once

#include "traincost/cost/memory/stage_inventory.hpp"

namespace traincost {

/// The highest moment of a stage's step, and what its end leaves for the allocator.
struct StagePeak {
    Moment moment{};
    std::int64_t block = 0;  ///< counted on the stage; -1: of no block
    memory_terms::Alive alive{};
    Bytes before_update;   ///< highest of forward, loss and backward
    Bytes updating;        ///< temporaries of the optimizer step
    Bytes idle_gradients;  ///< gradients when it starts
};

/// Whether gradients come with the first backward pass of a step.
bool gradients_appear(const StageInventory& held);

/// Logits of all micro-batches, where the pipeline collects its outputs.
Bytes pipeline_outputs(const StageInventory& held);

/// Whether FSDP2 keeps the root's group gathered until the model's forward pass has computed the loss.
bool root_waits_for_loss(const StageInventory& held);

/// Fully sharded weights that every walk finds gathered when it starts backwards through the stage's blocks.
/// They do not depend on recomputation, schedule or shard group, nor need they activations to be counted.
Bytes gathered_at_last_block(const StageInventory& held);

/// Loss, then every block backwards, then the optimizer; the inventory's activations are counted. Where
/// `moments` is given, every moment that is looked at is written down there.
StagePeak walk_stage(const StageInventory& held, MemoryWalk* moments = nullptr);

}  // namespace traincost
