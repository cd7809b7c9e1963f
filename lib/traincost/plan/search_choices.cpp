#include "traincost/plan/search_choices.hpp"

#include <algorithm>
#include <limits>

#include "traincost/cost/params.hpp"
#include "traincost/spec/degree_rules.hpp"
#include "traincost/spec/pipeline_rules.hpp"

namespace traincost {

std::vector<std::int64_t> divisors(std::int64_t n) {
    std::vector<std::int64_t> low;
    std::vector<std::int64_t> high;
    for (std::int64_t d = 1; d <= n / d; ++d) {
        if (n % d != 0)
            continue;
        low.push_back(d);
        if (d != n / d)
            high.push_back(n / d);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

namespace {

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

bool model_takes(const ModelSpec& model, std::int64_t tp, std::int64_t cp) {
    Parallelism degrees{};
    degrees.tp = tp;
    degrees.cp = cp;
    return divides_model(model, degrees);
}

}  // namespace

std::vector<std::int64_t> tp_choices(const Job& job, const SearchSpace& space) {
    std::vector<std::int64_t> out = dividing(space.tp, job.cluster.accelerators);
    std::erase_if(out, [&](std::int64_t tp) {
        return tp > largest_degree || !model_takes(job.model, tp, 1) ||
               (tp > 1 && lacks(job.stack, Lack::tp));
    });
    return out;
}

std::vector<std::int64_t> cp_choices(const Job& job, const SearchSpace& space, std::int64_t tp) {
    std::vector<std::int64_t> out = dividing(space.cp, job.cluster.accelerators / tp);
    std::erase_if(out, [&](std::int64_t cp) {
        return cp > largest_degree || job.run.sequence % cp != 0 || (cp > 1 && lacks(job.stack, Lack::cp)) ||
               !model_takes(job.model, tp, cp);
    });
    return out;
}

std::vector<std::int64_t> ep_choices(const Job& job, const SearchSpace& space) {
    if (!job.model.moe)
        return dividing(space.ep, 1);
    std::vector<std::int64_t> out = dividing(space.ep, job.model.moe->experts);
    if (lacks(job.stack, Lack::ep))
        std::erase_if(out, [](std::int64_t ep) { return ep > 1; });
    return out;
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
    const bool no_pipeline = lacks(job.stack, Lack::pp);
    std::erase_if(out, [&](std::int64_t pp) { return !deals_stages(job, pp) || (pp > 1 && no_pipeline); });
    return out;
}

std::vector<std::int64_t> batch_choices(const Job& job, const SearchSpace& space) {
    std::vector<std::int64_t> out = dividing(space.micro_batch, job.run.global_batch);
    std::erase_if(out, [](std::int64_t b) { return b > std::numeric_limits<std::int32_t>::max(); });
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

bool experts_fit(std::int64_t ranks, std::int64_t ep, std::int64_t etp) {
    return ep == 1 || ranks % (ep * etp) == 0;
}

std::vector<Schedule> schedules_of(const SearchSpace& space, std::int64_t pp, std::int64_t vp,
                                   std::int64_t micro_batches) {
    static const std::vector<Schedule> all = {Schedule::gpipe, Schedule::one_f_one_b, Schedule::interleaved,
                                              Schedule::zero_bubble, Schedule::dualpipe};
    if (pp == 1)
        return {Schedule::one_f_one_b};  // no pipeline: they are all the same
    std::vector<Schedule> out = space.schedules.empty() ? all : space.schedules;
    std::erase_if(out, [&](Schedule s) {
        // The interleaved schedule over one chunk a stage is 1F1B.
        return (s == Schedule::interleaved && vp == 1) || !runs_schedule(s, pp, vp, micro_batches);
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
        out.pop_back();
        out.insert(out.begin(), 0);
        return out;
    }
    if (space.hybrid_shard.empty())
        return {0};
    for (const std::int64_t g : space.hybrid_shard) {
        if (g == 0 || g == ranks)
            out.push_back(0);
        else if (g >= 1 && g < ranks && ranks % g == 0)
            out.push_back(g);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace traincost
