// One shape's configurations, evaluated or cut by a bound.
#pragma once

#include <cstdint>

#include "traincost/plan/search.hpp"
#include "traincost/plan/search_findings.hpp"
#include "traincost/plan/search_incumbents.hpp"
#include "traincost/plan/search_parts.hpp"

namespace traincost {

/// One shape on one site.
struct SearchTask {
    std::int32_t site;
    ShapeKey key;
};

/// What of a shape is walked, and what for.
enum class WalkExtent : std::uint8_t {
    everything,
    sample,   ///< unsharded groups only, for plans to compare with
    nearest,  ///< nothing fits: what comes nearest
};

/// Price and power of a cluster's nodes.
struct SiteRates {
    double slowdown;  ///< 1 / goodput
    double dollars_per_s;
    double watts;
    PlanMetrics metrics(Seconds step, Bytes memory) const {
        const Seconds time = step * slowdown;
        return {time, memory, Dollars{time.value() * dollars_per_s}, time.value() * watts};
    }
};
SiteRates rates_of(const ClusterSpec& cluster, double goodput);

/// Adds to `found` what the task's configurations are. What bounds and `incumbents` rule out is counted, not
/// evaluated; docs/bounds.md has the bounds and their proof.
void walk_shape(const SearchRequest& request, const SearchTask& task, PipelineStages& pipelines,
                const Incumbents& incumbents, WalkExtent extent, Findings& found);

}  // namespace traincost
