// The terms of a GPU's memory at its peak: cost/memory is what computes them, docs/model.md, section Memory,
// tells the whole.

#include <algorithm>
#include <cmath>

#include "traincost/report/explain/explanation_rows.hpp"

namespace traincost {

namespace {

double term(const ExplainedJob& x, MemoryTerm t) {
    return x.peak()[t].value();
}

/// The values of symbols, in the order in which the walk gives them: that of the equation's.
std::vector<double> values_of(const TermSymbols& symbols) {
    std::vector<double> values;
    values.reserve(symbols.size());
    for (const TermSymbol& symbol : symbols)
        values.push_back(symbol.value);
    return values;
}

template <MemoryTerm which>
std::vector<double> term_values(const ExplainedJob& x) {
    return values_of(x.memory.symbols[static_cast<std::size_t>(which)]);
}

std::vector<double> host_values(const ExplainedJob& x) {
    return values_of(x.memory.host);
}

/// The sum of the terms from `first` to `last`.
double sum(const ExplainedJob& x, MemoryTerm first, MemoryTerm last) {
    double total = 0.0;
    for (int t = static_cast<int>(first); t <= static_cast<int>(last); ++t)
        total += term(x, static_cast<MemoryTerm>(t));
    return total;
}

std::vector<double> allocated_values(const ExplainedJob& x) {
    return {sum(x, MemoryTerm::weights, MemoryTerm::adapters),
            sum(x, MemoryTerm::saved_activations, MemoryTerm::block_inputs),
            sum(x, MemoryTerm::cast_weights, MemoryTerm::workspace)};
}

std::vector<double> reserved_values(const ExplainedJob& x) {
    return {x.peak().allocated.value(), term(x, MemoryTerm::fragmentation)};
}

std::vector<double> device_values(const ExplainedJob& x) {
    return {x.peak().reserved.value(), term(x, MemoryTerm::context), term(x, MemoryTerm::communicators)};
}

template <MemoryTerm which>
Cell term_cell(const ExplainedJob& x) {
    return cell(x.peak()[which]);
}

template <Bytes StageMemory::*total>
Cell total_cell(const ExplainedJob& x) {
    return cell(x.peak().*total);
}

constexpr std::string_view walk = "walk through the stage's step, cost/memory";
constexpr std::string_view inventory = "operator inventory, tensor by tensor, cost/ops";

}  // namespace

std::vector<ExplanationRow> memory_explanations() {
    return {
        {{"memory.weights",
          "weights read by the forward pass, as stored on this GPU",
          "(n_b * w_b + n_r * w_r) * d",
          {{"n_b", "", "elements of the stage's blocks on this GPU (its shard under ZeRO-3 and FSDP)"},
           {"w_b", "B", "bytes per element: of the weight format, or of the quantised base"},
           {"n_r", "", "elements of embedding, final norm and head on this GPU"},
           {"w_r", "B", "bytes per such element"},
           {"d", "", "1 on the device, 0 if weights are offloaded"}},
          {"[Rajbhandari20, §5]", "[Dettmers23] for quantised bases", "weight inventory, cost/params"},
          {"narrow.quantised_head", "states.shard"}},
         term_values<MemoryTerm::weights>,
         term_cell<MemoryTerm::weights>},
        {{"memory.master_weights",
          "fp32 weights of mixed precision",
          "n_s * t * s * d",
          {{"n_s", "", "elements whose states this GPU keeps (its shard from ZeRO-1 up)"},
           {"t", "", "trained share of them"},
           {"s", "B", "bytes per master weight; 0 if the recipe has none"},
           {"d", "", "1 on the device, 0 if the optimizer is offloaded"}},
          {"[Rajbhandari20, §3.1]"},
          {"states.shard"}},
         term_values<MemoryTerm::master_weights>,
         term_cell<MemoryTerm::master_weights>},
        {{"memory.gradients",
          "gradients alive at the peak",
          "n_g * g + n_k * e",
          {{"n_g", "",
            "elements whose gradients are alive at the peak (from ZeRO-2 up: its shard once they are "
            "reduced)"},
           {"g", "B", "bytes per gradient"},
           {"n_k", "", "elements with a compute-format gradient in addition to a wider main gradient"},
           {"e", "B", "bytes per element in the compute format"}},
          {"[Rajbhandari20, §5.2]", walk},
          {"states.gradients", "traffic.gradient_bucket_view", "states.model_gradients_kept",
           "traffic.reduce_every_micro_batch", "states.recompute_keeps_gradients",
           "states.frozen_in_flat_parameters"}},
         term_values<MemoryTerm::gradients>,
         term_cell<MemoryTerm::gradients>},
        {{"memory.optimizer_states",
          "optimizer moments",
          "n_s * t * s * d",
          {{"n_s", "",
            "elements whose states this GPU keeps (its shard from ZeRO-1 up); Muon: embedding and head "
            "twice, whose AdamW has two moments"},
           {"t", "", "trained share of them"},
           {"s", "B", "bytes of states per element: two moments for AdamW, 2 (1 + 4/256) for 8-bit Adam"},
           {"d", "", "1 on the device, 0 if states are offloaded or paged"}},
          {"[Rajbhandari20, §3.1]", "[Dettmers22, §2.1]", "[Shazeer18]"},
          {"states.shard"}},
         term_values<MemoryTerm::optimizer_states>,
         term_cell<MemoryTerm::optimizer_states>},
        {{"memory.adapters",
          "weights, gradients and optimizer states of adapters",
          "n_a * (w + g + s)",
          {{"n_a", "", "elements of the stage's adapters on this GPU"},
           {"w", "B", "bytes per weight"},
           {"g", "B", "bytes per gradient"},
           {"s", "B", "bytes of optimizer states per element"}},
          {"[Hu21, §4.1]", "[Zhang23]"},
          {}},
         term_values<MemoryTerm::adapters>,
         term_cell<MemoryTerm::adapters>},
        {{"memory.saved_activations",
          "tensors that micro-batches in flight keep for the backward pass",
          "(max(m - 1, 0) * S + A) * (1 - o) + m * E",
          {{"m", "", "micro-batches in flight under the schedule; 0 if the peak is after the backward pass"},
           {"S", "B", "saved per micro-batch by the stage's blocks that are not recomputed"},
           {"A", "B", "part of the newest micro-batch that is alive at the peak"},
           {"o", "", "share offloaded to the host"},
           {"E", "B", "saved by the embedding"}},
          {"[Korthikanti22, §4]", "[Narayanan21, §2.2] for m", "[Qi23], [DeepSeekV3] for their schedules",
           inventory},
          {"layer.norm", "layer.rotary", "layer.activation", "attention.kernel", "layer.fused_qkv",
           "layer.fused_gate_up", "layer.bias_dropout_fused", "pipeline.schedule"}},
         term_values<MemoryTerm::saved_activations>,
         term_cell<MemoryTerm::saved_activations>},
        {{"memory.block_inputs",
          "inputs of blocks that the backward pass recomputes",
          "(max(m - 1, 0) * n_i + n_a) * B * (1 - o)",
          {{"m", "", "micro-batches in flight under the schedule; 0 if the peak is after the backward pass"},
           {"n_i", "", "blocks of the stage with full recomputation"},
           {"n_a", "",
            "such blocks of the newest micro-batch whose input is alive at the peak, and inputs' gradients "
            "that FSDP1 keeps with it for frozen blocks"},
           {"B", "B", "input of one block: tokens x hidden x bytes of the residual stream"},
           {"o", "", "share offloaded to the host"}},
          {"[Korthikanti22, §5]", walk},
          {"layer.sequence_parallel", "states.shard"}},
         term_values<MemoryTerm::block_inputs>,
         term_cell<MemoryTerm::block_inputs>},
        {{"memory.cast_weights",
          "compute-format weight copies kept by autocast",
          "K - F",
          {{"K", "B",
            "copies made in the forward pass, anew for each micro-batch in flight: of all blocks until it "
            "ends, then of those not recomputed"},
           {"F", "B", "copies freed as the backward pass leaves their blocks"}},
          {"torch.autocast's weight cache", walk},
          {"states.amp"}},
         term_values<MemoryTerm::cast_weights>,
         term_cell<MemoryTerm::cast_weights>},
        {{"memory.gathered_weights",
          "sharded weights gathered for use",
          "k * n_l * w_g + n_x * e",
          {{"k", "",
            "blocks gathered at the peak: one in use, plus prefetched ones; of FSDP2 the buffer of the last"},
           {"n_l", "", "elements of the stage's largest block"},
           {"w_g", "B", "bytes per element as gathered"},
           {"n_x", "",
            "other elements gathered: embedding and head, or all under ZeRO-2 of FSDP, which may then take "
            "more than ZeRO-1"},
           {"e", "B", "bytes per element in the compute format"}},
          {"[Rajbhandari20, §5.3]", "torch.distributed.fsdp", walk},
          {"states.prefetched_blocks", "states.root_sharded_apart", "states.shard",
           "states.pipeline_keeps_gathered", "head.loss_inside"}},
         term_values<MemoryTerm::gathered_weights>,
         term_cell<MemoryTerm::gathered_weights>},
        {{"memory.gradient_staging",
          "gradients being reduced to their shards",
          "max(K, k * b) + n_q * r + n_h * e",
          {{"K", "B", "persistent buckets that hold all gradients"},
           {"k", "", "reduction buckets alive"},
           {"b", "B", "one bucket"},
           {"n_q", "", "elements of a fully sharded block being reduced"},
           {"r", "B", "bytes per element as reduced"},
           {"n_h", "",
            "elements of the head whose full gradient waits until its shard group finishes the pass"},
           {"e", "B", "bytes per element in the compute format"}},
          {"[Rajbhandari20, §6.2]", walk},
          {"traffic.gradient_bucket_bytes", "traffic.bucket_copies", "traffic.buckets_kept",
           "states.root_sharded_apart"}},
         term_values<MemoryTerm::gradient_staging>,
         term_cell<MemoryTerm::gradient_staging>},
        {{"memory.working_set",
          "tensors of the operator running at the peak",
          "max(W + k * B, F)",
          {{"W", "B",
            "highest sum, in the backward pass, of tensors alive only while one operator runs, and what its "
            "block saved"},
           {"k", "", "1 in a block's backward pass, which keeps its output gradient; else 0"},
           {"B", "B", "output gradient: tokens x hidden x bytes of the residual stream"},
           {"F", "B", "the same in the forward pass: of the loss, or of a recomputed block"}},
          {inventory, "own H200 runs, torch 2.11, 2026, for the tensors each kernel keeps"},
          {"head.loss", "head.logits_copies_fp32", "layer.inplace_backward", "head.vocab_parallel"}},
         term_values<MemoryTerm::working_set>,
         term_cell<MemoryTerm::working_set>},
        {{"memory.pipeline_buffers",
          "activations received from and sent to neighbouring stages",
          "k * a * B + O",
          {{"k", "", "neighbouring stages"},
           {"a", "", "buffers for each: a pair, or one per micro-batch"},
           {"B", "B", "boundary tensor"},
           {"O", "B", "micro-batch outputs kept by the last stage"}},
          {"own H200 runs of torch.distributed.pipelining, torch 2.11, 2026"},
          {"pipeline.receive_buffers_per_micro_batch", "pipeline.keeps_outputs"}},
         term_values<MemoryTerm::pipeline_buffers>,
         term_cell<MemoryTerm::pipeline_buffers>},
        {{"memory.optimizer_temporaries",
          "temporaries of the optimizer update, if the peak is in it",
          "n_u * (c * t + f)",
          {{"n_u", "", "elements updated by this GPU; 0 if the peak is elsewhere"},
           {"c", "", "temporaries of that size"},
           {"t", "B", "bytes per element of one"},
           {"f", "B", "bytes per element of widened and flat gradient copies"}},
          {walk},
          {"states.optimizer", "states.optimizer_temporary_copies", "states.flat_optimizer",
           "states.flat_gradient_copies"}},
         term_values<MemoryTerm::optimizer_temporaries>,
         term_cell<MemoryTerm::optimizer_temporaries>},
        {{"memory.workspace",
          "workspace of the matrix library",
          "W * g",
          {{"W", "B", "library request on Hopper and later"},
           {"g", "", "1 on those, 8.125/32 on older generations"}},
          {"CUDAContextLight of PyTorch 2.x; cuBLAS's recommendation"},
          {"device.workspace_bytes"}},
         term_values<MemoryTerm::workspace>,
         term_cell<MemoryTerm::workspace>},
        {{"memory.fragmentation",
          "reserved by the allocator but not allocated",
          "f * (A - R) + min(max(h + z, s), max(s, y))",
          {{"f", "", "gaps, relative to memory allocated and freed in a step, that cannot be reclaimed"},
           {"A", "B", "allocated at the peak"},
           {"R", "B",
            "allocated once: weights, states, adapters, workspace, a root group that waits for the loss"},
           {"h", "B", "freed but not yet reusable: gathers used by a side stream"},
           {"z", "B",
            "new reservations, because free blocks are too small: for flat tensors after activations, for a "
            "loss after shorter batches (run.padded_length), or next to optimizer states made late; plus "
            "gaps that can be reclaimed"},
           {"s", "B", "part of the gathers that the allocator cannot wait for"},
           {"y", "B", "memory left on the device: the allocator waits rather than fail"}},
          {"reserved over allocated memory in measured runs"},
          {"device.fragmentation", "device.fragmentation_recompute", "device.expandable_segments",
           "device.sharded_states_pin", "device.gathered_blocks_ahead", "device.held_gathers_limit",
           "device.held_gathers_stuck", "states.flat_optimizer"}},
         term_values<MemoryTerm::fragmentation>,
         term_cell<MemoryTerm::fragmentation>},
        {{"memory.context",
          "driver context, kernels and libraries outside the allocator",
          "C",
          {{"C", "B", "measured on an idle process of the stack"}},
          {"device memory minus reserved memory in measured runs"},
          {"device.context_bytes"}},
         term_values<MemoryTerm::context>,
         term_cell<MemoryTerm::context>},
        {{"memory.communicators",
          "buffers of the collective library",
          "n * b",
          {{"n", "",
            "kinds of groups with more than one rank (tp, pp, dp, cp, ep), and of a pipeline within a switch "
            "0.707 for a neighbour, 1 for ends that share a table"},
           {"b", "B", "buffers of one communicator"}},
          {"device memory of measured runs with and without groups"},
          {"device.per_communicator_bytes"}},
         term_values<MemoryTerm::communicators>,
         term_cell<MemoryTerm::communicators>},
        {{"memory.allocated",
          "tensors allocated at the peak",
          "states + activations + rest",
          {{"states", "B", "weights, master weights, gradients, optimizer states, adapters"},
           {"activations", "B", "saved activations and block inputs"},
           {"rest", "B", "all other terms down to the workspace, starting with the working set"}},
          {walk},
          {}},
         allocated_values,
         total_cell<&StageMemory::allocated>},
        {{"memory.reserved",
          "memory that the allocator holds on the device",
          "A + F",
          {{"A", "B", "allocated"}, {"F", "B", "fragmentation"}},
          {walk},
          {}},
         reserved_values,
         total_cell<&StageMemory::reserved>},
        {{"memory.device",
          "memory shown by nvidia-smi: the figure that must fit",
          "R + C + K",
          {{"R", "B", "reserved"}, {"C", "B", "context"}, {"K", "B", "communicators"}},
          {walk},
          {}},
         device_values,
         total_cell<&StageMemory::device>},
        {{"memory.host",
          "host memory of the GPU's process",
          "m * o * S + H",
          {{"m", "", "micro-batches in flight"},
           {"o", "", "share of activations offloaded"},
           {"S", "B", "saved activations and block inputs per micro-batch"},
           {"H", "B", "offloaded weights, gradients and optimizer states"}},
          {"offloading to the host: weights, gradients and states, as offloaded"},
          {}},
         host_values,
         total_cell<&StageMemory::host>},
    };
}

}  // namespace traincost
