#include "traincost/cost/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "traincost/base/error.hpp"
#include "traincost/cost/blocks.hpp"
#include "traincost/cost/kernels/attention_kernels.hpp"
#include "traincost/cost/kernels/kernel_choice.hpp"
#include "traincost/spec/adapter_format.hpp"

namespace traincost {

PassTime& PassTime::operator+=(const PassTime& o) {
    gemm += o.gemm;
    attention += o.attention;
    memory += o.memory;
    tensor += o.tensor;
    context += o.context;
    expert += o.expert;
    host += o.host;
    spare += o.spare;
    return *this;
}

PassTime PassTime::operator*(double f) const {
    return {gemm * f, attention * f, memory * f, tensor * f, context * f, expert * f, host * f, spare * f};
}

GroupPlacements placements(const Job& job) {
    const Parallelism& p = job.run.parallel;
    const bool chain = job.run.context == ContextKind::ring && !job.stack.attention.ring_gathers;
    return place_groups({p.tp, p.cp, p.dp, p.pp, p.ep, expert_tensor_parallel(p), chain},
                        job.cluster.network);
}

namespace {

/// Whether products add their weight gradients to the buffer themselves.
bool products_accumulate(const Job& job) {
    return job.stack.states.gradients == GradientStore::main_buffer && !job.stack.states.model_gradients_kept;
}

/// And the buffer is wider than their outputs, so that all of it is written beside them.
bool products_widen(const Job& job) {
    return products_accumulate(job) && job.run.precision.gradients == DataType::fp32 &&
           job.run.precision.weights != DataType::fp32;
}

// Time of AdamW's elementary operators, tensor by tensor or for lists of them, over that of the fused kernel:
// 1.28 against 3.46 TB/s of its bytes (H200, torch 2.11, 2026-11-20; 16-bit states 1.07 against 2.72).
constexpr double unfused_optimizer = 2.6;

/// The model of the job's products in `type`: a product without one would take no time.
GemmModel required_gemm_model(const Job& job, DataType type) {
    const AcceleratorSpec& a = job.cluster.accelerator;
    const std::optional<GemmModel> model =
        gemm_model(a, job.cluster.kernels, type, job.run.fp8_scaling.value_or(Fp8Scaling::tensorwise));
    if (!model) {
        throw Error(ErrorKind::input, "run.precision: " + job.run.precision_name + " multiplies in " +
                                          std::string(to_string(type)) +
                                          ", of which no rate or no kernel data of " + a.id + " is known");
    }
    return *model;
}

}  // namespace

namespace {

/// Whether some products stay in fp32 beside others in 16 bits: experts', attention's or low-rank pairs'.
bool multiplies_in_fp32(const Job& job) {
    return autocast_misses_experts(job) || attention_in_fp32(job) || trains_score_bias(job) ||
           adapter_format(job.run, job.stack) == AdapterFormat::fp32;
}

}  // namespace

KernelContext kernel_context(const Job& job) {
    const AcceleratorSpec& a = job.cluster.accelerator;
    const KernelModels& kernels = job.cluster.kernels;
    const Precision& precision = job.run.precision;
    const AttentionChoice attention = attention_in_force(job);
    const AttentionGeneration generation =
        attention.kernel == AttentionKernel::math ? AttentionGeneration::math : attention.generation;
    GemmModel gemm = required_gemm_model(job, precision.gemm);
    const bool quantises = gemm.quantises && job.stack.narrow.quantise_bytes > 0.0;
    if (quantises)
        gemm.quantises = false;  // counted by the stack's own bytes
    // tf32 is how fp32 operands are multiplied: every product, not only those of a narrower format.
    const bool tf32 = precision.gemm == DataType::tf32 && precision.compute == DataType::fp32;
    GemmModel plain = required_gemm_model(job, tf32 ? precision.gemm : attention_format(precision));
    gemm.pads = plain.pads = is_compiled(job.run, job.stack);
    gemm.pads_gradients = plain.pads_gradients = job.stack.layer.pads_gradients;
    return {&job,
            placements(job),
            gemm,
            plain,
            *attention_model(a, kernels, generation, attention_format(precision)),
            *bandwidth_model(a, kernels),
            products_widen(job) ? GemmPass::wgrad_accumulate : GemmPass::wgrad,
            quantises,
            multiplies_in_fp32(job) ? gemm_model(a, kernels, DataType::fp32) : std::nullopt};
}

Seconds communication_time(Collective collective, Bytes message, Group group, const Job& job,
                           const GroupPlacements& g) {
    const auto placement = [&]() -> const GroupPlacement& {
        switch (group) {
            case Group::tensor:
                return g.tp;
            case Group::context:
                return g.cp;
            case Group::expert:
                return g.ep;
            case Group::expert_tensor:
                return g.etp;
            case Group::data:
                return g.dp_cp;
            case Group::expert_data:
                return g.expert_dp;
            case Group::pipeline:
                return g.pp;
        }
        return g.tp;
    };
    return collective_time(collective, message, placement(), job.cluster.network);
}

Seconds optimizer_walk_time(Bytes bytes, const Job& job) {
    return memory_time(bytes, MemoryAccess::optimizer,
                       *bandwidth_model(job.cluster.accelerator, job.cluster.kernels));
}

Seconds accumulation_time(const Job& job, double elements) {
    const Precision& precision = job.run.precision;
    if (model_gradients_beside(job)) {
        const Bytes each =
            bytes_per_element(precision.compute) + bytes_per_element(precision.gradients) * 2.0;
        return optimizer_walk_time(each * elements, job);
    }
    const double m = static_cast<double>(micro_batches(job.run));
    const bool xla = job.stack.states.shard == ShardEngine::xla ||
                     job.stack.layer.tensor_parallel == TensorParallelKind::xla;
    if (m <= 1.0 || xla || fully_sharded(job) || products_widen(job))
        return Seconds{};
    // A product reads the older gradient; an addition of its own reads both and writes the sum.
    const Bytes old = bytes_per_element(precision.gradients);
    const Bytes each = products_accumulate(job) ? old : bytes_per_element(precision.weights) + old * 2.0;
    return memory_time(each * elements, MemoryAccess::stream,
                       *bandwidth_model(job.cluster.accelerator, job.cluster.kernels)) *
           ((m - 1.0) / m);
}

Seconds optimizer_time(Bytes bytes, const Job& job) {
    const Precision& precision = job.run.precision;
    const bool narrow = !precision.master && bytes_per_element(precision.weights).value() <= 2.0;
    const Seconds time = memory_time(bytes, narrow ? MemoryAccess::narrow_optimizer : MemoryAccess::optimizer,
                                     *bandwidth_model(job.cluster.accelerator, job.cluster.kernels));
    const OptimizerKernel kernel = job.run.optimizer_kernel.value_or(job.stack.states.optimizer);
    return kernel == OptimizerKernel::fused ? time : time * unfused_optimizer;
}

namespace {

/// Products that stay in the compute format when the run's matrix format is narrower: head, router,
/// embedding, adapters and what a scan multiplies.
bool in_compute_format(const Operator& op, const Job& job) {
    const bool wide_head = !job.stack.narrow.head || job.model.tied_embeddings;
    return (op.module == Module::head && wide_head) || op.module == Module::router ||
           op.module == Module::embedding || op.adapter ||
           (op.module == Module::recurrent && op.weights == 0.0);
}

/// Bytes of the stack's own quantisation: of a product's input, and its weight where that is not kept, in
/// forward; of its output's gradient, which both backward products share, in backward.
Bytes quantise_bytes(const Operator& op, Pass pass, const KernelContext& c) {
    if (!c.quantises || in_compute_format(op, *c.job))
        return Bytes{};
    const StackNarrow& narrow = c.job->stack.narrow;
    const bool fine = scales_finely(*c.job);
    const bool eager = narrow.eager_quantise_bytes > 0.0 && !is_compiled(c.job->run, c.job->stack);
    const double each = eager  ? narrow.eager_quantise_bytes
                        : fine ? narrow.fine_quantise_bytes
                               : narrow.quantise_bytes;
    const bool forward = pass == Pass::forward;
    double elements = op.gemm.m * (forward ? op.gemm.k : op.gemm.n);
    if (forward && (fine || narrow.quantises_weights))
        elements += op.gemm.n * op.gemm.k;
    return Bytes{op.gemm.count * elements * each};
}

/// Whether the operator's products are those that stay in fp32 where the others don't.
bool stays_in_fp32(const Operator& op, const KernelContext& c) {
    if (!c.wide_gemm)
        return false;
    return op.adapter ? adapter_format(c.job->run, c.job->stack) == AdapterFormat::fp32
                      : op.kind == OpKind::grouped_gemm && autocast_misses_experts(*c.job);
}

/// Matrix products an operator runs in one pass.
double products(const Operator& op, Pass pass) {
    return pass == Pass::forward ? 1.0 : (op.input_gradient ? 1.0 : 0.0) + (op.weight_gradient ? 1.0 : 0.0);
}

const GemmModel& product_model(const Operator& op, const KernelContext& c) {
    return stays_in_fp32(op, c) ? *c.wide_gemm : in_compute_format(op, *c.job) ? c.plain_gemm : c.gemm;
}

/// Matrix products of an operator in one pass.
Seconds product_time(const Operator& op, Pass pass, const GemmModel& model, const KernelContext& c) {
    const double factor = c.job->stack.device.gemm_factor;
    if (pass == Pass::forward)
        return gemm_time(op.gemm, GemmPass::forward, model) * factor;
    Seconds time;
    if (op.input_gradient)
        time += gemm_time(op.gemm, GemmPass::dgrad, model);
    if (op.weight_gradient)
        time += gemm_time(op.gemm, c.weight_gradient, model);
    return time * factor;
}

/// Time that products of `time` would take at the highest clock: power holds back those that keep more of the
/// peak busy than the limit feeds, to sqrt(share · knee) of the peak.
Seconds full_clock_time(const Operator& op, Pass pass, Seconds time, const GemmModel& model) {
    const Flops work{2.0 * op.gemm.m * op.gemm.n * op.gemm.k * op.gemm.count * products(op, pass)};
    if (model.power_knee <= 0.0 || time.value() <= 0.0)
        return time;
    const double share = work / (model.peak * time);
    return time * std::min(1.0, model.power_knee / share);
}

// Power that kernels bound by memory draw less than products, as a share of what the limit feeds those.
// Chains of products and such kernels ask for 0.59 (H200, 2026-11-22: 1.083 and 1.151 times the rate alone
// where they fill 25 and 42 % of the time); training steps, whose knees were found without it, for less: a
// compromise, fitted to no source left out (2026-11-25).
constexpr double spared_power = 0.25;

/// Products beside kernels bound by memory, whose power they may take, but no more than the highest clock
/// asks.
Seconds relieved(Seconds products, Seconds at_full_clock, const PassTime& t) {
    Seconds time = products;
    for (int i = 0; i < 2; ++i) {  // the share of the other kernels grows as products shrink
        const double others = t.memory / (time + t.attention + t.memory);
        time = std::max(at_full_clock, products * std::sqrt(1.0 - spared_power * others));
    }
    return time;
}

/// Bytes walked by an operator's kernels that are no products.
Seconds walk_time(const Operator& op, Pass pass, const KernelContext& c) {
    const bool forward = pass == Pass::forward;
    const Bytes bytes = forward ? op.forward_bytes : op.backward_bytes;
    if (bytes.value() <= 0.0)
        return Seconds{};
    const int kernels =
        op.kind == OpKind::memory ? std::max(1, forward ? op.forward_kernels : op.backward_kernels) : 1;
    return memory_time(bytes / kernels, forward ? op.forward_access : op.backward_access, c.memory) * kernels;
}

/// Casts, accumulation and quantisation beside an operator's products.
Seconds beside_product_time(const Operator& op, Pass pass, const KernelContext& c) {
    return walk_time(op, pass, c) + memory_time(quantise_bytes(op, pass, c), MemoryAccess::stream, c.memory);
}

/// Share of a ring's attention work under which blocks of keys and values travel: all but one of cp blocks
/// [Liu23, Sec. 3]; 0 for all-to-all, which attention waits for.
double ring_overlap(const Job& job) {
    const double cp = static_cast<double>(job.run.parallel.cp);
    const bool waits = job.stack.attention.compiled_ring_waits && is_compiled(job.run, job.stack);
    return job.run.context == ContextKind::ring && !waits ? (cp - 1.0) / cp : 0.0;
}

}  // namespace

Seconds operator_time(const Operator& op, Pass pass, const KernelContext& c) {
    const bool forward = pass == Pass::forward;
    switch (op.kind) {
        case OpKind::communication: {
            const Bytes message = forward ? op.forward_message : op.backward_message;
            if (message.value() <= 0.0)
                return Seconds{};
            return communication_time(forward ? op.forward_collective : op.backward_collective, message,
                                      op.group, *c.job, c.groups);
        }
        case OpKind::attention:
            return std::max(
                attention_kernel_time(op.attention, forward, c),
                (forward ? op.forward_flops : op.backward_flops) / std::max(c.gemm.peak, c.plain_gemm.peak));
        case OpKind::gemm:
        case OpKind::grouped_gemm:
            return product_time(op, pass, product_model(op, c), c) + beside_product_time(op, pass, c);
        case OpKind::memory:
            return walk_time(op, pass, c);
    }
    return Seconds{};
}

namespace {

/// Operators before the last whose output, or something it makes on the way, is saved for the backward pass.
/// A product saves its input, which is there before it runs.
std::size_t count_before_last_output(const OpList& ops) {
    std::size_t n = ops.size();
    while (n > 0 && ops[n - 1].saved.value() <= 0.0 && ops[n - 1].kind != OpKind::gemm)
        --n;
    return n > 0 && ops[n - 1].kind == OpKind::gemm ? n - 1 : n;
}

}  // namespace

Seconds host_time(Seconds reference, const Job& job) {
    return reference / launch_speed(job);
}

PassTime pass_time(const OpList& ops, Pass pass, const KernelContext& c, Part part, Seconds also) {
    const StackSpec& stack = c.job->stack;
    PassTime t{};
    int kernels = 0;
    int wrapped = 0;  ///< weights among the operands, and collectives of tensor parallelism
    int adapters = 0;
    int narrow = 0;
    Seconds full_clock;  // products at the highest clock
    Seconds ring;        // exchange of keys and values not yet hidden by an attention kernel
    const std::size_t count = part == Part::before_last_output ? count_before_last_output(ops) : ops.size();
    for (std::size_t i = 0; i < count; ++i) {
        const Operator& op = ops[i];
        if (part == Part::selective && !op.selective)
            continue;
        const bool multiplies = op.kind == OpKind::gemm || op.kind == OpKind::grouped_gemm;
        const Seconds time = multiplies ? Seconds{} : operator_time(op, pass, c);
        switch (op.kind) {
            case OpKind::gemm:
            case OpKind::grouped_gemm: {
                const GemmModel& model = product_model(op, c);
                const Seconds product = product_time(op, pass, model, c);
                t.gemm += product;
                full_clock += full_clock_time(op, pass, product, model);
                if (op.kind == OpKind::grouped_gemm)
                    t.host += host_time(stack.experts.launch * (op.gemm.count * products(op, pass)), *c.job);
                t.memory += beside_product_time(op, pass, c);
                break;
            }
            case OpKind::attention:
                t.attention += time;
                t.context += std::max(Seconds{}, ring - time * ring_overlap(*c.job));
                ring = Seconds{};
                break;
            case OpKind::memory:
                t.memory += time;
                break;
            case OpKind::communication:
                if (op.group == Group::tensor) {
                    ++wrapped;
                    t.tensor += time * (1.0 - hidden_tensor_share(*c.job));
                } else if (op.group == Group::expert_tensor) {
                    t.tensor += time;  // around the exchange, not around a product
                } else if (op.group == Group::context) {
                    (ring_overlap(*c.job) > 0.0 ? ring : t.context) += time;
                } else {
                    t.expert += time * (1.0 - stack.experts.overlap);
                }
                break;
        }
        kernels += pass == Pass::forward ? op.forward_kernels : op.backward_kernels;
        adapters += multiplies && op.adapter ? 1 : 0;
        narrow += multiplies && c.quantises && !in_compute_format(op, *c.job) ? 1 : 0;
        wrapped += op.weights > 0.0 ? 1 : 0;
    }
    t.context += ring;  // of a block without attention
    if (t.gemm.value() > 0.0)
        t.gemm = relieved(t.gemm, full_clock, t);
    if (!stack.host.cuda_graphs) {
        const bool dispatched =
            stack.layer.tensor_parallel == TensorParallelKind::dtensor && c.job->run.parallel.tp > 1;
        // A compiled block dispatches no operator but its collectives: its weights are unwrapped as they come
        // in, and their gradients wrapped.
        const bool traced = dispatched && shape_of(*c.job).compiled;
        const Seconds launches =
            (dispatched && !traced ? stack.host.per_dispatched_kernel : stack.host.per_kernel) * kernels;
        const Seconds wrapping = traced ? stack.host.per_dispatched_kernel * wrapped : Seconds{};
        // A pair has two products, and half of its time is in each pass.
        const Seconds issue = launches + wrapping + stack.host.per_adapter * (adapters / 4.0) +
                              stack.host.per_narrow_product * (narrow / 2.0) + also;
        const Seconds issued = host_time(issue, *c.job);
        t.host += std::max(Seconds{}, issued - t.device());
        t.spare = std::max(Seconds{}, t.device() - issued);
    }
    return t;
}

}  // namespace traincost
