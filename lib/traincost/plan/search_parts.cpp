#include "traincost/plan/search_parts.hpp"

namespace traincost {

PipelineStages::PipelineStages(const Job& base, const SearchSpace& space) : job_(base), space_(&space) {
    job_.run.parallel = Parallelism{};
    job_.run.micro_batch = 1;
    const Shape shape = shape_of(job_);
    BlockOps ops;
    fill_ops(job_, shape, ops);
    kinds_ = block_table(job_, shape, ops);
    whole_ = whole_states(job_, kinds_);
}

Bytes PipelineStages::least_states(const OffloadChoice& offload) const {
    Bytes states;
    if (offload.parameters == Offload::none)
        states += whole_.weights;
    if (offload.optimizer == Offload::none)
        states += whole_.updated;
    return states / static_cast<double>(job_.cluster.accelerators);
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
    const Shape shape = shape_of(job);
    const bool selective = job.run.recompute == Recompute::selective;
    const WeightBytes weight = weight_bytes(job, shape);
    const ShardingHost sharding = sharding_host(job);
    const Entry* sibling = nullptr;  // the same operators; of the same times only totals differ
    for (const auto& entry : entries_) {
        if (entry->selective != selective || entry->shape != shape)
            continue;
        if (entry->weight == weight && entry->sharding == sharding)
            return *entry;
        if (sibling == nullptr || entry->sharding == sharding)
            sibling = entry.get();
    }
    auto entry = std::make_unique<Entry>();
    entry->shape = shape;
    entry->selective = selective;
    entry->weight = weight;
    entry->sharding = sharding;
    if (sibling != nullptr) {
        entry->ops = sibling->ops;
    } else {
        // Half a megabyte, of which the lists use little: make_shared would set all of it to zero.
        const std::shared_ptr<BlockOps> ops(new BlockOps);
        fill_ops(job, shape, *ops);
        entry->ops = ops;
    }
    if (sibling != nullptr && sibling->sharding == sharding) {
        entry->table = sibling->table;
        set_totals(job, shape, *entry->ops, entry->table);
    } else {
        entry->table = block_table(job, shape, *entry->ops);
    }
    entries_.push_back(std::move(entry));
    return *entries_.back();
}

}  // namespace traincost
