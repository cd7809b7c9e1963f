#include "traincost/cost/memory/allocator_pressure.hpp"

#include "traincost/cost/regime.hpp"

namespace traincost {

namespace {

/// Both ways of a byte: pages mapped, or its part of a usual block.
double seconds_per_byte(const Job& job) {
    const AllocatorModel& model = job.cluster.kernels.allocator;
    if (expandable_segments(job))
        return model.mapped_s_per_byte;
    return model.segment_s_per_byte + model.per_segment.value() / model.segment.value();
}

}  // namespace

AllocatorPressure allocator_pressure(const Job& job, const StageMemory& stage) {
    if (stage.refused <= Bytes{})
        return {};
    const bool gathers = job.stack.device.gathered_blocks_ahead > 0.0 && job.run.parallel.tp > 1;
    AllocatorPressure pressure{};
    pressure.refusals = gathers ? static_cast<double>(micro_batches(job.run)) : 1.0;
    pressure.returned = stage.reserved - stage.allocated + stage.refused;
    pressure.seconds_per_byte = seconds_per_byte(job);
    pressure.time = Seconds{pressure.refusals * pressure.returned.value() * pressure.seconds_per_byte};
    return pressure;
}

AllocatorPressure allocator_pressure(const Job& job, const Shape& shape, const BlockTable& table,
                                     const StageClasses& stages, Bytes peak) {
    constexpr double rounding = 1.0 - 1e-9;
    AllocatorPressure most{};
    // Refused memory means that what was granted fills the device.
    if (peak < usable_memory(job.cluster.accelerator) * rounding)
        return most;
    for (const StageClass& c : stages.classes) {
        const AllocatorPressure p = allocator_pressure(job, stage_memory(job, shape, table, stages, c.stage));
        if (p.time > most.time)
            most = p;
    }
    return most;
}

}  // namespace traincost
