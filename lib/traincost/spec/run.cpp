#include "traincost/spec/run.hpp"

#include <algorithm>

#include "traincost/spec/check.hpp"

namespace traincost {

std::int64_t micro_batches(const RunSpec& run) {
    const std::int64_t per_pass = run.micro_batch * run.parallel.dp;
    return std::max<std::int64_t>(1, (run.global_batch + per_pass - 1) / per_pass);
}

Schedule schedule_of(const RunSpec& run) {
    return run.schedule.value_or(run.parallel.vp > 1 ? Schedule::interleaved : Schedule::one_f_one_b);
}

void validate(const RunSpec& r, std::vector<Problem>& problems) {
    Checker check(problems, "run.");
    check.positive("sequence", r.sequence);
    check.positive("micro_batch", r.micro_batch);
    check.positive("global_batch", r.global_batch);
    const Parallelism& p = r.parallel;
    check.positive("parallel.tp", p.tp);
    check.positive("parallel.pp", p.pp);
    check.positive("parallel.vp", p.vp);
    check.positive("parallel.dp", p.dp);
    check.positive("parallel.cp", p.cp);
    check.positive("parallel.ep", p.ep);
    if (p.etp)
        check.positive("parallel.etp", *p.etp);
    if (p.hybrid_shard)
        check.positive("parallel.hybrid_shard", *p.hybrid_shard);
    if (p.zero < 0 || p.zero > 3)
        check.add("parallel.zero", "is " + std::to_string(p.zero) + ", must be 0, 1, 2 or 3");
    if (p.vp > 1 && p.pp == 1)
        check.add("parallel.vp", "is " + std::to_string(p.vp) + ", but virtual stages need pp > 1");
    check.positive("recompute_every", r.recompute_every);
    check.at_least("frozen_layers", r.frozen_layers, 0);
    check.in_range("offload_activations", r.offload_activations, 0.0, 1.0);
    if (r.dropout)
        check.in_range("dropout", *r.dropout, 0.0, 1.0);
    if (!(r.expert_imbalance >= 1.0))
        check.add("expert_imbalance", "is " + std::to_string(r.expert_imbalance) + ", must be at least 1");
    if (r.tokens)
        check.positive("tokens", *r.tokens);
    if (r.tuning != Tuning::full)
        check.positive("adapter.rank", r.adapter.rank);
}

}  // namespace traincost
