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

KernelContext kernel_context(const Job& job) {
    const Parallelism& p = job.run.parallel;
    const ParallelGroups groups{p.tp, p.cp, p.dp, p.pp, p.ep, expert_tensor_parallel(p)};
    return {&job, place_groups(groups, job.cluster.network),
            *peak_rate(job.cluster.accelerator, job.run.precision.gemm),
            *peak_rate(job.cluster.accelerator, job.run.precision.compute)};
}

Seconds communication_time(Collective collective, Bytes message, Group group, const KernelContext& c) {
    const GroupPlacements& g = c.groups;
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
    return collective_time(collective, message, placement(), c.job->cluster.network);
}

Seconds memory_time(Bytes bytes, const KernelContext& c) {
    return bytes / (c.job->cluster.accelerator.memory_bandwidth * 0.8);
}

Seconds operator_time(const Operator& op, Pass pass, const KernelContext& c) {
    const bool forward = pass == Pass::forward;
    if (op.kind == OpKind::communication) {
        const Bytes message = forward ? op.forward_message : op.backward_message;
        if (message.value() <= 0.0)
            return Seconds{};
        return communication_time(forward ? op.forward_collective : op.backward_collective, message, op.group,
                                  c);
    }
    const Flops flops = forward ? op.forward_flops : op.backward_flops;
    const Bytes bytes = forward ? op.forward_bytes : op.backward_bytes;
    Seconds time = bytes.value() > 0.0 ? memory_time(bytes, c) : Seconds{};
    if (flops.value() > 0.0)
        time += flops / ((op.kind == OpKind::attention ? c.attention_peak : c.gemm_peak) * 0.7);
    return time;
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
            case OpKind::grouped_gemm:
                t.gemm += time;
                break;
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
    if (!stack.cuda_graphs)
        t.host = std::max(Seconds{}, stack.host_per_kernel * kernels - t.device());
    return t;
}

}  // namespace traincost
