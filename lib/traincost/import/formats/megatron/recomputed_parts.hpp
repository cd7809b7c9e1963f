// What Megatron's frameworks recompute of a block, and of how many blocks; and what they keep in host memory.
#pragma once

#include "traincost/import/fact_sheet.hpp"

namespace traincost {

/// Where they say it.
struct RecomputeKeys {
    Paths method;
    Paths layers;
    Paths modules;
};

/// The modules that are recomputed under "selective", and the blocks of a stage under "full" with the method
/// "block", whose number counts those of a chunk. Reads what the sheet knows of recomputation and chunks.
void read_recomputed_parts(const Setting& root, FactSheet& sheet, const RecomputeKeys& keys);

/// What is kept in host memory, by the switches of the model and of the optimizer; none where the optimizer's
/// is off.
void read_kept_aside(const Setting& model, const Setting& optimizer, FactSheet& sheet);

}  // namespace traincost
