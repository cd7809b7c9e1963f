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

constexpr std::string_view walk = "the walk through the stage's step, cost/memory";
constexpr std::string_view inventory = "the operator inventory, cost/ops, one tensor after another";

}  // namespace

std::vector<ExplanationRow> memory_explanations() {
    return {
        {{"memory.weights",
          "the weights the forward pass reads, as this GPU stores them",
          "(n_b * w_b + n_r * w_r) * d",
          {{"n_b", "", "elements of the stage's blocks that the GPU keeps (ZeRO-3 and FSDP: its share)"},
           {"w_b", "B", "bytes of one: the weights' format, or the quantised base's"},
           {"n_r", "", "elements of embedding, last norm and head that it keeps"},
           {"w_r", "B", "bytes of one of these"},
           {"d", "", "1 on the device, 0 where weights are offloaded"}},
          {"[Rajbhandari20, §5]", "[Dettmers23] for quantised bases", "the weight inventory, cost/params"},
          {"narrow.quantised_head", "states.shard"}},
         term_values<MemoryTerm::weights>,
         term_cell<MemoryTerm::weights>},
        {{"memory.master_weights",
          "fp32 weights of mixed precision",
          "n_s * t * s * d",
          {{"n_s", "", "elements whose states the GPU keeps (ZeRO-1 and up: its share)"},
           {"t", "", "share of them that is trained"},
           {"s", "B", "bytes of a master weight; 0 where the recipe has none"},
           {"d", "", "1 on the device, 0 where the optimizer is offloaded"}},
          {"[Rajbhandari20, §3.1]"},
          {"states.shard"}},
         term_values<MemoryTerm::master_weights>,
         term_cell<MemoryTerm::master_weights>},
        {{"memory.gradients",
          "gradients alive at the peak",
          "n_g * g + n_k * e",
          {{"n_g", "",
            "elements whose gradients are alive at the peak (ZeRO-2 and up: its share once they are "
            "reduced)"},
           {"g", "B", "bytes of a gradient"},
           {"n_k", "", "elements with a compute-format gradient beside a wider main one"},
           {"e", "B", "bytes of a compute element"}},
          {"[Rajbhandari20, §5.2]", walk},
          {"states.gradients", "traffic.gradient_bucket_view", "states.model_gradients_kept",
           "traffic.reduce_every_micro_batch", "states.recompute_keeps_gradients",
           "states.frozen_in_flat_parameters"}},
         term_values<MemoryTerm::gradients>,
         term_cell<MemoryTerm::gradients>},
        {{"memory.optimizer_states",
          "moments of the optimizer",
          "n_s * t * s * d",
          {{"n_s", "", "elements whose states the GPU keeps (ZeRO-1 and up: its share)"},
           {"t", "", "share of them that is trained"},
           {"s", "B", "bytes of one element's states: AdamW two moments, 8-bit Adam 2 (1 + 4/256)"},
           {"d", "", "1 on the device, 0 where states are offloaded or paged"}},
          {"[Rajbhandari20, §3.1]", "[Dettmers22, §2.1]", "[Shazeer18]"},
          {"states.shard"}},
         term_values<MemoryTerm::optimizer_states>,
         term_cell<MemoryTerm::optimizer_states>},
        {{"memory.adapters",
          "weights, gradients and states of low-rank pairs or adapters",
          "n_a * (w + g + s)",
          {{"n_a", "", "elements of the stage's adapters that the GPU keeps"},
           {"w", "B", "bytes of a weight"},
           {"g", "B", "bytes of a gradient"},
           {"s", "B", "bytes of its optimizer states"}},
          {"[Hu21, §4.1]", "[Zhang23]"},
          {}},
         term_values<MemoryTerm::adapters>,
         term_cell<MemoryTerm::adapters>},
        {{"memory.saved_activations",
          "tensors kept for the backward pass by the micro-batches in flight",
          "(max(m - 1, 0) * S + A) * (1 - o) + m * E",
          {{"m", "",
            "micro-batches in flight under the schedule; 0 where the peak is behind the backward pass"},
           {"S", "B", "saved by one micro-batch in the stage's blocks that are not recomputed"},
           {"A", "B", "of the newest one, what is alive at the peak"},
           {"o", "", "share offloaded to the host"},
           {"E", "B", "saved by its embedding"}},
          {"[Korthikanti22, §4]", "[Narayanan21, §2.2] for m", "[Qi23], [DeepSeekV3] for their schedules",
           inventory},
          {"layer.norm", "layer.rotary", "layer.activation", "attention.kernel", "layer.fused_qkv",
           "layer.fused_gate_up", "layer.bias_dropout_fused", "pipeline.schedule"}},
         term_values<MemoryTerm::saved_activations>,
         term_cell<MemoryTerm::saved_activations>},
        {{"memory.block_inputs",
          "inputs of blocks that the backward pass computes again",
          "(max(m - 1, 0) * n_i + n_a) * B * (1 - o)",
          {{"m", "",
            "micro-batches in flight under the schedule; 0 where the peak is behind the backward pass"},
           {"n_i", "", "blocks of the stage that are recomputed whole"},
           {"n_a", "", "of the newest micro-batch, those whose input is alive at the peak"},
           {"B", "B", "input of one: tokens x hidden x bytes of the residual stream"},
           {"o", "", "share offloaded to the host"}},
          {"[Korthikanti22, §5]", walk},
          {"layer.sequence_parallel"}},
         term_values<MemoryTerm::block_inputs>,
         term_cell<MemoryTerm::block_inputs>},
        {{"memory.cast_weights",
          "compute-format copies of weights that autocast keeps",
          "K - F",
          {{"K", "B",
            "copies made in the forward pass: of all blocks until it ends, then of those not recomputed"},
           {"F", "B", "of them freed as the backward pass left their blocks"}},
          {"torch.autocast's weight cache", walk},
          {"states.amp"}},
         term_values<MemoryTerm::cast_weights>,
         term_cell<MemoryTerm::cast_weights>},
        {{"memory.gathered_weights",
          "sharded weights gathered for use",
          "k * n_l * w_g + n_x * e",
          {{"k", "", "blocks gathered at the peak: the one in use and those prefetched"},
           {"n_l", "", "elements of the stage's largest block"},
           {"w_g", "B", "bytes of one as it is gathered"},
           {"n_x", "",
            "elements gathered besides: embedding and head, or all under ZeRO-2 of FSDP, which so may take "
            "more than ZeRO-1"},
           {"e", "B", "bytes of a compute element"}},
          {"[Rajbhandari20, §5.3]", "torch.distributed.fsdp", walk},
          {"states.prefetched_blocks", "states.root_sharded_apart", "states.shard",
           "states.pipeline_keeps_gathered"}},
         term_values<MemoryTerm::gathered_weights>,
         term_cell<MemoryTerm::gathered_weights>},
        {{"memory.gradient_staging",
          "gradients on their way to their shards",
          "max(K, k * b) + n_q * r + n_h * e",
          {{"K", "B", "buckets that hold all gradients and are kept beside them"},
           {"k", "", "reduction buckets alive"},
           {"b", "B", "one bucket"},
           {"n_q", "", "elements of a fully sharded block that is being reduced"},
           {"r", "B", "bytes of one as it is reduced"},
           {"n_h", "",
            "elements of the head whose whole gradient waits for its shard group's end of the pass"},
           {"e", "B", "bytes of a compute element"}},
          {"[Rajbhandari20, §6.2]", walk},
          {"traffic.gradient_bucket_bytes", "traffic.bucket_copies", "traffic.buckets_kept",
           "states.root_sharded_apart"}},
         term_values<MemoryTerm::gradient_staging>,
         term_cell<MemoryTerm::gradient_staging>},
        {{"memory.working_set",
          "tensors of the operator that runs at the peak",
          "max(W + k * B, F)",
          {{"W", "B",
            "highest sum, backwards, of tensors that live only while one operator runs, and what its block "
            "saved"},
           {"k", "", "1 in a block's backward pass, which holds the gradient of its output, else 0"},
           {"B", "B", "that gradient: tokens x hidden x bytes of the residual stream"},
           {"F", "B", "the same forwards: of the loss, or of a block that runs again"}},
          {inventory, "own H200 runs, torch 2.11, 2026, for what each kernel keeps"},
          {"head.loss", "head.logits_copies_fp32", "layer.inplace_backward", "head.vocab_parallel"}},
         term_values<MemoryTerm::working_set>,
         term_cell<MemoryTerm::working_set>},
        {{"memory.pipeline_buffers",
          "activations received from and sent to neighbouring stages",
          "k * a * B + O",
          {{"k", "", "neighbours of the stage"},
           {"a", "", "buffers for each: a pair, or one a micro-batch"},
           {"B", "B", "a boundary tensor"},
           {"O", "B", "outputs of all micro-batches that the last stage keeps"}},
          {"own H200 runs of torch.distributed.pipelining, torch 2.11, 2026"},
          {"pipeline.receive_buffers_per_micro_batch", "pipeline.keeps_outputs"}},
         term_values<MemoryTerm::pipeline_buffers>,
         term_cell<MemoryTerm::pipeline_buffers>},
        {{"memory.optimizer_temporaries",
          "temporaries of the update, where the peak is in it",
          "n_u * (c * t + f)",
          {{"n_u", "", "elements the GPU updates; 0 where the peak is elsewhere"},
           {"c", "", "temporaries of their size"},
           {"t", "B", "bytes an element of one"},
           {"f", "B", "bytes an element of widened and flat gradient copies"}},
          {walk},
          {"states.optimizer", "states.optimizer_temporary_copies", "states.flat_optimizer",
           "states.flat_gradient_copies"}},
         term_values<MemoryTerm::optimizer_temporaries>,
         term_cell<MemoryTerm::optimizer_temporaries>},
        {{"memory.workspace",
          "workspace of the matrix library",
          "W * g",
          {{"W", "B", "what the library asks for on Hopper and later"},
           {"g", "", "1 there, 8.125/32 on older generations"}},
          {"CUDAContextLight of PyTorch 2.x; cuBLAS's recommendation"},
          {"device.workspace_bytes"}},
         term_values<MemoryTerm::workspace>,
         term_cell<MemoryTerm::workspace>},
        {{"memory.fragmentation",
          "what the allocator reserves beyond what is allocated",
          "f * (A - R) + min(max(h + z, s), max(s, y))",
          {{"f", "", "gaps over what comes and goes in a step that do not come back when memory runs out"},
           {"A", "B", "allocated at the peak"},
           {"R", "B", "allocated once and never moved: weights, states, adapters, workspace"},
           {"h", "B", "freed and not yet reusable: gathers that a side stream used"},
           {"z", "B",
            "reserved anew because what was left is too small: for flat tensors after activations, for a "
            "loss "
            "after those of shorter batches (run.padded_length) or beside optimizer states made late; and "
            "gaps that come back"},
           {"s", "B", "of the gathers, what the allocator cannot wait for"},
           {"y", "B", "what is left of the device: the allocator waits rather than fail"}},
          {"reserved over allocated of measured runs"},
          {"device.fragmentation", "device.fragmentation_recompute", "device.expandable_segments",
           "device.gathered_blocks_ahead", "device.held_gathers_limit", "device.held_gathers_stuck",
           "states.flat_optimizer"}},
         term_values<MemoryTerm::fragmentation>,
         term_cell<MemoryTerm::fragmentation>},
        {{"memory.context",
          "driver context, kernels and libraries outside the allocator",
          "C",
          {{"C", "B", "measured of an idle process of the stack"}},
          {"device memory less reserved memory of measured runs"},
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
          "what the program holds at the peak",
          "states + activations + rest",
          {{"states", "B", "weights, master weights, gradients, optimizer states, adapters"},
           {"activations", "B", "saved activations and block inputs"},
           {"rest", "B", "every other term up to the workspace, the working set first"}},
          {walk},
          {}},
         allocated_values,
         total_cell<&StageMemory::allocated>},
        {{"memory.reserved",
          "what the allocator has taken from the device",
          "A + F",
          {{"A", "B", "allocated"}, {"F", "B", "fragmentation"}},
          {walk},
          {}},
         reserved_values,
         total_cell<&StageMemory::reserved>},
        {{"memory.device",
          "what nvidia-smi shows: the figure that must fit",
          "R + C + K",
          {{"R", "B", "reserved"}, {"C", "B", "context"}, {"K", "B", "communicators"}},
          {walk},
          {}},
         device_values,
         total_cell<&StageMemory::device>},
        {{"memory.host",
          "what the GPU's process keeps in host memory",
          "m * o * S + H",
          {{"m", "", "micro-batches in flight"},
           {"o", "", "share of activations offloaded"},
           {"S", "B", "saved activations and block inputs of one"},
           {"H", "B", "offloaded weights, gradients and optimizer states"}},
          {"offloading to the host: weights, gradients and states by what is offloaded"},
          {}},
         host_values,
         total_cell<&StageMemory::host>},
    };
}

}  // namespace traincost
