#include "traincost/cost/kernels.hpp"

#include <algorithm>

namespace traincost {

PassTime& PassTime::operator+=(const PassTime& o) {
    gemm += o.gemm;
    attention += o.attention;
    memory += o.memory;
    tensor += o.tensor;
    context += o.context;
    expert += o.expert;
    host += o.host;
    return *this;
}

PassTime PassTime::operator*(double f) const {
    return {gemm * f, attention * f, memory * f, tensor * f, context * f, expert * f, host * f};
}

GroupPlacements placements(const Job& job) {
    const Parallelism& p = job.run.parallel;
    return place_groups({p.tp, p.cp, p.dp, p.pp, p.ep, expert_tensor_parallel(p)}, job.cluster.network);
}

KernelContext kernel_context(const Job& job) {
    const AcceleratorSpec& a = job.cluster.accelerator;
    const KernelModels& kernels = job.cluster.kernels;
    const Precision& precision = job.run.precision;
    const bool accumulates = job.stack.gradients == GradientStore::main_buffer &&
                             !job.stack.model_gradients_kept && precision.gradients == DataType::fp32 &&
                             precision.weights != DataType::fp32;
    const bool math = job.run.attention.value_or(job.stack.attention) == AttentionKernel::math;
    // `validate` has made sure that the accelerator runs these formats and has kernel data.
    AttentionModel attention =
        *attention_model(a, kernels, math ? AttentionGeneration::math : job.stack.attention_generation);
    if (job.stack.fused_softmax)
        attention.math = fused_softmax_bytes(job.run.dropout.value_or(job.stack.dropout) > 0.0);
    return {&job,
            placements(job),
            *gemm_model(a, kernels, precision.gemm),
            *gemm_model(a, kernels, precision.compute),
            attention,
            *bandwidth_model(a, kernels),
            accumulates ? GemmPass::wgrad_accumulate : GemmPass::wgrad};
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

namespace {

/// Matrix products of an operator in one pass.
Seconds product_time(const Operator& op, Pass pass, const KernelContext& c) {
    const bool plain =
        op.module == Module::head || op.module == Module::router || op.module == Module::embedding;
    const GemmModel& model = plain ? c.plain_gemm : c.gemm;
    const double factor = c.job->stack.gemm_factor;
    if (pass == Pass::forward)
        return gemm_time(op.gemm, GemmPass::forward, model) * factor;
    Seconds time;
    if (op.input_gradient)
        time += gemm_time(op.gemm, GemmPass::dgrad, model);
    if (op.weight_gradient)
        time += gemm_time(op.gemm, c.weight_gradient, model);
    return time * factor;
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
            return forward ? attention_forward_time(op.attention, c.attention)
                           : attention_backward_time(op.attention, c.attention);
        case OpKind::gemm:
        case OpKind::grouped_gemm:
            return product_time(op, pass, c) + walk_time(op, pass, c);
        case OpKind::memory:
            return walk_time(op, pass, c);
    }
    return Seconds{};
}

PassTime pass_time(const OpList& ops, Pass pass, const KernelContext& c, bool selective_only) {
    const StackSpec& stack = c.job->stack;
    PassTime t{};
    int kernels = 0;
    for (const Operator& op : ops) {
        if (selective_only && !op.selective)
            continue;
        const Seconds time = operator_time(op, pass, c);
        switch (op.kind) {
            case OpKind::gemm:
            case OpKind::grouped_gemm: {
                const Seconds walk = walk_time(op, pass, c);
                t.gemm += time - walk;
                t.memory += walk;
                break;
            }
            case OpKind::attention:
                t.attention += time;
                break;
            case OpKind::memory:
                t.memory += time;
                break;
            case OpKind::communication:
                if (op.group == Group::tensor || op.group == Group::expert_tensor) {
                    t.tensor += time * (1.0 - stack.tp_overlap);
                } else if (op.group == Group::context) {
                    t.context += time;
                } else {
                    t.expert += time * (1.0 - stack.ep_overlap);
                }
                break;
        }
        kernels += pass == Pass::forward ? op.forward_kernels : op.backward_kernels;
    }
    if (!stack.cuda_graphs) {
        const bool dispatched =
            stack.tensor_parallel == TensorParallelKind::dtensor && c.job->run.parallel.tp > 1;
        const Seconds each = dispatched ? stack.host_per_dispatched_kernel : stack.host_per_kernel;
        t.host = std::max(Seconds{}, each * kernels - t.device());
    }
    return t;
}

}  // namespace traincost
