#include "traincost/plan/recommend.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "traincost/base/text.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// The objective's value of `other` over that of `plan`, less one.
double loss_of(const Objective& objective, double plan, double other) {
    const int metrics = (objective.time != 0.0) + (objective.cost != 0.0) + (objective.memory != 0.0) +
                        (objective.energy != 0.0);
    const bool single =
        metrics == 1 && std::max({objective.time, objective.cost, objective.memory, objective.energy}) == 1.0;
    if (single)
        return plan > 0.0 ? other / plan - 1.0 : 0.0;
    return std::exp(other - plan) - 1.0;  // values are logarithms
}

StepTerm largest_term(const StepTime& step) {
    const auto largest = std::max_element(step.terms.begin(), step.terms.end());
    return static_cast<StepTerm>(largest - step.terms.begin());
}

std::string spaced(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

std::string recompute_text(const RecomputeChoice& choice) {
    switch (choice.kind) {
        case Recompute::none:
            return "no recompute";
        case Recompute::selective:
            return choice.modules.activation ? "selective recompute of attention, norms and activations"
                                             : "selective recompute";
        case Recompute::full:
            break;
    }
    if (choice.layers)
        return "full recompute of " + std::to_string(*choice.layers) + " layers a stage";
    if (choice.every > 1)
        return "full recompute of every " + std::to_string(choice.every) + ". layer";
    return "full recompute";
}

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
    const Bytes memory = e.estimate.stages[static_cast<std::size_t>(e.estimate.peak_stage)].device;
    const Bytes allowed = usable_memory(site.cluster.accelerator) * (1.0 - request.limits.headroom);
    e.metrics = metrics_of(site.cluster, site.goodput, e.estimate.step.total, memory);
    e.fits = memory <= allowed;
    e.shortfall = e.fits ? Bytes{} : memory - allowed;
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
        {"vp", &Configuration::vp, divisors_up_to(block_count(request.model), any), false},
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
            value > 1 && (before > 1 ? c.sequence_parallel != 0 : site.stack.sequence_parallel) ? 1 : 0;
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
            now = c.pp == 1 ? Schedule::one_f_one_b : site.stack.pipeline;
        c.schedule = static_cast<std::int32_t>(now);
    }
    if (d.member == &Configuration::zero && value == 0)
        c.hybrid_shard = 0;
    if (c.hybrid_shard > 0 && (c.hybrid_shard >= c.dp * c.cp || (c.dp * c.cp) % c.hybrid_shard != 0))
        c.hybrid_shard = 0;
    if (c.dp * c.cp == 1)
        c.zero = 0;
    return c;
}

std::string value_text(const SearchRequest& request, const Configuration& c, const Dimension& d) {
    const Site& site = request.sites[static_cast<std::size_t>(c.site)];
    if (d.member == &Configuration::recompute)
        return recompute_text(site.space.recompute[static_cast<std::size_t>(c.recompute)]);
    if (d.member == &Configuration::schedule)
        return spaced(name_of(static_cast<Schedule>(c.schedule)));
    if (d.member == &Configuration::sequence_parallel)
        return c.sequence_parallel != 0 ? "sequence parallelism" : "no sequence parallelism";
    if (d.member == &Configuration::offload)
        return c.offload == 0 ? "no offload" : "offload " + std::to_string(c.offload);
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

std::string why_text(const Neighbour& n, const Objective& objective) {
    if (!n.fits)
        return n.change + ": does not fit, " + to_text(n.shortfall) + " short";
    const char* worse = objective == Objective{} ? " slower" : " worse";
    const char* better = objective == Objective{} ? " faster" : " better";
    std::string text = n.change + ": ";
    if (n.loss == 0.0) {
        text += "the same";
    } else {
        text += percent_text(std::abs(n.loss)) + (n.loss > 0.0 ? worse : better);
    }
    if (n.loss > 0.0 && n.term_growth.value() > 0.0)
        text += ", " + spaced(to_string(n.term)) + " +" + to_text(n.term_growth);
    return text;
}

}  // namespace

std::string configuration_text(const SearchRequest& request, const Configuration& c) {
    const Site& site = request.sites[static_cast<std::size_t>(c.site)];
    std::string text;
    const auto degree = [&](const char* name, std::int32_t value, std::int32_t usual) {
        if (value != usual)
            text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(value);
    };
    degree("tp", c.tp, 1);
    degree("pp", c.pp, 1);
    degree("vp", c.vp, 1);
    degree("cp", c.cp, 1);
    degree("dp", c.dp, 1);
    degree("ep", c.ep, 1);
    if (request.model.moe)
        degree("etp", c.etp, c.ep > 1 ? 1 : c.tp);
    degree("zero", c.zero, 0);
    degree("shard group", c.hybrid_shard, 0);
    degree("micro-batch", c.micro_batch, 0);
    if (c.pp > 1 && static_cast<Schedule>(c.schedule) != site.stack.pipeline && c.vp == 1)
        text += ", " + spaced(name_of(static_cast<Schedule>(c.schedule)));
    const RecomputeChoice& recompute = site.space.recompute[static_cast<std::size_t>(c.recompute)];
    if (recompute.kind != Recompute::none)
        text += ", " + recompute_text(recompute);
    if (c.tp > 1 && (c.sequence_parallel != 0) != site.stack.sequence_parallel)
        text += c.sequence_parallel != 0 ? ", sequence parallelism" : ", no sequence parallelism";
    const OffloadChoice& offload = site.space.offload[static_cast<std::size_t>(c.offload)];
    if (offload.optimizer != Offload::none)
        text += ", optimizer on " + std::string(name_of(offload.optimizer));
    if (offload.parameters != Offload::none)
        text += ", weights on " + std::string(name_of(offload.parameters));
    if (offload.activations > 0.0)
        text += ", " + percent_text(offload.activations) + " of activations on the host";
    return text;
}

std::vector<Neighbour> neighbours(const SearchRequest& request, const Plan& plan) {
    const Configuration& c = plan.configuration;
    const Site& site = request.sites[static_cast<std::size_t>(c.site)];
    const Job base = base_job(request, static_cast<std::size_t>(c.site));
    const Evaluation own = evaluate(request, c, job_of(request, c));
    const double own_value = objective_value(request.objective, own.metrics);
    std::vector<Neighbour> all;
    for (const Dimension& d : dimensions(request, c)) {
        const std::int32_t here = c.*d.member;
        const auto next = [&](auto begin, auto end) {
            for (auto value = begin; value != end; ++value) {
                const std::optional<Configuration> other = changed(request, c, d, *value);
                if (!other || *other == c || !in_space(base, site.space, *other))
                    continue;
                const Evaluation e = evaluate(request, *other, job_of(request, *other));
                Neighbour n{.change = change_text(request, c, *other, d),
                            .fits = e.fits,
                            .shortfall = e.shortfall,
                            .metrics = e.metrics,
                            .loss = loss_of(request.objective, own_value,
                                            objective_value(request.objective, e.metrics)),
                            .term = StepTerm::gemm,
                            .term_growth = {},
                            .why = {}};
                for (std::size_t t = 0; t < e.estimate.step.terms.size(); ++t) {
                    const Seconds growth = e.estimate.step.terms[t] - own.estimate.step.terms[t];
                    if (growth > n.term_growth) {
                        n.term_growth = growth;
                        n.term = static_cast<StepTerm>(t);
                    }
                }
                n.why = why_text(n, request.objective);
                all.push_back(std::move(n));
                return;
            }
        };
        const auto at = std::find(d.values.begin(), d.values.end(), here);
        next(std::make_reverse_iterator(at), d.values.rend());
        if (at != d.values.end())
            next(at + 1, d.values.end());
    }
    return all;
}

namespace {

/// Inputs a prediction depends on and that nobody knows to better than this.
struct UncertainInput {
    const char* name;
    std::function<void(Job&, double)> scale;
};

const std::vector<UncertainInput>& uncertain_inputs() {
    static const std::vector<UncertainInput> inputs = {
        {"matrix rate",
         [](Job& job, double f) {
             for (auto& peak : job.cluster.accelerator.peak) {
                 if (peak)
                     *peak *= f;
             }
         }},
        {"memory bandwidth", [](Job& job, double f) { job.cluster.accelerator.memory_bandwidth *= f; }},
        {"bandwidth in a node", [](Job& job, double f) { job.cluster.network.scale_up.bandwidth *= f; }},
        {"bandwidth between nodes", [](Job& job, double f) {
             if (job.cluster.network.scale_out)
                 job.cluster.network.scale_out->bandwidth *= f;
         }}};
    return inputs;
}

}  // namespace

std::vector<Recommendation> recommend(const SearchRequest& request, const SearchResult& result,
                                      const TieRule& tie) {
    constexpr double change = -0.2;
    std::vector<Recommendation> all;
    if (result.best.empty())
        return all;
    const double best = result.best.front().value;
    for (const Plan& plan : result.best) {
        const Job job = job_of(request, plan.configuration);
        Recommendation r{.plan = plan,
                         .job = job,
                         .estimate = estimate(job),
                         .bound_by = StepTerm::gemm,
                         .tie = false,
                         .behind = loss_of(request.objective, best, plan.value),
                         .neighbours = neighbours(request, plan),
                         .sensitivities = {}};
        r.bound_by = largest_term(r.estimate.step);
        const bool same = plan.configuration.site == result.best.front().configuration.site;
        r.tie = !all.empty() && r.behind <= (same ? tie.same_site : tie.other_site);
        all.push_back(std::move(r));
    }
    all.front().tie = all.size() > 1 && all[1].tie;
    for (const UncertainInput& input : uncertain_inputs()) {
        std::vector<double> values;
        for (Recommendation& r : all) {
            Job job = r.job;
            input.scale(job, 1.0 + change);
            const Estimate e = estimate(job);
            const Site& site = request.sites[static_cast<std::size_t>(r.plan.configuration.site)];
            const Bytes peak = e.stages[static_cast<std::size_t>(e.peak_stage)].device;
            const PlanMetrics metrics = metrics_of(job.cluster, site.goodput, e.step.total, peak);
            values.push_back(objective_value(request.objective, metrics));
            r.sensitivities.push_back(
                {input.name, change, e.step.total / r.estimate.step.total - 1.0, false});
        }
        const double least = *std::min_element(values.begin(), values.end());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i].sensitivities.back().stays_best = values[i] <= least;
    }
    return all;
}

}  // namespace traincost
