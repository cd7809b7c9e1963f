#include "traincost/plan/search_space.hpp"

#include <algorithm>

#include "traincost/cost/params.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

std::vector<std::int64_t> divisors(std::int64_t n) {
    std::vector<std::int64_t> low;
    std::vector<std::int64_t> high;
    for (std::int64_t d = 1; d * d <= n; ++d) {
        if (n % d != 0)
            continue;
        low.push_back(d);
        if (d * d != n)
            high.push_back(n / d);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

/// The given values that divide n, in rising order; all divisors where none are given.
std::vector<std::int64_t> dividing(const std::vector<std::int64_t>& given, std::int64_t n) {
    if (given.empty())
        return divisors(n);
    std::vector<std::int64_t> out;
    for (const std::int64_t d : given) {
        if (d >= 1 && n % d == 0)
            out.push_back(d);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

bool tp_divides_model(const ModelSpec& m, std::int64_t tp) {
    return m.heads % tp == 0 && (m.kv_heads % tp == 0 || tp % m.kv_heads == 0 || m.mla) &&
           ((m.moe && m.moe->first_k_dense == 0) || m.ffn % tp == 0);
}

/// Degrees of tensor, context and expert parallelism that fit the model and the number of accelerators.
std::vector<std::int64_t> tp_choices(const Job& job, const SearchSpace& space) {
    std::vector<std::int64_t> out = dividing(space.tp, job.cluster.accelerators);
    std::erase_if(out, [&](std::int64_t tp) { return !tp_divides_model(job.model, tp); });
    return out;
}

std::vector<std::int64_t> cp_choices(const Job& job, const SearchSpace& space, std::int64_t tp) {
    std::vector<std::int64_t> out = dividing(space.cp, job.cluster.accelerators / tp);
    std::erase_if(out, [&](std::int64_t cp) { return job.run.sequence % cp != 0; });
    return out;
}

std::vector<std::int64_t> ep_choices(const Job& job, const SearchSpace& space) {
    if (!job.model.moe)
        return dividing(space.ep, 1);
    return dividing(space.ep, job.model.moe->experts);
}

std::vector<std::int64_t> etp_choices(const SearchSpace& space, std::int64_t tp, std::int64_t ep, bool moe) {
    if (!moe)
        return {tp};
    if (!space.etp.empty())
        return dividing(space.etp, tp);
    if (ep == 1 || tp == 1)
        return {tp};
    return {1, tp};
}

std::vector<std::int64_t> pp_choices(const Job& job, const SearchSpace& space, std::int64_t tp_cp) {
    std::vector<std::int64_t> out = dividing(space.pp, job.cluster.accelerators / tp_cp);
    const std::int64_t blocks = block_count(job.model);
    std::erase_if(out, [&](std::int64_t pp) { return pp > blocks; });
    return out;
}

std::vector<std::int32_t> sequence_parallel_choices(const SearchSpace& space, std::int64_t tp) {
    if (tp == 1)
        return {0};
    if (space.sequence_parallel.empty())
        return {0, 1};
    std::vector<std::int32_t> out(space.sequence_parallel.begin(), space.sequence_parallel.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

bool contains(const std::vector<std::int64_t>& values, std::int64_t x) {
    return values.empty() || std::find(values.begin(), values.end(), x) != values.end();
}

/// Whether the experts' groups fit the ranks of a stage.
bool experts_fit(std::int64_t ranks, std::int64_t ep, std::int64_t etp) {
    return ep == 1 || ranks % (ep * etp) == 0;
}

std::vector<Schedule> schedules_of(const SearchSpace& space, std::int64_t pp, std::int64_t vp) {
    static const std::vector<Schedule> all = {Schedule::gpipe, Schedule::one_f_one_b, Schedule::interleaved,
                                              Schedule::zero_bubble, Schedule::dualpipe};
    if (pp == 1)
        return {Schedule::one_f_one_b};  // no pipeline: they are all the same
    std::vector<Schedule> out = space.schedules.empty() ? all : space.schedules;
    std::erase_if(out, [&](Schedule s) {
        // The interleaved schedule is the one with virtual stages; DualPipe feeds from both ends.
        return (s == Schedule::interleaved) != (vp > 1) || (s == Schedule::dualpipe && pp % 2 != 0);
    });
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<std::int64_t> shard_groups(const SearchSpace& space, std::int64_t zero, std::int64_t ranks) {
    if (zero == 0)
        return {0};
    std::vector<std::int64_t> out;
    if (space.all_hybrid_shards) {
        out = divisors(ranks);
        out.erase(out.begin());
        if (!out.empty())
            out.pop_back();
        out.insert(out.begin(), 0);
        return out;
    }
    if (space.hybrid_shard.empty())
        return {0};
    for (const std::int64_t g : space.hybrid_shard) {
        if (g == 0 || (g > 1 && g < ranks && ranks % g == 0))
            out.push_back(g);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::int32_t narrow(std::int64_t x) {
    return static_cast<std::int32_t>(x);
}

}  // namespace

SearchSpace stack_space(const Job& job) {
    SearchSpace space;
    const std::int64_t domain = std::max(job.cluster.per_node, job.cluster.network.domain_size);
    for (std::int64_t tp = 1; tp <= domain; ++tp)
        space.tp.push_back(tp);
    switch (job.stack.shard) {
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
    space.sequence_parallel = {job.stack.sequence_parallel};
    space.schedules = {job.stack.pipeline, Schedule::interleaved};
    space.recompute = {{Recompute::none, {}, 1, {}},
                       {Recompute::selective, job.stack.selective, 1, {}},
                       {Recompute::full, {}, 1, {}}};
    return space;
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
    const std::vector<std::int64_t> batches = dividing(space.micro_batch, job.run.global_batch);
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

std::vector<StateChoice> state_choices(const SearchSpace& space, std::int64_t ranks) {
    std::vector<StateChoice> out;
    for (std::int64_t zero = 0; zero <= 3; ++zero) {
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

/// Choices that differ on stages of at most `deepest` blocks.
std::vector<std::int32_t> recompute_choices(const SearchSpace& space, std::int64_t deepest) {
    std::vector<std::int32_t> out;
    for (std::size_t r = 0; r < space.recompute.size(); ++r) {
        const std::optional<std::int64_t> layers = space.recompute[r].layers;
        if (!layers || *layers < deepest)  // else the same as all of them
            out.push_back(narrow(static_cast<std::int64_t>(r)));
    }
    return out;
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
    const std::int64_t blocks = block_count(job.model);
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
        branch.states = state_choices(space, dp * shape.cp);
        branch.recompute = recompute_choices(space, (blocks + pp - 1) / pp);
        const std::int64_t micro = job.run.global_batch / (dp * shape.micro_batch);
        const std::int64_t deepest = pp > 1 ? std::max<std::int64_t>(1, blocks / pp) : 1;
        for (std::int64_t vp = 1; vp <= deepest; ++vp) {
            // Megatron's interleaved schedule: equal chunks, micro-batches in groups of pp [Narayanan21,
            // §2.2].
            if (!contains(space.vp, vp) || (vp > 1 && (blocks % (pp * vp) != 0 || micro % pp != 0)))
                continue;
            c.vp = narrow(vp);
            branch.schedules = schedules_of(space, pp, vp);
            if (branch.size() > 0 && !visit(branch))
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

namespace {

std::string list_text(const std::vector<std::int64_t>& values) {
    if (values.empty())
        return "any";
    std::string text;
    for (const std::int64_t v : values)
        text += (text.empty() ? "" : ", ") + std::to_string(v);
    return text;
}

}  // namespace

std::string why_empty(const Job& job, const SearchSpace& space) {
    const std::int64_t n = job.cluster.accelerators;
    const std::vector<std::int64_t> tps = tp_choices(job, space);
    if (tps.empty()) {
        return "tp: none of " + list_text(space.tp) + " divides " + std::to_string(n) +
               " accelerators and the model's " + std::to_string(job.model.heads) + " heads, " +
               std::to_string(job.model.kv_heads) + " key/value heads and feed-forward width " +
               std::to_string(job.model.ffn);
    }
    if (ep_choices(job, space).empty()) {
        return "ep: none of " + list_text(space.ep) + " divides the model's " +
               std::to_string(job.model.moe ? job.model.moe->experts : 1) + " experts";
    }
    bool any_cp = false;
    bool any_pp = false;
    bool any_etp = false;
    for (const std::int64_t tp : tps) {
        for (const std::int64_t ep : ep_choices(job, space))
            any_etp = any_etp || !etp_choices(space, tp, ep, job.model.moe.has_value()).empty();
        for (const std::int64_t cp : cp_choices(job, space, tp)) {
            any_cp = true;
            any_pp = any_pp || !pp_choices(job, space, tp * cp).empty();
        }
    }
    if (!any_cp) {
        return "cp: none of " + list_text(space.cp) + " divides both " + std::to_string(n) +
               " accelerators over tp and run.sequence = " + std::to_string(job.run.sequence);
    }
    if (!any_etp)
        return "etp: none of " + list_text(space.etp) + " divides a tp of " + list_text(tps);
    if (!any_pp) {
        return "pp: none of " + list_text(space.pp) + " divides " + std::to_string(n) +
               " accelerators over tp and cp and is at most the model's " +
               std::to_string(block_count(job.model)) + " layers";
    }
    const std::vector<ShapeKey> keys = shape_keys(job, space);
    if (keys.empty()) {
        return "micro_batch: with none of " + list_text(space.micro_batch) +
               " does dp*micro_batch divide run.global_batch = " + std::to_string(job.run.global_batch) +
               " for any dp left by tp, cp, pp and ep";
    }
    for (const ShapeKey& key : keys) {
        bool found = false;
        for_each_configuration(job, space, key, [&](const Configuration&) {
            found = true;
            return false;
        });
        if (found)
            return {};
    }
    return "vp, zero, schedule: none of vp " + list_text(space.vp) + " and zero " + list_text(space.zero) +
           " with the schedules given fits the pipelines left by tp, cp and pp (vp > 1 needs the interleaved "
           "schedule, pp*vp dividing the layers and micro-batches in multiples of pp; zero > 0 needs dp*cp > "
           "1)";
}

}  // namespace traincost
