#include "traincost/cost/kernels/orthogonalisation.hpp"

#include <algorithm>

namespace traincost {

Orthogonalisation orthogonalisation(const OpList& ops, const KernelContext& context) {
    Orthogonalisation sum{};
    const RunSpec& run = context.job->run;
    if (run.optimizer != Optimizer::muon || run.tuning != Tuning::full)
        return sum;
    for (const Operator& op : ops) {
        const bool grouped = op.kind == OpKind::grouped_gemm;
        if ((op.kind != OpKind::gemm && !grouped) || op.weights <= 0.0 || op.adapter)
            continue;
        const double m = std::min(op.gemm.n, op.gemm.k);
        const double n = std::max(op.gemm.n, op.gemm.k);
        const auto product = [&](double columns, double inner) {
            return gemm_time({m, columns, inner, op.gemm.count}, GemmPass::forward, context.plain_gemm);
        };
        const Seconds iteration = product(m, n) + product(m, m) + product(n, m);
        (grouped ? sum.expert : sum.dense) += iteration * newton_schulz_iterations;
    }
    return sum;
}

}  // namespace traincost
