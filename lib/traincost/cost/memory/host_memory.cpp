#include "traincost/cost/memory/host_memory.hpp"

#include <algorithm>

namespace traincost {

Bytes of_node(const Job& job, Bytes rank) {
    return rank * static_cast<double>(std::min(job.cluster.per_node, job.cluster.accelerators));
}

bool exceeds_host(const Job& job, const Shape& shape, const BlockTable& table, const StageClasses& stages) {
    const RunSpec& run = job.run;
    const bool offloads = run.offload_optimizer == Offload::cpu || run.offload_parameters == Offload::cpu ||
                          run.offload_activations > 0.0;
    if (!offloads || !job.cluster.host.memory)
        return false;
    for (std::int64_t stage = 0; stage < run.parallel.pp; ++stage) {
        if (of_node(job, stage_memory(job, shape, table, stages, stage).host) > *job.cluster.host.memory)
            return true;
    }
    return false;
}

}  // namespace traincost
