#include "traincost/plan/search_parts.hpp"

namespace traincost {

PipelineStages::PipelineStages(const Job& base, const SearchSpace& space) : job_(base), space_(&space) {
    job_.run.parallel = Parallelism{};
    job_.run.micro_batch = 1;
    const Shape shape = shape_of(job_);
    BlockOps ops;
    fill_ops(job_, shape, ops);
    kinds_ = block_table(job_, shape, ops);
}

const std::vector<StageClasses>& PipelineStages::of(std::int64_t pp, std::int64_t vp) {
    const std::scoped_lock lock(mutex_);
    const auto [entry, fresh] = stages_.try_emplace({pp, vp});
    if (fresh) {
        job_.run.parallel.pp = pp;
        job_.run.parallel.vp = vp;
        for (const RecomputeChoice& choice : space_->recompute) {
            job_.run.recompute = choice.kind;
            job_.run.recompute_every = choice.every;
            job_.run.recompute_layers = choice.layers;
            entry->second.push_back(stage_classes(job_, kinds_));
        }
    }
    return entry->second;
}

const ShapeTables::Entry& ShapeTables::of(const Job& job) {
    const bool selective = job.run.recompute == Recompute::selective;
    const RecomputeModules modules = selective ? job.run.recompute_modules : RecomputeModules{};
    const Shape& any = entries_.empty() ? (shape_ = shape_of(job)) : shape_;
    const Bytes gradient = weight_bytes(job, any).gradient;
    const Entry* sibling = nullptr;
    for (const auto& entry : entries_) {
        if (entry->selective != selective || entry->modules != modules)
            continue;
        if (entry->gradient == gradient)
            return *entry;
        sibling = entry.get();
    }
    auto entry = std::make_unique<Entry>();
    entry->modules = modules;
    entry->selective = selective;
    entry->gradient = gradient;
    entry->shape = shape_of(job);
    if (sibling != nullptr) {
        entry->ops = sibling->ops;
        entry->table = sibling->table;
        set_totals(job, entry->shape, *entry->ops, entry->table);
    } else {
        const auto ops = std::make_shared<BlockOps>();
        fill_ops(job, entry->shape, *ops);
        entry->table = block_table(job, entry->shape, *ops);
        entry->ops = ops;
    }
    entries_.push_back(std::move(entry));
    return *entries_.back();
}

}  // namespace traincost
