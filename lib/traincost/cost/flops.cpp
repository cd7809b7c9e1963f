#include "traincost/cost/flops.hpp"

#include <algorithm>
#include <array>

#include "traincost/cost/blocks.hpp"
#include "traincost/spec/step_tokens.hpp"

namespace traincost {

namespace {

/// The job with all sequences as long as the mean.
Job of_mean_length(Job job) {
    RunSpec& run = job.run;
    run.sequence = mean_length(run);
    run.padded_length.reset();
    if (run.packed_length)
        run.packed_length = std::min(*run.packed_length, run.sequence);
    return job;
}

/// The step on one undivided rank: sharding moves FLOPs about, padding and replication must not add any.
Shape undivided(const Job& job) {
    Shape s = shape_of(job);
    s.batch = static_cast<double>(job.run.global_batch);
    s.tokens = s.tokens_sp = s.batch * s.sequence;
    s.tp = s.cp = s.ep = s.etp = 1;
    s.sequence_parallel = false;
    s.expert_imbalance = 1.0;
    s.vocab = s.rank_vocab = static_cast<double>(job.model.vocab);
    return s;
}

/// FLOPs of a list of operators.
struct ListFlops {
    Flops model;      ///< forward and backward
    Flops forward;    ///< forward alone: what running the whole list again takes
    Flops selective;  ///< forward of those that selective recompute runs again
};

ListFlops list_flops(const OpList& list, bool full_attention) {
    ListFlops sum{};
    for (const Operator& op : list) {
        const bool counts_all = full_attention && op.kind == OpKind::attention;
        const double factor = counts_all ? op.attention.keys / mean_keys(op.attention) : 1.0;
        const Flops forward = op.forward_flops * factor;
        sum.model += forward + op.backward_flops * factor;
        sum.forward += forward;
        if (op.selective)
            sum.selective += forward;
    }
    return sum;
}

StepFlops inventory_flops(const Job& job, bool full_attention) {
    if (job.run.padded_length)
        return inventory_flops(of_mean_length(job), full_attention);
    const RunSpec& run = job.run;
    BlockOps ops;
    fill_ops(job, undivided(job), ops);
    std::array<ListFlops, block_kind_limit> kinds;
    for (std::size_t k = 0; k < ops.size; ++k)
        kinds[k] = list_flops(ops.blocks[k], full_attention);
    StepFlops sum{};
    const std::int64_t blocks = block_count(job.model);
    for (std::int64_t i = 0; i < blocks; ++i) {
        const bool again = run.recompute == Recompute::full && i % run.recompute_every == 0 &&
                           (!run.recompute_layers || i / run.parallel.pp < *run.recompute_layers);
        const ListFlops& kind = kinds[kind_of(job, ops, i)];
        sum.model += kind.model;
        sum.recomputed += again ? kind.forward : kind.selective;
    }
    for (const OpList* end : {&ops.embedding, &ops.head}) {
        const ListFlops flops = list_flops(*end, full_attention);
        sum.model += flops.model;
        sum.recomputed += flops.selective;
    }
    return sum;
}

}  // namespace

StepFlops step_flops(const Job& job) {
    return inventory_flops(job, false);
}

Flops model_flops(const Job& job, FlopConvention convention) {
    const ModelSpec& m = job.model;
    const double D = tokens_per_step(job.run);
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
            const double T = static_cast<double>(mean_length(job.run));
            return Flops{(6.0 * N + 12.0 * L * H * Q * T) * D};
        }
        case FlopConvention::megatron: {
            const double B = static_cast<double>(job.run.global_batch);
            const double s = static_cast<double>(mean_length(job.run));
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
