#include "traincost/plan/neighbours.hpp"

#include <algorithm>
#include <cmath>

#include "traincost/base/text.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/plan/configuration_text.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

double loss_of(const Objective& objective, double plan, double other) {
    const int metrics = (objective.time != 0.0) + (objective.cost != 0.0) + (objective.memory != 0.0) +
                        (objective.energy != 0.0);
    const bool single =
        metrics == 1 && std::max({objective.time, objective.cost, objective.memory, objective.energy}) == 1.0;
    if (single)
        return plan > 0.0 ? other / plan - 1.0 : 0.0;
    return std::exp(other - plan) - 1.0;  // values are logarithms
}

namespace {

/// Metrics of a configuration, with its estimate.
struct Evaluation {
    Estimate estimate;
    PlanMetrics metrics;
    bool fits;
    Bytes shortfall;
};

Evaluation evaluate(const SearchRequest& request, const Configuration& c, const Job& job) {
    const Site& site = request.sites[static_cast<std::size_t>(c.site)];
    Evaluation e{estimate(job), {}, false, {}};
    const StageMemory& fullest = e.estimate.stages[static_cast<std::size_t>(e.estimate.peak_stage)];
    const Bytes allowed = allowed_memory(site.cluster.accelerator, request.run);
    e.metrics = metrics_of(site.cluster, site.goodput, e.estimate.step.total, fullest.device);
    e.shortfall = std::max({Bytes{}, fullest.device - allowed, e.estimate.host_shortfall()});
    e.fits = e.shortfall <= Bytes{};
    return e;
}

/// One dimension: its name, where it is kept, and the values to try.
struct Dimension {
    const char* name;
    std::int32_t Configuration::*member;
    std::vector<std::int32_t> values;  ///< rising; a shard group of all ranks, 0, comes last
    bool moves_dp;                     ///< dp takes what it gives
};

std::vector<std::int32_t> divisors_up_to(std::int64_t n, std::int64_t most) {
    std::vector<std::int32_t> values;
    for (const std::int64_t d : divisors(n)) {
        if (d <= most)
            values.push_back(static_cast<std::int32_t>(d));
    }
    return values;
}

std::vector<Dimension> dimensions(const SearchRequest& request, const Configuration& c) {
    const Site& site = request.sites[static_cast<std::size_t>(c.site)];
    const std::int64_t n = site.cluster.accelerators;
    constexpr std::int64_t any = 1 << 20;
    const auto range = [](std::size_t size) {
        std::vector<std::int32_t> values(size);
        for (std::size_t i = 0; i < size; ++i)
            values[i] = static_cast<std::int32_t>(i);
        return values;
    };
    std::vector<std::int32_t> shard_groups = divisors_up_to(std::int64_t{c.dp} * c.cp, any);
    shard_groups.back() = 0;
    std::vector<Dimension> all = {
        {"tp", &Configuration::tp, divisors_up_to(n, 1024), true},
        {"pp", &Configuration::pp, divisors_up_to(n, 1024), true},
        {"cp", &Configuration::cp, divisors_up_to(n, 1024), true},
        {"ep", &Configuration::ep, divisors_up_to(request.model.moe ? request.model.moe->experts : 1, any),
         false},
        {"micro-batch", &Configuration::micro_batch, divisors_up_to(request.run.global_batch, any), false},
        {"vp", &Configuration::vp, range(static_cast<std::size_t>(block_count(request.model)) + 3), false},
        {"etp", &Configuration::etp, divisors_up_to(c.tp, any), false},
        {"shard group", &Configuration::hybrid_shard, shard_groups, false},
        {"zero", &Configuration::zero, {0, 1, 2, 3}, false},
        {"recompute", &Configuration::recompute, range(site.space.recompute.size()), false},
        {"schedule", &Configuration::schedule, range(enum_names<Schedule>().size()), false},
        {"sequence parallel", &Configuration::sequence_parallel, {0, 1}, false},
        {"offload", &Configuration::offload, range(site.space.offload.size()), false}};
    return all;
}

bool in_space(const Job& base, const SearchSpace& space, const Configuration& wanted) {
    // Only the shapes and pipelines that agree with `wanted` are listed.
    SearchSpace near = space;
    const auto keep = [](std::vector<std::int64_t>& values, std::int64_t value) {
        const bool allowed = values.empty() || std::find(values.begin(), values.end(), value) != values.end();
        values = {value};
        return allowed;
    };
    if (!keep(near.tp, wanted.tp) || !keep(near.cp, wanted.cp) || !keep(near.ep, wanted.ep) ||
        !keep(near.micro_batch, wanted.micro_batch) || !keep(near.pp, wanted.pp) ||
        !keep(near.vp, wanted.vp)) {
        return false;
    }
    const ShapeKey key{wanted.tp,         wanted.cp, wanted.ep, wanted.etp, wanted.sequence_parallel,
                       wanted.micro_batch};
    const std::vector<ShapeKey> keys = shape_keys(base, near);
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
        return false;
    Configuration plain = wanted;
    plain.site = 0;
    return !for_each_configuration(base, near, key, [&](const Configuration& c) { return c != plain; });
}

/// `c` with one dimension at `value` and what must follow; nothing where dp does not divide.
std::optional<Configuration> changed(const SearchRequest& request, Configuration c, const Dimension& d,
                                     std::int32_t value) {
    const std::int32_t before = c.*d.member;
    if (d.moves_dp) {
        const std::int64_t product = std::int64_t{c.dp} * before;
        if (product % value != 0)
            return std::nullopt;
        c.dp = static_cast<std::int32_t>(product / value);
    }
    c.*d.member = value;
    if (d.member == &Configuration::tp) {
        if (!request.model.moe || c.etp == before)
            c.etp = value;
        const Site& site = request.sites[static_cast<std::size_t>(c.site)];
        c.sequence_parallel =
            value > 1 && (before > 1 ? c.sequence_parallel != 0 : site.stack.layer.sequence_parallel) ? 1 : 0;
    }
    if (d.member == &Configuration::pp || d.member == &Configuration::vp) {
        const Site& site = request.sites[static_cast<std::size_t>(c.site)];
        if (c.pp == 1)
            c.vp = 1;
        const auto was = static_cast<Schedule>(c.schedule);
        Schedule now = was;
        if (c.vp > 1)
            now = Schedule::interleaved;
        else if (c.pp == 1 || was == Schedule::interleaved)
            now = c.pp == 1 ? Schedule::one_f_one_b : site.stack.pipeline.schedule;
        c.schedule = static_cast<std::int32_t>(now);
    }
    if (d.member == &Configuration::zero && value == 0)
        c.hybrid_shard = 0;
    const std::int64_t ranks = std::int64_t{c.dp} * c.cp;
    if (c.hybrid_shard > 0 && (c.hybrid_shard >= ranks || ranks % c.hybrid_shard != 0))
        c.hybrid_shard = 0;
    if (ranks == 1)
        c.zero = 0;
    return c;
}

std::string value_text(const SearchRequest& request, const Configuration& c, const Dimension& d) {
    const Site& site = request.sites[static_cast<std::size_t>(c.site)];
    if (d.member == &Configuration::recompute)
        return choice_text(site.space.recompute[static_cast<std::size_t>(c.recompute)]);
    if (d.member == &Configuration::schedule)
        return hyphenated(name_of(static_cast<Schedule>(c.schedule)));
    if (d.member == &Configuration::sequence_parallel)
        return c.sequence_parallel != 0 ? "sequence parallelism" : "no sequence parallelism";
    if (d.member == &Configuration::offload)
        return choice_text(site.space.offload[static_cast<std::size_t>(c.offload)]);
    if (d.member == &Configuration::hybrid_shard && c.hybrid_shard == 0)
        return "all ranks";
    return std::to_string(c.*d.member);
}

std::string change_text(const SearchRequest& request, const Configuration& from, const Configuration& to,
                        const Dimension& d) {
    const bool named = d.member == &Configuration::recompute || d.member == &Configuration::schedule ||
                       d.member == &Configuration::sequence_parallel || d.member == &Configuration::offload;
    std::string text = (named ? "" : std::string(d.name) + " ") + value_text(request, to, d) +
                       " instead of " + value_text(request, from, d);
    if (to.dp != from.dp)
        text += " (dp " + std::to_string(to.dp) + ")";
    return text;
}

/// ", past the deadline": the limits that a plan breaks.
std::string limits_text(const PlanMetrics& metrics, const PlanLimits& limits) {
    std::string text;
    if (limits.step_time && metrics.time > *limits.step_time)
        text += ", past the deadline";
    if (limits.step_cost && metrics.cost > *limits.step_cost)
        text += ", over the budget";
    return text;
}

/// ", but it may not fit", where that is so of a plan that is better in some way.
std::string risk_text(const Neighbour& n) {
    return !n.risky ? "" : n.loss > 0.0 ? ", and it may not fit" : ", but it may not fit";
}

std::string why_text(const Neighbour& n, const Objective& objective) {
    if (!n.fits)
        return n.change + ": does not fit (" + to_text(n.shortfall) + " short)";
    const char* worse = objective == Objective{} ? " slower" : " worse";
    const char* better = objective == Objective{} ? " faster" : " better";
    std::string text = n.change + ": ";
    if (n.loss == 0.0) {
        text += "the same";
    } else {
        text += percent_text(std::abs(n.loss)) + (n.loss > 0.0 ? worse : better);
    }
    if (n.loss > 0.0 && n.term_growth.value() > 0.0)
        text += ", " + hyphenated(to_string(n.term)) + " +" + to_text(n.term_growth);
    return text + risk_text(n);
}

/// What another configuration gains and loses; its `why` is not told yet.
Neighbour neighbour_of(const SearchRequest& request, const Evaluation& own, const Configuration& other,
                       const MayNotFit& may_not_fit) {
    const Job job = job_of(request, other);
    const Evaluation e = evaluate(request, other, job);
    Neighbour n{.change = {},
                .fits = e.fits,
                .risky = false,
                .shortfall = e.shortfall,
                .metrics = e.metrics,
                .loss = loss_of(request.objective, objective_value(request.objective, own.metrics),
                                objective_value(request.objective, e.metrics)),
                .term = StepTerm::gemm,
                .term_growth = {},
                .why = {}};
    const bool better =
        n.loss <= 0.0 || e.metrics.time < own.metrics.time || e.metrics.cost < own.metrics.cost;
    n.risky = e.fits && better && may_not_fit && may_not_fit(job, e.estimate);
    for (std::size_t t = 0; t < e.estimate.step.terms.size(); ++t) {
        const Seconds growth = e.estimate.step.terms[t] - own.estimate.step.terms[t];
        if (growth > n.term_growth) {
            n.term_growth = growth;
            n.term = static_cast<StepTerm>(t);
        }
    }
    return n;
}

/// `c` on another site: dp takes the ranks, and where the batch cannot be dealt to them, micro-batches give
/// way. Nothing where it is not in that site's space.
std::optional<Configuration> moved(const SearchRequest& request, Configuration c, std::size_t site) {
    const Site& from = request.sites[static_cast<std::size_t>(c.site)];
    const Site& to = request.sites[site];
    const std::int64_t rest = std::int64_t{c.tp} * c.pp * c.cp;
    if (to.cluster.accelerators % rest != 0 || !(from.space.recompute == to.space.recompute) ||
        !(from.space.offload == to.space.offload)) {
        return std::nullopt;
    }
    const std::int64_t sequences = std::int64_t{c.dp} * c.micro_batch;
    c.site = static_cast<std::int32_t>(site);
    c.dp = static_cast<std::int32_t>(to.cluster.accelerators / rest);
    const Job base = base_job(request, site);
    if (in_space(base, to.space, c))
        return c;
    if (sequences % c.dp != 0)
        return std::nullopt;
    c.micro_batch = static_cast<std::int32_t>(sequences / c.dp);
    if (!in_space(base, to.space, c))
        return std::nullopt;
    return c;
}

/// What changes from site to site is no part of a step: time and cost of the whole say why.
std::string why_elsewhere(const Neighbour& n, const PlanMetrics& own, const SearchRequest& request) {
    const Objective& objective = request.objective;
    if (!n.fits)
        return why_text(n, objective);
    const auto over = [](double x) { return (x >= 1.0 ? "+" : "-") + percent_text(std::abs(x - 1.0)); };
    std::string text = why_text(n, objective);
    if (n.loss > 0.0) {
        text.resize(std::min(text.size(), text.find(", ", n.change.size())));
        text += risk_text(n);
    }
    text += "; time " + over(n.metrics.time / own.time);
    if (own.cost.value() > 0.0 && n.metrics.cost.value() > 0.0)
        text += ", cost " + over(n.metrics.cost / own.cost);
    return text + limits_text(n.metrics, request.limits);
}

/// The same configuration on the next fewer and the next more accelerators of its cluster that take it, and
/// on the best other cluster with as many.
void add_elsewhere(const SearchRequest& request, const Configuration& c, const Evaluation& own,
                   const MayNotFit& may_not_fit, std::vector<Neighbour>& all) {
    const Site& here = request.sites[static_cast<std::size_t>(c.site)];
    std::optional<Configuration> fewer;
    std::optional<Configuration> more;
    std::optional<Neighbour> best;
    const auto accelerators = [&](const Configuration& x) {
        return request.sites[static_cast<std::size_t>(x.site)].cluster.accelerators;
    };
    for (std::size_t i = 0; i < request.sites.size(); ++i) {
        const Site& site = request.sites[i];
        const bool same_cluster = site.cluster.id == here.cluster.id;
        const std::int64_t count = site.cluster.accelerators;
        if (static_cast<std::int32_t>(i) == c.site || site.stack.id != here.stack.id ||
            (!same_cluster && count != here.cluster.accelerators)) {
            continue;
        }
        const bool below = count < here.cluster.accelerators;
        if (same_cluster &&
            (below ? fewer && accelerators(*fewer) >= count : more && accelerators(*more) <= count)) {
            continue;
        }
        const std::optional<Configuration> other = moved(request, c, i);
        if (!other)
            continue;
        if (same_cluster) {
            (below ? fewer : more) = other;
            continue;
        }
        Neighbour n = neighbour_of(request, own, *other, may_not_fit);
        n.change = site.cluster.id + " instead of " + here.cluster.id;
        if (!best || (n.fits && (!best->fits || n.loss < best->loss)))
            best = std::move(n);
    }
    for (const std::optional<Configuration>& other : {fewer, more}) {
        if (!other)
            continue;
        Neighbour n = neighbour_of(request, own, *other, may_not_fit);
        n.change =
            std::to_string(accelerators(*other)) + " accelerators instead of " +
            std::to_string(here.cluster.accelerators) + " (dp " + std::to_string(other->dp) +
            (other->micro_batch != c.micro_batch ? ", micro-batch " + std::to_string(other->micro_batch)
                                                 : "") +
            ")";
        n.why = why_elsewhere(n, own.metrics, request);
        all.push_back(std::move(n));
    }
    if (best) {
        best->why = why_elsewhere(*best, own.metrics, request);
        all.push_back(std::move(*best));
    }
}

}  // namespace

std::vector<Neighbour> neighbours(const SearchRequest& request, const Plan& plan,
                                  const MayNotFit& may_not_fit) {
    const Configuration& c = plan.configuration;
    const Site& site = request.sites[static_cast<std::size_t>(c.site)];
    const Job base = base_job(request, static_cast<std::size_t>(c.site));
    const Evaluation own = evaluate(request, c, job_of(request, c));
    std::vector<Neighbour> all;
    for (const Dimension& d : dimensions(request, c)) {
        const std::int32_t here = c.*d.member;
        const auto next = [&](auto begin, auto end) {
            for (auto value = begin; value != end; ++value) {
                const std::optional<Configuration> other = changed(request, c, d, *value);
                if (!other || *other == c || !in_space(base, site.space, *other))
                    continue;
                Neighbour n = neighbour_of(request, own, *other, may_not_fit);
                n.change = change_text(request, c, *other, d);
                n.why = why_text(n, request.objective);
                n.why += n.fits ? limits_text(n.metrics, request.limits) : "";
                all.push_back(std::move(n));
                return;
            }
        };
        const auto at = std::find(d.values.begin(), d.values.end(), here);
        next(std::make_reverse_iterator(at), d.values.rend());
        if (at != d.values.end())
            next(at + 1, d.values.end());
    }
    add_elsewhere(request, c, own, may_not_fit, all);
    return all;
}

}  // namespace traincost
