#include "traincost/plan/search_space.hpp"

#include <algorithm>

#include "traincost/cost/params.hpp"
#include "traincost/cost/stages.hpp"
#include "traincost/plan/search_choices.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

void require_searchable(const ClusterSpec& cluster) {
    constexpr std::int64_t most = std::int64_t{1} << 24;  // ranks of a configuration are 32-bit
    if (cluster.accelerators < 1 || cluster.accelerators > most) {
        throw Error(ErrorKind::input, "cluster.accelerators: " + std::to_string(cluster.accelerators) +
                                          "; must be from 1 to " + std::to_string(most));
    }
}

SearchSpace stack_space(const Job& job) {
    SearchSpace space;
    switch (job.stack.states.shard) {
        case ShardEngine::none:
            space.zero = {0};
            break;
        case ShardEngine::zero_redundancy:
        case ShardEngine::megatron:
            space.zero = {0, 1};
            break;
        case ShardEngine::fsdp1:
        case ShardEngine::fsdp2:
            space.zero = {0, 2, 3};
            break;
        case ShardEngine::deepspeed:
        case ShardEngine::xla:
            space.zero = {0, 1, 2, 3};
            break;
    }
    space.sequence_parallel = {job.stack.layer.sequence_parallel};
    space.schedules = {job.stack.pipeline.schedule, Schedule::interleaved};
    space.recompute = {{Recompute::none, {}, 1, {}},
                       {Recompute::selective, job.stack.layer.selective, 1, {}},
                       {Recompute::full, {}, 1, {}}};
    return space;
}

/// What can live on the host: nothing, optimizer states, then sharded weights, activations, everything;
/// states and weights on the node's drives where it has any.
std::vector<OffloadChoice> host_offloads(const HostSpec& host) {
    constexpr std::int64_t sharded_weights = 3;
    std::vector<OffloadChoice> choices = {{},
                                          {Offload::cpu, Offload::none, 0.0},
                                          {Offload::cpu, Offload::cpu, 0.0, sharded_weights},
                                          {Offload::none, Offload::none, 1.0},
                                          {Offload::cpu, Offload::cpu, 1.0, sharded_weights}};
    if (host.nvme) {
        choices.push_back({Offload::nvme, Offload::none, 0.0});
        choices.push_back({Offload::nvme, Offload::nvme, 0.0, sharded_weights});
    }
    return choices;
}

SearchSpace full_space(const Job& job) {
    SearchSpace space;
    space.zero = {0, 1, 2, 3};
    space.all_hybrid_shards = true;
    space.recompute = {
        {Recompute::none, {}, 1, {}},
        {Recompute::selective, {.core_attention = true}, 1, {}},
        {Recompute::selective, {.core_attention = true, .norm = true, .activation = true}, 1, {}}};
    const std::int64_t blocks = block_count(job.model);
    for (std::int64_t layers = 1; layers < blocks; layers *= 2)
        space.recompute.push_back({Recompute::full, {}, 1, layers});
    space.recompute.push_back({Recompute::full, {}, 1, {}});
    space.offload = host_offloads(job.cluster.host);
    return space;
}

void apply(const Configuration& c, const SearchSpace& space, RunSpec& run) {
    Parallelism& p = run.parallel;
    p.tp = c.tp;
    p.pp = c.pp;
    p.vp = c.vp;
    p.dp = c.dp;
    p.cp = c.cp;
    p.ep = c.ep;
    p.etp = c.etp;
    p.zero = c.zero;
    p.hybrid_shard.reset();
    if (c.hybrid_shard > 0)
        p.hybrid_shard = c.hybrid_shard;
    p.sequence_parallel = c.sequence_parallel != 0;
    run.micro_batch = c.micro_batch;
    run.schedule = static_cast<Schedule>(c.schedule);
    const RecomputeChoice& recompute = space.recompute[static_cast<std::size_t>(c.recompute)];
    run.recompute = recompute.kind;
    run.recompute_modules = recompute.modules;
    run.recompute_every = recompute.every;
    run.recompute_layers = recompute.layers;
    const OffloadChoice& offload = space.offload[static_cast<std::size_t>(c.offload)];
    run.offload_optimizer = offload.optimizer;
    run.offload_parameters = offload.parameters;
    run.offload_activations = offload.activations;
}

std::vector<ShapeKey> shape_keys(const Job& job, const SearchSpace& space) {
    std::vector<ShapeKey> keys;
    const std::vector<std::int64_t> batches = batch_choices(job, space);
    for (const std::int64_t tp : tp_choices(job, space)) {
        for (const std::int64_t cp : cp_choices(job, space, tp)) {
            const std::vector<std::int64_t> stages = pp_choices(job, space, tp * cp);
            for (const std::int64_t ep : ep_choices(job, space)) {
                for (const std::int64_t etp : etp_choices(space, tp, ep, job.model.moe.has_value())) {
                    for (const std::int32_t sp : sequence_parallel_choices(space, tp)) {
                        for (const std::int64_t batch : batches) {
                            const bool occurs =
                                std::any_of(stages.begin(), stages.end(), [&](std::int64_t pp) {
                                    const std::int64_t ranks = job.cluster.accelerators / pp;
                                    const std::int64_t dp = ranks / (tp * cp);
                                    return contains(space.dp, dp) && experts_fit(ranks, ep, etp) &&
                                           job.run.global_batch % (dp * batch) == 0;
                                });
                            if (occurs) {
                                keys.push_back(
                                    {narrow(tp), narrow(cp), narrow(ep), narrow(etp), sp, narrow(batch)});
                            }
                        }
                    }
                }
            }
        }
    }
    return keys;
}

namespace {

/// ZeRO stages up to `most_zero`, their shard groups and what is offloaded, over so many ranks.
std::vector<StateChoice> state_choices(const SearchSpace& space, std::int64_t ranks, std::int64_t most_zero) {
    std::vector<StateChoice> out;
    for (std::int64_t zero = 0; zero <= most_zero; ++zero) {
        if (!contains(space.zero, zero) || (zero > 0 && ranks == 1))
            continue;
        for (const std::int64_t group : shard_groups(space, zero, ranks)) {
            for (std::size_t o = 0; o < space.offload.size(); ++o) {
                if (zero >= space.offload[o].least_zero)
                    out.push_back({narrow(zero), narrow(group), narrow(static_cast<std::int64_t>(o))});
            }
        }
    }
    return out;
}

/// Blocks of the stage that holds most.
std::int64_t deepest_stage(const StageLayout& layout) {
    std::int64_t most = 0;
    for (std::int64_t stage = 0; stage < layout.pp; ++stage) {
        std::int64_t blocks = 0;
        for (std::int64_t chunk = stage; chunk < layout.pp * layout.vp; chunk += layout.pp)
            blocks += chunk_size(layout, chunk);
        most = std::max(most, blocks);
    }
    return most;
}

/// Choices that differ on the job's stages.
std::vector<std::int32_t> recompute_choices(const SearchSpace& space, const Job& job) {
    const bool counted = std::any_of(space.recompute.begin(), space.recompute.end(),
                                     [](const RecomputeChoice& choice) { return choice.layers.has_value(); });
    const std::int64_t deepest = counted ? deepest_stage(stage_layout(job)) : 0;
    std::vector<std::int32_t> out;
    for (std::size_t r = 0; r < space.recompute.size(); ++r) {
        const std::optional<std::int64_t> layers = space.recompute[r].layers;
        if (!layers || *layers < deepest)  // else the same as all of them
            out.push_back(narrow(static_cast<std::int64_t>(r)));
    }
    return out;
}

/// Visits the branch without what the stack does not launch in formats narrower than the compute format: in
/// two parts, where fully sharded states leave fewer choices of recomputation. False where a visit says so.
bool visit_launched(const PipelineBranch& branch, const Job& job, const SearchSpace& space,
                    const std::function<bool(const PipelineBranch&)>& visit) {
    const auto visit_part = [&](const PipelineBranch& part) { return part.size() == 0 || visit(part); };
    if (!multiplies_narrow(job.run.precision))
        return visit_part(branch);
    const bool compiled = is_compiled(job.run, job.stack);
    const bool never = compiled && lacks(job.stack, Lack::narrow_compile_sharded);
    if (!never && !lacks(job.stack, Lack::narrow_recompute_sharded))
        return visit_part(branch);
    PipelineBranch replicated = branch;
    PipelineBranch sharded = branch;
    const auto is_sharded = [](const StateChoice& state) { return state.zero == 3; };
    std::erase_if(replicated.states, is_sharded);
    std::erase_if(sharded.states, [&](const StateChoice& state) { return never || !is_sharded(state); });
    std::erase_if(sharded.recompute, [&](std::int32_t r) {
        return space.recompute[static_cast<std::size_t>(r)].kind != Recompute::none;
    });
    return visit_part(replicated) && visit_part(sharded);
}

}  // namespace

Configuration configuration_of(const PipelineBranch& branch, const StateChoice& state, Schedule schedule,
                               std::int32_t recompute) {
    Configuration c = branch.common;
    c.schedule = static_cast<std::int32_t>(schedule);
    c.zero = state.zero;
    c.hybrid_shard = state.hybrid_shard;
    c.offload = state.offload;
    c.recompute = recompute;
    return c;
}

bool for_each_pipeline(const Job& job, const SearchSpace& space, const ShapeKey& shape,
                       const std::function<bool(const PipelineBranch&)>& visit) {
    const std::int64_t accelerators = job.cluster.accelerators;
    const std::int64_t slots = block_count(job.model) + 2;  // with the two ends, which some stacks count
    Job dealt = job;                                        // with each pipeline in turn
    PipelineBranch branch;
    Configuration& c = branch.common;
    c.tp = shape.tp;
    c.cp = shape.cp;
    c.ep = shape.ep;
    c.etp = shape.etp;
    c.sequence_parallel = shape.sequence_parallel;
    c.micro_batch = shape.micro_batch;
    for (const std::int64_t pp : pp_choices(job, space, std::int64_t{shape.tp} * shape.cp)) {
        const std::int64_t dp = accelerators / (pp * shape.tp * shape.cp);
        if (!contains(space.dp, dp) || job.run.global_batch % (dp * shape.micro_batch) != 0 ||
            !experts_fit(accelerators / pp, shape.ep, shape.etp)) {
            continue;
        }
        c.pp = narrow(pp);
        c.dp = narrow(dp);
        branch.states =
            state_choices(space, dp * shape.cp, pp > 1 && lacks(job.stack, Lack::zero_beside_pp) ? 1 : 3);
        const std::int64_t micro = job.run.global_batch / (dp * shape.micro_batch);
        const std::int64_t most = pp > 1 && !lacks(job.stack, Lack::vp) ? slots / pp : 1;
        for (std::int64_t vp = 1; vp <= most; ++vp) {
            if (!contains(space.vp, vp) || (vp > 1 && !deals_stages(job, pp * vp)))
                continue;
            branch.schedules = schedules_of(space, pp, vp, micro);
            if (branch.schedules.empty())
                continue;
            c.vp = narrow(vp);
            dealt.run.parallel.pp = pp;
            dealt.run.parallel.vp = vp;
            branch.recompute = recompute_choices(space, dealt);
            if (!visit_launched(branch, job, space, visit))
                return false;
        }
    }
    return true;
}

bool for_each_configuration(const Job& job, const SearchSpace& space, const ShapeKey& shape,
                            const std::function<bool(const Configuration&)>& visit) {
    return for_each_pipeline(job, space, shape, [&](const PipelineBranch& branch) {
        for (const StateChoice& state : branch.states) {
            for (const std::int32_t recompute : branch.recompute) {
                for (const Schedule schedule : branch.schedules) {
                    if (!visit(configuration_of(branch, state, schedule, recompute)))
                        return false;
                }
            }
        }
        return true;
    });
}

}  // namespace traincost
