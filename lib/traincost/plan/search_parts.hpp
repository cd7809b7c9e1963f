// What the configurations of a search share, computed once: stages by pipeline, block tables by shape.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "traincost/cost/blocks.hpp"
#include "traincost/cost/memory/whole_states.hpp"
#include "traincost/cost/ops.hpp"
#include "traincost/cost/stages.hpp"
#include "traincost/plan/search_space.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// The stages of every pipeline in a site's space, by recompute choice: the same for all shapes.
class PipelineStages {
public:
    PipelineStages(const Job& base, const SearchSpace& space);

    /// By recompute choice. May be called from several threads.
    const std::vector<StageClasses>& of(std::int64_t pp, std::int64_t vp);

    /// A rank's share of the whole model's states where they are dealt evenly: the fullest has no less.
    Bytes least_states(const OffloadChoice& offload) const;

private:
    Job job_;
    const SearchSpace* space_;
    BlockTable kinds_;
    WholeStates whole_{};
    std::mutex mutex_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<StageClasses>> stages_;
};

/// Block tables of one shape key: one for each way its operators can look (selective recompute, autocast,
/// which sharded weights do without), each way weights and gradients come and go, and what sharding takes of
/// the host.
class ShapeTables {
public:
    struct Entry {
        Shape shape;
        bool selective;  ///< what is run again is timed
        WeightBytes weight;
        ShardingHost sharding;
        std::shared_ptr<const BlockOps> ops;
        BlockTable table;
    };

    /// Valid as long as this is. All jobs of one object differ in nothing that `ShapeKey` holds.
    const Entry& of(const Job& job);

private:
    std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace traincost
