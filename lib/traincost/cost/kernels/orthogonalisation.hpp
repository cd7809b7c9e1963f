// What Muon computes beside its walk over the states: every matrix's momentum is made orthogonal.
#pragma once

#include "traincost/cost/kernels.hpp"

namespace traincost {

/// Newton-Schulz iterations of an update [Jordan24].
inline constexpr double newton_schulz_iterations = 5.0;

/// Seconds of an update, apart by who shares the matrices.
struct Orthogonalisation {
    Seconds dense;   ///< of all data-parallel ranks
    Seconds expert;  ///< of the ranks with the same experts
    bool operator==(const Orthogonalisation&) const = default;
};

/// Of the matrices a rank holds of one block's operators; none under other optimizers. Each iteration of a
/// matrix of m rows and n >= m columns multiplies m x n by n x m, m x m by m x m and m x m by m x n, in the
/// compute format. Tensor-parallel ranks take their own slices. Embedding, head and vectors have AdamW.
Orthogonalisation orthogonalisation(const OpList& ops, const KernelContext& context);

}  // namespace traincost
