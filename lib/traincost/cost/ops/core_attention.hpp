// The attention kernel of a block and what goes on around it; internal to cost/.
#pragma once

#include "traincost/cost/ops/op_builder.hpp"

namespace traincost {

/// Whether a fused kernel is handed a mask, because a query sees fewer keys than there are or samples are
/// padded to the micro-batch's longest. Transformers leaves out only the mask of a window longer than the
/// sequence. flash-attn's own kernels, where they are asked for, take windows and lengths themselves.
bool given_mask(const Job& job, const AttentionShape& shape);

/// The attention kernel with its saved tensors; q, k, v of a rank's heads. `keep_inputs` is false where they
/// are rebuilt in backward.
void core_attention(OpBuilder& build, const AttentionShape& a, bool keep_inputs);

/// Context-parallel exchange of keys and values around the ring, or all-to-all of heads against sequence.
void context_exchange(OpBuilder& build, double kv_bytes, double q_out_bytes);

/// Joining what attention made of a block around the ring to the blocks before.
void merge_ring(OpBuilder& build, double out_elements);

/// What the exchange holds while the kernel, the last operator, runs: around the ring a block of keys and
/// values that comes and one that goes, in backward with their gradients [Liu23, §3.2]; else the tensors as
/// they were before heads were changed for sequence.
void hold_exchanged(OpBuilder& build, double kv_bytes, double q_bytes);

/// Copies between activations that lie sequence first and a flash kernel that reads them batch first: of
/// queries, keys and values, of its output and of that one's gradient. With one sequence the two orders are
/// one, and only what was cut out of a joined product has gaps to close: all three, or the values alone where
/// a rotation has made queries and keys anew. The product after it keeps its own copy of the output.
void copy_layouts(OpBuilder& build, double query_elements, double kv_elements, bool joined);

/// What layouts make eager attention, the last operator, keep beside its tensors. Values cut out of one
/// projection keep all of it, `rest` elements more, where rotation makes queries and keys anew. A rotation of
/// a part of each head joins it to the rest head by head, attention's output of `out` elements comes in that
/// layout, and the product after it reads a copy.
void keep_layouts(OpBuilder& build, double out, double rest);

}  // namespace traincost
