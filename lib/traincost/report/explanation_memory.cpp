// The terms of a GPU's memory at its peak: cost/memory is what computes them, docs/model.md, section Memory,
// tells the whole.

#include <algorithm>
#include <cmath>

#include "traincost/report/explanation_rows.hpp"

namespace traincost {

namespace {

/// Elements of the peak's stage and how they are shared.
struct StageElements {
    double blocks;       ///< a rank's own, as stored
    double root;         ///< embedding and head
    double all_stored;   ///< of everything, as the optimizer shards it
    double all_reduced;  ///< as gradients are sharded, those of frozen weights in flat parameters included
    double all_unsharded;
    double largest;  ///< of one block, unsharded
    double trained;  ///< share with gradients
};

double owned(const ShardedCount& n, bool sharded, const StateShards& z) {
    return sharded ? n.dense / z.dense + n.expert / z.expert : n.dense + n.expert;
}

ShardedCount minus(const ShardedCount& a, const ShardedCount& b) {
    return {a.dense - b.dense, a.expert - b.expert, a.replicated - b.replicated};
}

bool is_tuned(const ExplainedJob& x) {
    return x.job.run.tuning != Tuning::full;
}

bool weights_sharded(const ExplainedJob& x) {
    return (x.job.run.parallel.zero >= 3 && state_shards(x.job).dense > 1.0) || fully_sharded(x.job);
}

StageElements elements_of(const ExplainedJob& x) {
    const Job& job = x.job;
    const StageClass& stage = x.peak_class();
    const StateShards z = state_shards(job);
    const std::int64_t zero = job.run.parallel.zero;
    StageElements n{};
    ShardedCount blocks{};
    for (std::size_t k = 0; k < x.table.size; ++k) {
        const ShardedCount& one = x.table.kinds[k].parameters;
        const double times = stage.kinds[k].blocks;
        blocks.dense += one.dense * times;
        blocks.expert += one.expert * times;
        if (times > 0.0)
            n.largest = std::max(n.largest, one.dense + one.expert);
    }
    const ShardedCount all = stage_parameters(x.table, stage);
    const ShardedCount root = minus(all, blocks);
    n.blocks = owned(blocks, weights_sharded(x), z);
    n.root = owned(root, weights_sharded(x), z);
    if (stage.last && job.stack.quantised_head && job.run.precision.base) {
        const double head = owned(stage.first ? x.table.head_only_parameters : x.table.head_parameters,
                                  weights_sharded(x), z);
        n.blocks += head;
        n.root -= head;
    }
    n.all_stored = owned(all, zero >= 1, z);
    n.all_unsharded = all.dense + all.expert;
    if (!is_tuned(x)) {
        n.trained =
            stage.blocks > 0 ? static_cast<double>(stage.trained) / static_cast<double>(stage.blocks) : 1.0;
    }
    const bool waits = (fully_sharded(job) || zero == 2) && !job.stack.reduce_every_micro_batch &&
                       micro_batches(job.run) > 1;
    const bool on_host = job.run.offload_parameters != Offload::none && fully_sharded(job);
    if (!job.run.optimizer_in_backward && !on_host)
        n.all_reduced = owned(all, zero >= 2 && !waits, z) * n.trained;
    if (is_tuned(x) && fully_sharded(job) && job.stack.shard == ShardEngine::fsdp1)
        n.all_reduced += owned(blocks, zero >= 2 && !waits, z);
    return n;
}

/// Sums over the stage's blocks, of one micro-batch.
struct StageTensors {
    Bytes saved;
    Bytes cast;
    Bytes embedding;
    Bytes boundary;  ///< input of one block
    double again;    ///< blocks recomputed whole
};

StageTensors tensors_of(const ExplainedJob& x) {
    const StageClass& stage = x.peak_class();
    StageTensors t{};
    for (std::size_t k = 0; k < x.table.size; ++k) {
        const OpTotals& totals = x.table.kinds[k].totals;
        t.saved += totals.saved * stage.kinds[k].kept;
        t.cast += totals.cast * stage.kinds[k].blocks;
        t.again += stage.kinds[k].again;
    }
    if (stage.first)
        t.embedding = x.table.embedding_totals.saved;
    t.boundary = Bytes{x.shape.tokens_sp * static_cast<double>(x.job.model.hidden) * x.shape.r};
    return t;
}

double term(const ExplainedJob& x, MemoryTerm t) {
    return x.peak()[t].value();
}

double ratio(double a, double b) {
    return b == 0.0 ? 0.0 : a / b;
}

double width(DataType type) {
    return bytes_per_element(type).value();
}

double states_width(const ExplainedJob& x) {
    return optimizer_state_bytes(x.job.run.optimizer, x.job.run.precision).value();
}

bool states_here(const ExplainedJob& x) {
    const RunSpec& run = x.job.run;
    return run.offload_optimizer == Offload::none && run.optimizer != Optimizer::paged_adamw &&
           run.optimizer != Optimizer::paged_adam8bit;
}

/// Micro-batches in flight where the peak is among activations; 0 behind them.
double in_flight(const ExplainedJob& x) {
    const bool alive = term(x, MemoryTerm::saved_activations) + term(x, MemoryTerm::block_inputs) > 0.0;
    return alive ? x.peak().micro_batches_in_flight : 0.0;
}

/// Share of the newest micro-batch's `each` bytes that is alive at the peak.
double newest(const ExplainedJob& x, double total, double each) {
    return ratio(total, each) - (each == 0.0 ? 0.0 : std::max(0.0, in_flight(x) - 1.0));
}

double adapter_width(const ExplainedJob& x) {
    const Precision& p = x.job.run.precision;
    return width(p.weights) + width(p.gradients) + states_width(x);
}

std::vector<double> weights_values(const ExplainedJob& x) {
    const StageElements n = elements_of(x);
    const Precision& p = x.job.run.precision;
    return {n.blocks, p.base ? width(*p.base) : x.shape.w, n.root, x.shape.w,
            x.job.run.offload_parameters == Offload::none ? 1.0 : 0.0};
}

std::vector<double> master_values(const ExplainedJob& x) {
    const StageElements n = elements_of(x);
    const auto& master = x.job.run.precision.master;
    return {n.all_stored, n.trained, master ? width(*master) : 0.0,
            x.job.run.offload_optimizer == Offload::none ? 1.0 : 0.0};
}

std::vector<double> gradient_values(const ExplainedJob& x) {
    const StageElements n = elements_of(x);
    const double g = width(x.job.run.precision.gradients);
    const double beside = model_gradients_beside(x.job) ? n.all_unsharded * n.trained : 0.0;
    const double all = n.all_reduced * g + beside * x.shape.e;
    return {n.all_reduced, g, beside, x.shape.e, ratio(term(x, MemoryTerm::gradients), all)};
}

std::vector<double> optimizer_values(const ExplainedJob& x) {
    const StageElements n = elements_of(x);
    return {n.all_stored, n.trained, states_width(x), states_here(x) ? 1.0 : 0.0};
}

std::vector<double> adapter_values(const ExplainedJob& x) {
    const Precision& p = x.job.run.precision;
    return {ratio(term(x, MemoryTerm::adapters), adapter_width(x)), width(p.weights), width(p.gradients),
            states_width(x)};
}

std::vector<double> saved_values(const ExplainedJob& x) {
    const StageTensors t = tensors_of(x);
    const double o = x.job.run.offload_activations;
    const double m = in_flight(x);
    const double blocks = term(x, MemoryTerm::saved_activations) - m * t.embedding.value();
    return {m, newest(x, blocks, t.saved.value() * (1.0 - o)), t.saved.value(), o, t.embedding.value()};
}

std::vector<double> input_values(const ExplainedJob& x) {
    const StageTensors t = tensors_of(x);
    const double o = x.job.run.offload_activations;
    const double each = t.again * t.boundary.value() * (1.0 - o);
    return {in_flight(x), newest(x, term(x, MemoryTerm::block_inputs), each), t.again, t.boundary.value(), o};
}

std::vector<double> cast_values(const ExplainedJob& x) {
    const double all = tensors_of(x).cast.value();
    return {ratio(term(x, MemoryTerm::cast_weights), all), all};
}

std::vector<double> gathered_values(const ExplainedJob& x) {
    const StageElements n = elements_of(x);
    const auto& base = x.job.run.precision.base;
    const double w = base ? width(*base) : x.shape.e;
    const double all = term(x, MemoryTerm::gathered_weights);
    double blocks = 0.0;
    if (x.peak().block >= 0 && x.job.run.parallel.zero >= 3 && all > 0.0) {
        const double most = 1.0 + static_cast<double>(x.job.stack.prefetched_blocks);
        blocks = std::min(most, std::floor(all / (n.largest * w) * (1.0 + 1e-12)));
    }
    return {blocks, n.largest, w, (all - blocks * n.largest * w) / x.shape.e, x.shape.e};
}

std::vector<double> staging_values(const ExplainedJob& x) {
    const StackSpec& stack = x.job.stack;
    const double all = term(x, MemoryTerm::gradient_staging);
    const double buckets = fully_sharded(x.job) || all == 0.0 ? 0.0 : stack.bucket_copies;
    const double r = width(x.job.run.precision.reduce);
    return {buckets, stack.gradient_bucket.value(), (all - buckets * stack.gradient_bucket.value()) / r, r};
}

std::vector<double> working_values(const ExplainedJob& x) {
    const double boundary = tensors_of(x).boundary.value();
    const double k = x.peak().block >= 0 ? 1.0 : 0.0;
    return {term(x, MemoryTerm::working_set) - k * boundary, k, boundary};
}

std::vector<double> buffer_values(const ExplainedJob& x) {
    const double boundary = tensors_of(x).boundary.value();
    const bool last = x.peak_class().last;
    const double sides = x.job.run.parallel.pp > 1 ? (x.estimate.peak_stage > 0) + (!last) : 0.0;
    const double each =
        x.job.stack.receive_buffers_per_micro_batch ? static_cast<double>(micro_batches(x.job.run)) : 2.0;
    return {sides, each, boundary, term(x, MemoryTerm::pipeline_buffers) - sides * each * boundary};
}

std::vector<double> temporary_values(const ExplainedJob& x) {
    const StageElements n = elements_of(x);
    const double adapters = ratio(term(x, MemoryTerm::adapters), adapter_width(x)) *
                            (weights_sharded(x) ? state_shards(x.job).dense : 1.0);
    const double all = term(x, MemoryTerm::optimizer_temporaries);
    const double updated = all > 0.0 ? n.all_stored * n.trained + adapters : 0.0;
    const double copies = x.job.stack.optimizer_temporary_copies;
    return {updated, copies, updated > 0.0 ? all / updated - 4.0 * copies : 0.0};
}

std::vector<double> workspace_values(const ExplainedJob& x) {
    const double asked = x.job.stack.workspace.value();
    return {asked, ratio(term(x, MemoryTerm::workspace), asked)};
}

double resident(const ExplainedJob& x) {
    return term(x, MemoryTerm::weights) + term(x, MemoryTerm::master_weights) +
           term(x, MemoryTerm::optimizer_states) + term(x, MemoryTerm::adapters) +
           term(x, MemoryTerm::workspace);
}

std::vector<double> fragmentation_values(const ExplainedJob& x) {
    const StackSpec& stack = x.job.stack;
    const double f =
        x.job.run.recompute == Recompute::full ? stack.fragmentation_recompute : stack.fragmentation;
    const double allocated = x.peak().allocated.value();
    const double gaps = f * (allocated - resident(x));
    return {f, allocated, resident(x), term(x, MemoryTerm::fragmentation) - gaps};
}

std::vector<double> context_values(const ExplainedJob& x) {
    return {term(x, MemoryTerm::context)};
}

std::vector<double> communicator_values(const ExplainedJob& x) {
    const double each = x.job.stack.per_communicator.value();
    return {ratio(term(x, MemoryTerm::communicators), each), each};
}

std::vector<double> allocated_values(const ExplainedJob& x) {
    const double states = resident(x) - term(x, MemoryTerm::workspace) + term(x, MemoryTerm::gradients);
    const double activations = term(x, MemoryTerm::saved_activations) + term(x, MemoryTerm::block_inputs) +
                               term(x, MemoryTerm::working_set);
    return {states, activations, x.peak().allocated.value() - states - activations};
}

std::vector<double> reserved_values(const ExplainedJob& x) {
    return {x.peak().allocated.value(), term(x, MemoryTerm::fragmentation)};
}

std::vector<double> device_values(const ExplainedJob& x) {
    return {x.peak().reserved.value(), term(x, MemoryTerm::context), term(x, MemoryTerm::communicators)};
}

std::vector<double> host_values(const ExplainedJob& x) {
    const StageTensors t = tensors_of(x);
    const double m = x.peak().micro_batches_in_flight;
    const double o = x.job.run.offload_activations;
    const double activations = t.saved.value() + t.again * t.boundary.value();
    return {m, o, activations, x.peak().host.value() - m * o * activations};
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
          {"quantised_head", "shard"}},
         weights_values,
         term_cell<MemoryTerm::weights>},
        {{"memory.master_weights",
          "fp32 weights of mixed precision",
          "n_s * t * w_m * d",
          {{"n_s", "", "elements whose states the GPU keeps (ZeRO-1 and up: its share)"},
           {"t", "", "share of them that is trained"},
           {"w_m", "B", "bytes of a master weight; 0 where the recipe has none"},
           {"d", "", "1 on the device, 0 where the optimizer is offloaded"}},
          {"[Rajbhandari20, §3.1]"},
          {"shard"}},
         master_values,
         term_cell<MemoryTerm::master_weights>},
        {{"memory.gradients",
          "gradients alive at the peak",
          "(n_g * g + n_k * e) * q",
          {{"n_g", "",
            "elements whose gradients the GPU keeps (ZeRO-2 and up: its share once they are reduced)"},
           {"g", "B", "bytes of a gradient"},
           {"n_k", "", "elements with a compute-format gradient beside a wider main one"},
           {"e", "B", "bytes of a compute element"},
           {"q", "",
            "share of them made when the peak is reached, read from the walk; 1 where they persist"}},
          {"[Rajbhandari20, §5.2]", walk},
          {"gradients", "gradient_bucket_view", "model_gradients_kept", "reduce_every_micro_batch"}},
         gradient_values,
         term_cell<MemoryTerm::gradients>},
        {{"memory.optimizer_states",
          "moments of the optimizer",
          "n_s * t * s * d",
          {{"n_s", "", "elements whose states the GPU keeps (ZeRO-1 and up: its share)"},
           {"t", "", "share of them that is trained"},
           {"s", "B", "bytes of one element's states: AdamW two moments, 8-bit Adam 2 (1 + 4/256)"},
           {"d", "", "1 on the device, 0 where states are offloaded or paged"}},
          {"[Rajbhandari20, §3.1]", "[Dettmers22, §2.1]", "[Shazeer18]"},
          {"shard"}},
         optimizer_values,
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
         adapter_values,
         term_cell<MemoryTerm::adapters>},
        {{"memory.saved_activations",
          "tensors kept for the backward pass by the micro-batches in flight",
          "(max(m - 1, 0) + c) * S * (1 - o) + m * E",
          {{"m", "",
            "micro-batches in flight under the schedule; 0 where the peak is behind the backward pass"},
           {"c", "", "share of the newest one's that is alive at the peak, read from the walk"},
           {"S", "B", "saved by one micro-batch in the stage's blocks that are not recomputed"},
           {"o", "", "share offloaded to the host"},
           {"E", "B", "saved by its embedding"}},
          {"[Korthikanti22, §4]", "[Narayanan21, §2.2] for m", "[Qi23], [DeepSeekV3] for their schedules",
           inventory},
          {"norm", "rotary", "activation", "attention", "fused_qkv", "fused_gate_up", "bias_dropout_fused",
           "pipeline"}},
         saved_values,
         term_cell<MemoryTerm::saved_activations>},
        {{"memory.block_inputs",
          "inputs of blocks that the backward pass computes again",
          "(max(m - 1, 0) + c) * n_i * B * (1 - o)",
          {{"m", "",
            "micro-batches in flight under the schedule; 0 where the peak is behind the backward pass"},
           {"c", "", "share of the newest one's that is alive at the peak, read from the walk"},
           {"n_i", "", "blocks of the stage that are recomputed whole"},
           {"B", "B", "input of one: tokens x hidden x bytes of the residual stream"},
           {"o", "", "share offloaded to the host"}},
          {"[Korthikanti22, §5]", walk},
          {"sequence_parallel"}},
         input_values,
         term_cell<MemoryTerm::block_inputs>},
        {{"memory.cast_weights",
          "compute-format copies of weights that autocast keeps",
          "c * K",
          {{"c", "", "share of them alive at the peak, read from the walk"},
           {"K", "B", "copies of all matrices of the stage's blocks"}},
          {"torch.autocast's weight cache", walk},
          {"amp"}},
         cast_values,
         term_cell<MemoryTerm::cast_weights>},
        {{"memory.gathered_weights",
          "sharded weights gathered for use",
          "k * n_l * w_g + n_x * e",
          {{"k", "", "blocks gathered at the peak: the one in use and those prefetched"},
           {"n_l", "", "elements of the stage's largest block"},
           {"w_g", "B", "bytes of one as it is gathered"},
           {"n_x", "", "elements gathered besides: embedding and head, or all under ZeRO-2 of FSDP"},
           {"e", "B", "bytes of a compute element"}},
          {"[Rajbhandari20, §5.3]", "torch.distributed.fsdp", walk},
          {"prefetched_blocks", "root_sharded_apart", "shard"}},
         gathered_values,
         term_cell<MemoryTerm::gathered_weights>},
        {{"memory.gradient_staging",
          "gradients on their way to their shards",
          "k * b + n_q * r",
          {{"k", "", "reduction buckets alive"},
           {"b", "B", "one bucket"},
           {"n_q", "", "elements of a block that is being reduced, or of buckets that are kept"},
           {"r", "B", "bytes of one as it is reduced"}},
          {"[Rajbhandari20, §6.2]", walk},
          {"gradient_bucket_bytes", "bucket_copies", "buckets_kept"}},
         staging_values,
         term_cell<MemoryTerm::gradient_staging>},
        {{"memory.working_set",
          "tensors of the operator that runs at the peak",
          "W + k * B",
          {{"W", "B",
            "highest sum of tensors that live only while one operator runs, and what its block saved"},
           {"k", "", "1 in a block's backward pass, which holds the gradient of its output, else 0"},
           {"B", "B", "that gradient: tokens x hidden x bytes of the residual stream"}},
          {inventory, "own H200 runs, torch 2.11, 2026, for what each kernel keeps"},
          {"loss", "logits_copies_fp32", "inplace_backward", "vocab_parallel"}},
         working_values,
         term_cell<MemoryTerm::working_set>},
        {{"memory.pipeline_buffers",
          "activations received from and sent to neighbouring stages",
          "k * a * B + O",
          {{"k", "", "neighbours of the stage"},
           {"a", "", "buffers for each: a pair, or one a micro-batch"},
           {"B", "B", "a boundary tensor"},
           {"O", "B", "outputs of all micro-batches that the last stage keeps"}},
          {"own H200 runs of torch.distributed.pipelining, torch 2.11, 2026"},
          {"receive_buffers_per_micro_batch", "pipeline_keeps_outputs"}},
         buffer_values,
         term_cell<MemoryTerm::pipeline_buffers>},
        {{"memory.optimizer_temporaries",
          "temporaries of the update, where the peak is in it",
          "n_u * (4 * c + f)",
          {{"n_u", "", "elements the GPU updates; 0 where the peak is elsewhere"},
           {"c", "", "fp32 temporaries of their size"},
           {"f", "B", "bytes an element of widened and flat gradient copies"}},
          {walk},
          {"optimizer", "optimizer_temporary_copies", "flat_optimizer", "flat_gradient_copies"}},
         temporary_values,
         term_cell<MemoryTerm::optimizer_temporaries>},
        {{"memory.workspace",
          "workspace of the matrix library",
          "W * g",
          {{"W", "B", "what the library asks for on Hopper and later"},
           {"g", "", "1 there, 8.125/32 on older generations"}},
          {"CUDAContextLight of PyTorch 2.x; cuBLAS's recommendation"},
          {"workspace_bytes"}},
         workspace_values,
         term_cell<MemoryTerm::workspace>},
        {{"memory.fragmentation",
          "what the allocator reserves beyond what is allocated",
          "f * (A - R) + H",
          {{"f", "", "gaps over what comes and goes in a step"},
           {"A", "B", "allocated at the peak"},
           {"R", "B", "allocated once and never moved: weights, states, adapters, workspace"},
           {"H", "B",
            "freed and not yet reusable: gathers on a side stream, room too small for flat tensors"}},
          {"reserved over allocated of measured runs"},
          {"fragmentation", "fragmentation_recompute", "gathered_blocks_ahead", "held_gathers_limit",
           "held_gathers_stuck", "flat_optimizer"}},
         fragmentation_values,
         term_cell<MemoryTerm::fragmentation>},
        {{"memory.context",
          "driver context, kernels and libraries outside the allocator",
          "C",
          {{"C", "B", "measured of an idle process of the stack"}},
          {"device memory less reserved memory of measured runs"},
          {"context_bytes"}},
         context_values,
         term_cell<MemoryTerm::context>},
        {{"memory.communicators",
          "buffers of the collective library",
          "n * b",
          {{"n", "", "kinds of groups with more than one rank: tp, pp, dp, cp, ep"},
           {"b", "B", "buffers of one communicator"}},
          {"device memory of measured runs with and without groups"},
          {"per_communicator_bytes"}},
         communicator_values,
         term_cell<MemoryTerm::communicators>},
        {{"memory.allocated",
          "what the program holds at the peak",
          "states + activations + rest",
          {{"states", "B", "weights, master weights, gradients, optimizer states, adapters"},
           {"activations", "B", "saved activations, block inputs, working set"},
           {"rest", "B", "every other term up to the workspace"}},
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
