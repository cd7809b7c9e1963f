// What one pipeline stage keeps in a rank's memory, whatever the moment: parameters, model states, and what a
// micro-batch leaves behind. Internal to cost/.
#pragma once

#include <cstdint>

#include "traincost/cost/blocks.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/cost/memory/memory_terms.hpp"
#include "traincost/cost/regime.hpp"
#include "traincost/cost/stages.hpp"

namespace traincost {

/// Elements, split by who shares them.
struct ElementCount {
    double dense = 0.0;
    double expert = 0.0;
    double total() const {
        return dense + expert;
    }
    ElementCount operator+(const ElementCount& o) const {
        return {dense + o.dense, expert + o.expert};
    }
};

ElementCount element_count(const ShardedCount& c);

/// Elements that DeepSpeed's stage 3 updates at a time: the default of its sub_group_size.
inline constexpr double deepspeed_sub_group = 1e9;

/// Made with parameters and states; `activations` counts what a micro-batch keeps. It holds references to
/// what it is made of.
class StageInventory {
public:
    StageInventory(const Job& job, const Shape& shape, const BlockTable& table, const StageClasses& stages,
                   std::int64_t stage);

    /// What one micro-batch keeps on this stage.
    void activations();

    /// Elements of `n` on this rank.
    double owned(const ElementCount& n, bool sharded) const;
    /// Elements with a gradient on the device.
    double gradients_of(const ElementCount& n) const;
    /// The same of blocks, frozen weights in one flat parameter with trained ones included.
    double block_gradients_of(const ElementCount& n) const;
    memory_terms::Gradients gradients(double elements) const;
    memory_terms::Gradients all_gradients() const;
    /// The table that head and embedding share on this stage, both of which add to its gradient.
    ElementCount shared_table() const;

    const Job& job;
    const RunSpec& run;
    const StackSpec& stack;
    const Shape& shape;
    const BlockTable& table;
    const StageClasses& stages;
    const StageClass& counts;
    std::int64_t stage;
    StateShards shards;
    Regime regime;
    double in_flight;  ///< micro-batches whose activations are alive at once

    ElementCount blocks;
    ElementCount largest;  ///< of the blocks
    ElementCount root;     ///< embedding and head on this stage
    ElementCount head;
    ElementCount all;
    double adapters = 0.0;
    double trained = 1.0;  ///< share of the stage's parameters that get gradients

    memory_terms::Weights weights;
    memory_terms::States master;
    memory_terms::States moments;
    memory_terms::Adapters pairs;
    memory_terms::Host host;
    Bytes storage;  ///< states on NVMe

    Bytes boundary;  ///< input of one block
    Bytes saved;
    double inputs = 0.0;  ///< blocks whose input is kept to run them again
    Bytes cast;
    Bytes all_cast;      ///< copies alive when the forward pass ends
    Bytes dropped;       ///< what recomputed blocks of one micro-batch do not keep
    double again = 0.0;  ///< recomputed blocks
    Bytes embedding_saved;
    Bytes returned;   ///< keys and values of recomputed blocks that the forward pass returns
    Bytes held;       ///< what the loop holds of it through the backward pass
    Bytes held_back;  ///< what the next forward pass finds held of the micro-batch before

private:
    void count();
    void states();
    void offload_states();
    void hold_outputs();
};

}  // namespace traincost
