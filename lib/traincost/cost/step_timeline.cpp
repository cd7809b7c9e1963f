#include "traincost/cost/step_timeline.hpp"

namespace traincost {

StepTimeline step_timeline(const Job& job) {
    const Shape shape = shape_of(job);
    BlockOps ops;
    fill_ops(job, shape, ops);
    const BlockTable table = block_table(job, shape, ops);
    const StageClasses stages = stage_classes(job, table);
    const Parallelism& p = job.run.parallel;
    const std::vector<StageTime> times = stage_times(job, table, stages);
    const std::vector<ChunkTime> chunks = chunk_times({times, stages.class_of}, p.vp);
    // One stage has no pipeline, whatever the schedule.
    const Schedule schedule = p.pp > 1 ? schedule_of(job) : Schedule::one_f_one_b;
    StepTimeline line{
        .stages = p.pp,
        .pipeline = play({schedule, chunks, p.pp, micro_batches(job.run), stage_transfer(job, shape)}),
        .after = {},
        .total = {},
        .micro_batches = micro_batches(job.run),
        .chunks = std::ssize(chunks),
        .transfer = stage_transfer(job, shape),
        .data_parallel = {},
        .passes = {},
        .memory = {},
        .capacity = allowed_memory(job)};
    line.total = line.pipeline.total;
    const Bytes peak = peak_device_memory(job, shape, table, stages);
    const StepTime step =
        step_time(job, shape, table, stages, allocator_pressure(job, shape, table, stages, peak));
    line.data_parallel = step.parts.data_parallel;
    const std::vector<StagePasses> passes = stage_passes(job, table, stages);
    for (std::int64_t s = 0; s < p.pp; ++s) {
        line.passes.push_back(passes[static_cast<std::size_t>(stages.class_of[static_cast<std::size_t>(s)])]);
        line.memory.push_back(memory_walk(job, shape, table, stages, s));
    }
    for (const StepTerm term : {StepTerm::data_parallel, StepTerm::offload, StepTerm::optimizer,
                                StepTerm::fixed, StepTerm::allocator}) {
        if (step[term].value() > 0.0) {
            line.after.push_back({term, line.total, line.total + step[term]});
            line.total += step[term];
        }
    }
    return line;
}

}  // namespace traincost
