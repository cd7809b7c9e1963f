// The kernels of one attention in a job: fused or written out, masked, block by block around a ring.
#pragma once

#include "traincost/base/quantity.hpp"
#include "traincost/cost/kernels.hpp"

namespace traincost {

/// Time of an attention's kernels in one pass. The kernels of `c.attention` are fused where they have a fit,
/// else attention writes its scores.
Seconds attention_kernel_time(const AttentionShape& shape, bool forward, const KernelContext& c);

}  // namespace traincost
