#include "traincost/cost/flops.hpp"

#include "traincost/cost/blocks.hpp"

namespace traincost {

namespace {

/// The job on one undivided rank: sharding moves FLOPs about, padding and replication must not add any.
Job undivided(const Job& job) {
    Job whole = job;
    whole.run.parallel = Parallelism{};
    whole.run.micro_batch = job.run.global_batch;
    whole.run.context = ContextKind::ring;
    whole.run.expert_imbalance = 1.0;
    whole.stack.head.vocab_multiple = 1;
    return whole;
}

StepFlops inventory_flops(const Job& job, bool full_attention) {
    const Job whole = undivided(job);
    const Shape shape = shape_of(whole);
    StepFlops sum{};
    const auto add = [&](const OpList& list, bool again) {
        for (const Operator& op : list) {
            double factor = 1.0;
            if (full_attention && op.kind == OpKind::attention)
                factor = op.attention.keys / mean_keys(op.attention);
            sum.model += (op.forward_flops + op.backward_flops) * factor;
            if (again || op.selective)
                sum.recomputed += op.forward_flops * factor;
        }
    };
    BlockOps ops;
    fill_ops(whole, shape, ops);
    const std::int64_t blocks = block_count(job.model);
    for (std::int64_t i = 0; i < blocks; ++i) {
        const bool again = job.run.recompute == Recompute::full && i % job.run.recompute_every == 0 &&
                           (!job.run.recompute_layers || i / job.run.parallel.pp < *job.run.recompute_layers);
        add(ops.blocks[kind_of(whole, ops, i)], again);
    }
    add(ops.embedding, false);
    add(ops.head, false);
    return sum;
}

}  // namespace

StepFlops step_flops(const Job& job) {
    return inventory_flops(job, false);
}

Flops model_flops(const Job& job, FlopConvention convention) {
    const ModelSpec& m = job.model;
    const double D =
        static_cast<double>(job.run.global_batch) * static_cast<double>(job.run.sequence);  // tokens a step
    switch (convention) {
        case FlopConvention::exact:
            return step_flops(job).model;
        case FlopConvention::exact_full:
            return inventory_flops(job, true).model;
        case FlopConvention::palm: {
            const double N = static_cast<double>(parameter_count(m).active_without_input_embedding);
            const double L = static_cast<double>(attention_layers(m));
            const double H = static_cast<double>(m.heads);
            const double Q = static_cast<double>(m.head_dim);
            const double T = static_cast<double>(job.run.sequence);
            return Flops{(6.0 * N + 12.0 * L * H * Q * T) * D};
        }
        case FlopConvention::megatron: {
            const double B = static_cast<double>(job.run.global_batch);
            const double s = static_cast<double>(job.run.sequence);
            const double L = static_cast<double>(m.layers);
            const double h = static_cast<double>(m.hidden);
            const double V = static_cast<double>(m.vocab);
            return Flops{72.0 * B * s * L * h * h * (1.0 + s / (6.0 * h) + V / (12.0 * h * L))};
        }
        case FlopConvention::six_nd:
            return Flops{6.0 * static_cast<double>(parameter_count(m).active) * D};
    }
    return Flops{};
}

Flops hardware_flops(const Job& job) {
    const StepFlops f = step_flops(job);
    return f.model + f.recomputed;
}

}  // namespace traincost
