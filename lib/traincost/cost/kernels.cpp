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

Seconds memory_time(Bytes bytes, const Job& job) {
    return bytes / (job.cluster.accelerator.memory_bandwidth * 0.8);
}

Seconds operator_time(const Operator& op, Pass pass, const Job& job) {
    const bool forward = pass == Pass::forward;
    const Flops flops = forward ? op.forward_flops : op.backward_flops;
    const Bytes bytes = forward ? op.forward_bytes : op.backward_bytes;
    Seconds time = bytes.value() > 0.0 ? memory_time(bytes, job) : Seconds{};
    if (flops.value() > 0.0) {
        const FlopRate peak =
            *peak_rate(job.cluster.accelerator,
                       op.kind == OpKind::attention ? job.run.precision.compute : job.run.precision.gemm);
        time += flops / (peak * 0.7);
    }
    return time;
}

PassTime pass_time(const OpList& ops, Pass pass, const Job& job, bool selective_only) {
    PassTime t{};
    int kernels = 0;
    for (const Operator& op : ops) {
        if (selective_only && !op.selective)
            continue;
        const Seconds time = operator_time(op, pass, job);
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
                if (op.group == Group::tensor || op.group == Group::expert_tensor)
                    t.tensor += time * (1.0 - job.stack.tp_overlap);
                else if (op.group == Group::context)
                    t.context += time;
                else
                    t.expert += time * (1.0 - job.stack.ep_overlap);
                break;
        }
        kernels += pass == Pass::forward ? op.forward_kernels : op.backward_kernels;
    }
    if (!job.stack.cuda_graphs)
        t.host = std::max(Seconds{}, job.stack.host_per_kernel * kernels - t.device());
    return t;
}

}  // namespace traincost
