#include "support/random_job.hpp"

#include <algorithm>

#include <traincost/base/error.hpp>
#include <traincost/spec/names.hpp>

namespace random_job {

using namespace traincost;

namespace {

/// Powers of two up to `most` that divide n.
std::vector<std::int64_t> halves(std::int64_t n, std::int64_t most) {
    std::vector<std::int64_t> all;
    for (std::int64_t x = 1; x <= most && n % x == 0; x *= 2)
        all.push_back(x);
    return all;
}

std::vector<std::string> or_all(std::vector<std::string> given, const std::vector<std::string>& all) {
    return given.empty() ? all : given;
}

void draw_layout(Jobs& jobs, const Job& job, RunSpec& run) {
    const ModelSpec& m = job.model;
    Parallelism& p = run.parallel;
    const std::int64_t n = job.cluster.accelerators;
    p.tp = jobs.one_of(halves(n, std::min<std::int64_t>(8, m.heads)));
    p.cp = jobs.below(3) == 0 ? jobs.one_of(halves(n / p.tp, 4)) : 1;
    p.pp = jobs.below(2) == 0 ? jobs.one_of(halves(n / p.tp / p.cp, 16)) : 1;
    p.dp = n / (p.tp * p.cp * p.pp);
    if (p.pp > 1 && jobs.below(2) == 0)
        p.vp = 1 + jobs.below(4);
    run.uneven_stages = p.pp > 1 && jobs.below(2) == 0;
    p.zero = jobs.below(4);
    if (p.zero > 0 && jobs.below(4) == 0)
        p.hybrid_shard = jobs.one_of(halves(p.dp * p.cp, 64));
    if (m.moe)
        p.ep = jobs.one_of(halves(m.moe->experts, 16));
    if (p.ep > 1 && jobs.below(2) == 0)
        p.etp = jobs.one_of(halves(p.tp, p.tp));
    if (p.tp > 1 && jobs.below(2) == 0)
        p.sequence_parallel = jobs.below(2) == 0;
    if (jobs.below(3) == 0)
        run.schedule =
            jobs.one_of(std::vector{Schedule::gpipe, Schedule::one_f_one_b, Schedule::zero_bubble});
    run.micro_batch = std::int64_t{1} << jobs.below(4);
    run.global_batch = run.micro_batch * p.dp * (1 + jobs.below(24));
}

void draw_recompute(Jobs& jobs, RunSpec& run) {
    run.recompute = jobs.one_of(std::vector{Recompute::none, Recompute::selective, Recompute::full});
    if (run.recompute == Recompute::selective) {
        RecomputeModules& m = run.recompute_modules;
        for (bool* module : {&m.core_attention, &m.norm, &m.activation, &m.mlp, &m.moe, &m.mla_up, &m.per_op,
                             &m.all_but_attention})
            *module = jobs.below(4) == 0;
    } else if (run.recompute == Recompute::full) {
        run.recompute_every = 1 + jobs.below(3);
        if (jobs.below(4) == 0)
            run.recompute_layers = jobs.below(8);
    }
}

void draw_tuning(Jobs& jobs, RunSpec& run) {
    const bool quantised = run.precision.base.has_value();
    if (!quantised && jobs.below(5) != 0)
        return;
    run.tuning = quantised ? Tuning::qlora : jobs.one_of(std::vector{Tuning::lora, Tuning::adapter});
    run.adapter.rank = std::int64_t{1} << jobs.below(8);
    AdapterSpec& a = run.adapter;
    for (bool* target : {&a.key, &a.attention_out, &a.mlp, &a.lm_head})
        *target = jobs.below(2) == 0;
    a.scale_and_bias = run.tuning == Tuning::adapter && jobs.below(2) == 0;
}

}  // namespace

const Catalogue& catalogue() {
    static const Catalogue all;
    return all;
}

std::vector<std::string> ids(Room room) {
    std::vector<std::string> names;
    for (const CatalogueEntry& entry : catalogue().entries(room))
        names.push_back(entry.id);
    return names;
}

Jobs::Jobs(std::uint64_t seed, Choices choices) : random_(seed), choices_(std::move(choices)) {
    choices_.models = or_all(choices_.models, ids(Room::models));
    choices_.clusters = or_all(choices_.clusters, ids(Room::clusters));
    choices_.stacks = or_all(choices_.stacks, ids(Room::stacks));
    const auto names = precision_names();
    choices_.precisions = or_all(choices_.precisions, {names.begin(), names.end()});
}

std::int64_t Jobs::below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
}

Job Jobs::draw() {
    std::int64_t accelerators = 1;
    while (accelerators < choices_.most_accelerators && below(5) != 0)
        accelerators *= 2;
    Job job{catalogue().model(one_of(choices_.models)),
            catalogue().cluster(one_of(choices_.clusters), accelerators).spec,
            catalogue().stack(one_of(choices_.stacks)),
            {}};
    RunSpec& run = job.run;
    run.sequence = std::int64_t{512} << below(6);
    run.precision_name = one_of(choices_.precisions);
    run.precision = stack_precision(job.stack.states, *precision_from(run.precision_name));
    if (run.precision.gemm == DataType::fp8 && below(2) == 0)
        run.fp8_scaling =
            one_of(std::vector{Fp8Scaling::tensorwise, Fp8Scaling::rowwise, Fp8Scaling::blockwise});
    draw_layout(*this, job, run);
    draw_recompute(*this, run);
    draw_tuning(*this, run);
    if (below(4) == 0)
        run.optimizer = one_of(std::vector{Optimizer::adam8bit, Optimizer::sgd, Optimizer::sgd_momentum,
                                           Optimizer::adafactor, Optimizer::lion, Optimizer::muon});
    if (below(4) == 0)
        run.compile = below(2) == 0;
    if (below(4) == 0)
        run.attention = below(2) == 0 ? AttentionKernel::flash : AttentionKernel::math;
    if (below(8) == 0)
        run.packed_length = 1 + below(run.sequence);
    if (below(8) == 0)
        run.offload_optimizer = one_of(std::vector{Offload::cpu, Offload::nvme});
    if (below(8) == 0)
        run.offload_activations = static_cast<double>(below(5)) / 4.0;
    if (below(2) == 0)
        run.tokens = 1e9 * static_cast<double>(1 + below(1000));
    return job;
}

Job Jobs::next() {
    for (;;) {
        try {
            Job job = draw();
            if (validate(job).empty())
                return job;
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::internal)
                throw;  // a node type that takes no such number of accelerators is drawn again
        }
    }
}

std::string text(const Job& job) {
    const Parallelism& p = job.run.parallel;
    const auto n = [](std::int64_t x) { return std::to_string(x); };
    return job.model.name + " on " + n(job.cluster.accelerators) + " " + job.cluster.id + ", " +
           job.stack.id + ", " + job.run.precision_name + ", tp " + n(p.tp) + " pp " + n(p.pp) + " vp " +
           n(p.vp) + " dp " + n(p.dp) + " cp " + n(p.cp) + " ep " + n(p.ep) + " etp " +
           (p.etp ? n(*p.etp) : "-") + " zero " + n(p.zero) + " hybrid " +
           (p.hybrid_shard ? n(*p.hybrid_shard) : "-") + ", seq " + n(job.run.sequence) + " mb " +
           n(job.run.micro_batch) + " gb " + n(job.run.global_batch) + ", recompute " +
           std::string(name_of(job.run.recompute)) + ":" + n(job.run.recompute_every) + ", tuning " +
           std::string(name_of(job.run.tuning)) + ", " + std::string(name_of(job.run.optimizer)) +
           (job.run.uneven_stages ? ", uneven" : "") + (job.run.compile ? ", compile stated" : "") +
           (job.run.packed_length ? ", packed " + n(*job.run.packed_length) : "");
}

}  // namespace random_job
