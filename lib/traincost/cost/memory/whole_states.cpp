#include "traincost/cost/memory/whole_states.hpp"

#include "traincost/cost/memory/stage_inventory.hpp"
#include "traincost/cost/ops.hpp"

namespace traincost {

WholeStates whole_states(Job job, const BlockTable& table) {
    job.run.parallel = Parallelism{};
    job.run.offload_optimizer = Offload::none;
    job.run.offload_parameters = Offload::none;
    const Shape shape = shape_of(job);
    const StageClasses stages = stage_classes(job, table);
    const StageInventory held(job, shape, table, stages, 0);
    const Bytes updated = held.master.bytes() + held.moments.bytes();
    return {held.weights.bytes(), job.run.frozen_layers > 0 ? Bytes{} : updated};
}

}  // namespace traincost
