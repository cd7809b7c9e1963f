#include <traincost/cost/estimate.hpp>
#include <traincost/cost/stages.hpp>
#include <traincost/plan/search.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

/// The same stages with every block a run of its own.
StageClasses one_by_one(const StageClasses& stages) {
    StageClasses out = stages;
    out.runs.clear();
    for (StageClass& c : out.classes) {
        const std::size_t begin = out.runs.size();
        for (std::size_t r = c.runs_begin; r < c.runs_end; ++r) {
            BlockRun run = stages.runs[r];
            const std::int64_t count = run.count;
            run.count = 1;
            for (std::int64_t i = 0; i < count; ++i, ++run.position)
                out.runs.push_back(run);
        }
        c.runs_begin = begin;
        c.runs_end = out.runs.size();
    }
    return out;
}

/// Jobs over stacks, shardings, recomputation and pipelines.
std::vector<Job> jobs() {
    std::vector<Job> all;
    for (const bool moe : {false, true}) {
        SearchRequest request =
            search_jobs::request(moe ? search_jobs::mixture(10, 1024, 8, 8) : search_jobs::gpt(10, 1024, 8),
                                 search_jobs::cluster(8), search_jobs::run(1024, 16));
        request.sites[0].space.micro_batch = {1, 2};
        request.sites[0].space.cp = {1};
        request.sites[0].space.sequence_parallel = {true};
        request.sites[0].space.recompute.push_back({Recompute::full, {}, 3, {}});
        for (const ShardEngine engine : {ShardEngine::megatron, ShardEngine::deepspeed, ShardEngine::fsdp2}) {
            for (const GradientStore store : {GradientStore::parameter, GradientStore::main_buffer}) {
                for (const std::int64_t frozen : {0, 3}) {
                    StackSpec& stack = request.sites[0].stack;
                    stack.states.shard = engine;
                    stack.states.gradients = store;
                    stack.states.optimizer_temporary_copies = 1.0;
                    request.run.frozen_layers = frozen;
                    const Site& site = request.sites[0];
                    const Job base{request.model, site.cluster, site.stack, request.run};
                    std::int64_t n = 0;
                    for (const ShapeKey& key : shape_keys(base, site.space)) {
                        for_each_configuration(base, site.space, key, [&](const Configuration& c) {
                            if (n++ % 7 == 0)
                                all.push_back(job_of(request, c));
                            return true;
                        });
                    }
                }
            }
        }
    }
    return all;
}

}  // namespace

TEST_CASE("a stage's peak over runs of equal blocks is its peak block by block", "[memory]") {
    for (const Job& job : jobs()) {
        const Shape shape = shape_of(job);
        BlockOps ops;
        fill_ops(job, shape, ops);
        const BlockTable table = block_table(job, shape, ops);
        const StageClasses stages = stage_classes(job, table);
        const StageClasses singles = one_by_one(stages);
        Bytes highest;
        for (std::int64_t stage = 0; stage < job.run.parallel.pp; ++stage) {
            const StageMemory runs = stage_memory(job, shape, table, stages, stage);
            const StageMemory blocks = stage_memory(job, shape, table, singles, stage);
            CHECK(runs.device.value() == Approx(blocks.device.value()).epsilon(1e-12));
            highest = std::max(highest, runs.device);
        }
        CHECK(peak_device_memory(job, shape, table, stages) == highest);
    }
}

TEST_CASE("the stages of a pipeline hold every block once", "[pipeline]") {
    for (const Job& job : jobs()) {
        const Shape shape = shape_of(job);
        BlockOps ops;
        fill_ops(job, shape, ops);
        const StageClasses stages = stage_classes(job, block_table(job, shape, ops));
        const Parallelism& p = job.run.parallel;
        const StageLayout layout{p.pp, p.vp, block_count(job.model)};
        std::vector<int> seen(static_cast<std::size_t>(layout.blocks));
        std::int64_t stage_count = 0;
        for (std::int64_t stage = 0; stage < p.pp; ++stage) {
            for (std::int64_t i = 0; i < stages.of(stage).blocks; ++i)
                ++seen[static_cast<std::size_t>(block_at(layout, stage, i))];
        }
        for (const StageClass& c : stages.classes)
            stage_count += c.stages;
        CHECK(stage_count == p.pp);
        CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
    }
}
