#include "traincost/cost/adapters.hpp"

#include "traincost/cost/blocks.hpp"

namespace traincost {

std::int64_t adapter_parameters(const Job& job) {
    if (job.run.tuning == Tuning::full)
        return 0;
    Job whole = job;
    whole.run.parallel = Parallelism{};
    BlockOps ops;
    fill_ops(whole, shape_of(whole), ops);
    const auto sum = [](const OpList& list) {
        double weights = 0.0;
        for (const Operator& op : list)
            weights += op.adapter_weights;
        return weights;
    };
    double weights = sum(ops.head) + sum(ops.embedding);
    for (std::int64_t i = 0; i < block_count(job.model); ++i)
        weights += sum(ops.blocks[kind_of(whole, ops, i)]);
    return static_cast<std::int64_t>(weights);
}

}  // namespace traincost
