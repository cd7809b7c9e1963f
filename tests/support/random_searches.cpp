#include "support/random_searches.hpp"

#include <traincost/cost/params.hpp>
#include <traincost/spec/names.hpp>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace random_searches {

using namespace traincost;

namespace {

std::string id_of(Generator& random, const Catalogue& catalogue, Room room) {
    const std::vector<CatalogueEntry> entries = catalogue.entries(room);
    return entries[random.below(entries.size())].id;
}

/// Nothing where the node's accelerator has no known rate.
std::optional<ClusterSpec> cluster_of(Generator& random, const Catalogue& catalogue, const std::string& node,
                                      std::int64_t count) {
    constexpr std::int64_t sizes[] = {1, 1, 2, 3, 4, 16};
    std::optional<std::int64_t> per_node;
    if (random.once_in(3))
        per_node = random.one_of(sizes);
    try {
        return catalogue.cluster(node, count, per_node).spec;
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// At times with numbers that no published model has: odd heads, few experts, layers that nothing divides.
ModelSpec model_of(Generator& random, const Catalogue& catalogue, const std::string& name) {
    ModelSpec model = catalogue.model(name);
    if (!random.once_in(3))
        return model;
    if (model.mixers.empty() && model.feeds.empty() && model.layer_shapes.empty()) {
        model.layers = 1 + static_cast<std::int64_t>(random.below(48));
        if (!model.mla && !model.grouped_latent && !model.recurrent && !model.indexer) {
            constexpr std::int64_t heads[] = {3, 5, 6, 9, 10, 12, 14, 20, 25};
            model.heads = random.one_of(heads);
            model.kv_heads = random.one_of(divisors(model.heads));
        }
    }
    if (model.moe) {
        constexpr std::int64_t experts[] = {2, 3, 4, 6, 8, 12};
        model.moe->experts = random.one_of(experts);
        model.moe->top_k = std::min(model.moe->top_k, model.moe->experts);
    }
    return model;
}

std::optional<RunSpec> random_run(Generator& random, const StackSpec& stack) {
    constexpr std::int64_t sequences[] = {256, 512, 1024, 1536, 2048, 4096, 8192, 32768, 131072};
    constexpr std::int64_t batches[] = {1, 2, 4, 6, 7, 8, 10, 12, 16, 18, 24, 32, 64, 96, 128, 256};
    RunSpec run{};
    run.sequence = random.one_of(sequences);
    run.global_batch = random.one_of(batches);
    run.micro_batch = 1;
    run.precision_name = std::string(random.one_of(precision_names()));
    const auto precision = precision_from(run.precision_name);
    if (!precision)
        return std::nullopt;
    run.precision = stack_precision(stack.states, *precision);
    if (run.precision.base) {
        run.tuning = Tuning::qlora;
    } else if (random.once_in(6)) {
        run.tuning = Tuning::lora;
    }
    constexpr Optimizer optimizers[] = {Optimizer::adamw, Optimizer::adamw, Optimizer::adamw,
                                        Optimizer::sgd_momentum, Optimizer::adam8bit};
    run.optimizer = random.one_of(optimizers);
    run.uneven_stages = random.once_in(4);
    if (random.once_in(5))
        run.context = ContextKind::all_to_all;
    if (random.once_in(5))
        run.compile = !stack.layer.compile;
    return run;
}

std::int64_t configurations(const Job& job, const SearchSpace& space) {
    std::int64_t n = 0;
    for (const ShapeKey& key : shape_keys(job, space)) {
        for_each_pipeline(job, space, key, [&](const PipelineBranch& branch) {
            n += branch.size();
            return true;
        });
    }
    return n;
}

/// What a search may be given beyond what the stack has.
void widen(Generator& random, const Job& job, SearchSpace& space) {
    if (random.once_in(3))
        space.all_hybrid_shards = true;
    if (random.once_in(4))
        space.schedules.clear();
    if (random.once_in(4))
        space.sequence_parallel.clear();
    if (random.once_in(4))
        space.offload = host_offloads(job.cluster.host);
    if (random.once_in(4))
        space.recompute.push_back({Recompute::full, {}, 1, 2});
}

}  // namespace

std::optional<SearchRequest> request(Generator& random, const Catalogue& catalogue,
                                     const std::string& stack) {
    constexpr std::int64_t counts[] = {1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64};
    const StackSpec with = catalogue.stack(stack);
    const std::optional<RunSpec> run = random_run(random, with);
    if (!run)
        return std::nullopt;
    const std::string node = id_of(random, catalogue, Room::clusters);
    const std::string name = id_of(random, catalogue, Room::models);
    const std::int64_t count = random.one_of(counts);
    const std::optional<ClusterSpec> cluster = cluster_of(random, catalogue, node, count);
    if (!cluster)
        return std::nullopt;
    Job job{model_of(random, catalogue, name), *cluster, with, *run};
    job.cluster.accelerators = 1;
    if (!validate(job).empty())
        return std::nullopt;
    job.cluster.accelerators = count;
    SearchSpace space = stack_space(job);
    widen(random, job, space);
    if (configurations(job, space) > 10000)
        return std::nullopt;
    SearchRequest request{.model = job.model, .run = job.run, .sites = {{job.cluster, job.stack, space}}};
    request.threads = 1;
    constexpr std::size_t tops[] = {1, 5, 20};
    request.top = random.one_of(tops);
    constexpr double headrooms[] = {0.0, 0.0, 0.1};
    request.run.headroom = random.one_of(headrooms);
    return request;
}

std::optional<Job> layout(Generator& random, const SearchRequest& request) {
    const Site& site = request.sites.front();
    const SearchSpace& space = site.space;
    Job job = base_job(request, 0);
    Parallelism& p = job.run.parallel;
    std::int64_t left = job.cluster.accelerators;
    const auto degree = [&] {
        const std::vector<std::int64_t> all = divisors(left);
        const std::int64_t chosen = random.once_in(3) ? 1 : all[random.below(all.size())];
        left /= chosen;
        return chosen;
    };
    p.tp = degree();
    p.pp = degree();
    p.cp = degree();
    p.dp = left;
    if (p.pp > 1 && random.once_in(2))
        p.vp = 1 + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(
                       std::max<std::int64_t>(1, (block_count(job.model) + 2) / p.pp))));
    if (job.model.moe && random.once_in(2)) {
        const std::vector<std::int64_t> experts = divisors(job.model.moe->experts);
        p.ep = experts[random.below(experts.size())];
        p.etp = random.once_in(2) ? 1 : p.tp;
    }
    if (p.dp * p.cp > 1 && !space.zero.empty())
        p.zero = random.one_of(space.zero);
    if (p.zero > 0 && space.all_hybrid_shards && random.once_in(2)) {
        const std::vector<std::int64_t> groups = divisors(p.dp * p.cp);
        p.hybrid_shard = groups[random.below(groups.size())];
    }
    if (p.tp > 1 && space.sequence_parallel.empty()) {
        p.sequence_parallel = random.once_in(2);
    } else if (!space.sequence_parallel.empty()) {
        p.sequence_parallel = space.sequence_parallel.front();
    }
    if (job.run.global_batch < p.dp)
        return std::nullopt;
    const std::vector<std::int64_t> batches = divisors(job.run.global_batch / p.dp);
    job.run.micro_batch = batches[random.below(batches.size())];
    if (p.vp > 1) {
        job.run.schedule = Schedule::interleaved;
    } else {
        job.run.schedule =
            space.schedules.empty()
                ? random.one_of(std::vector<Schedule>{Schedule::gpipe, Schedule::one_f_one_b,
                                                      Schedule::zero_bubble, Schedule::dualpipe})
                : space.schedules.front();
    }
    const RecomputeChoice& recompute = space.recompute[random.below(space.recompute.size())];
    job.run.recompute = recompute.kind;
    job.run.recompute_modules = recompute.modules;
    job.run.recompute_every = recompute.every;
    job.run.recompute_layers = recompute.layers;
    const OffloadChoice& offload = space.offload[random.below(space.offload.size())];
    if (p.zero < offload.least_zero)
        return std::nullopt;
    job.run.offload_optimizer = offload.optimizer;
    job.run.offload_parameters = offload.parameters;
    job.run.offload_activations = offload.activations;
    if (!validate(job).empty())
        return std::nullopt;
    return job;
}

int repetitions(const char* variable, int usual) {
    const char* text = std::getenv(variable);
    return text != nullptr ? std::atoi(text) : usual;
}

}  // namespace random_searches
