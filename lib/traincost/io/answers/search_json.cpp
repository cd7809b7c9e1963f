#include "traincost/io/answers/search_json.hpp"
#include "traincost/io/json_writer.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "traincost/base/text.hpp"
#include "traincost/io/answers/estimate_json.hpp"
#include "traincost/io/content_hash.hpp"
#include "traincost/io/specs/job_json.hpp"
#include "traincost/io/specs/run_json.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

template <class Range>
void write_numbers(JsonWriter& out, const char* name, const Range& values) {
    out.key(name).begin_array();
    for (const auto value : values)
        out.value(static_cast<std::int64_t>(value));
    out.end_array();
}

void write_space(JsonWriter& out, const SearchSpace& s) {
    out.begin_object();
    write_numbers(out, "tp", s.tp);
    write_numbers(out, "cp", s.cp);
    write_numbers(out, "pp", s.pp);
    write_numbers(out, "vp", s.vp);
    write_numbers(out, "dp", s.dp);
    write_numbers(out, "ep", s.ep);
    write_numbers(out, "etp", s.etp);
    write_numbers(out, "zero", s.zero);
    write_numbers(out, "hybrid_shard", s.hybrid_shard);
    out.member("all_hybrid_shards", s.all_hybrid_shards);
    write_numbers(out, "micro_batch", s.micro_batch);
    write_numbers(out, "sequence_parallel", s.sequence_parallel);
    write_numbers(out, "schedules", s.schedules);
    out.key("recompute").begin_array();
    for (const RecomputeChoice& r : s.recompute) {
        const RecomputeModules& m = r.modules;
        write_numbers(out.begin_object(), "choice",
                      std::array<std::int64_t, 11>{static_cast<std::int64_t>(r.kind), m.core_attention,
                                                   m.norm, m.activation, m.mlp, m.moe, m.mla_up, m.per_op,
                                                   m.all_but_attention, r.every, r.layers.value_or(0)});
        out.end_object();
    }
    out.end_array();
    out.key("offload").begin_array();
    for (const OffloadChoice& o : s.offload) {
        out.begin_object();
        out.member("optimizer", name_of(o.optimizer));
        out.member("parameters", name_of(o.parameters));
        out.member("activations", o.activations);
        out.member("least_zero", o.least_zero);
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

}  // namespace

std::string fingerprint(const SearchRequest& request) {
    JsonWriter out(0);
    out.begin_object();
    for (std::size_t i = 0; i < request.sites.size(); ++i) {
        out.key("job" + std::to_string(i));
        write_json(out, base_job(request, i));
        out.key("space" + std::to_string(i));
        write_space(out, request.sites[i].space);
        out.member("goodput" + std::to_string(i), request.sites[i].goodput);
        out.member("price" + std::to_string(i), hourly_cost(request.sites[i].cluster));
        out.member("watts" + std::to_string(i), power_watts(request.sites[i].cluster));
    }
    const Objective& o = request.objective;
    out.array("objective", std::array<double, 4>{o.time, o.cost, o.memory, o.energy});
    out.member("step_time", request.limits.step_time);
    out.member("step_cost", request.limits.step_cost);
    out.member("top", request.top);
    out.member("prune", request.prune);
    out.end_object();
    return content_hash(out.text());
}

void write_counts(JsonWriter& out, const SearchCounts& c) {
    out.key("counts").begin_object();
    out.member("enumerated", c.enumerated);
    out.member("pruned", c.pruned());
    out.member("cut_by_memory", c.cut_by_memory);
    out.member("cut_by_plans", c.cut_by_plans);
    out.member("evaluated", c.evaluated);
    out.member("does_not_fit", c.does_not_fit);
    out.member("over_deadline", c.over_deadline);
    out.member("over_budget", c.over_budget);
    out.member("feasible", c.feasible);
    out.end_object();
}

namespace {

/// The totals of a plan's training run as `estimate` gives them, nulls where it gives none.
void write_totals(JsonWriter& out, const Site& site, const Plan& plan, const Estimate& e) {
    constexpr double day = 86400.0;
    constexpr double hour = 3600.0;
    const double goodput = site.goodput;
    const std::optional<Dollars> hourly = hourly_cost(site.cluster);
    const std::optional<TrainingTotals>& all = e.training;
    out.member("step_s", e.step.total);
    out.member("goodput", goodput);
    out.member("memory_bytes", plan.metrics.memory);
    out.member("usd_per_step",
               hourly ? std::optional(*hourly * (e.step.total.value() / hour / goodput)) : std::nullopt);
    out.member("days", all ? std::optional(all->time.value() / goodput / day) : std::nullopt);
    out.member("usd", all && all->cost ? std::optional(*all->cost / goodput) : std::nullopt);
}

/// A plan without its estimate, as an object.
void write_bare_plan(JsonWriter& out, const SearchRequest& request, const Plan& plan, const Sureness& sure) {
    const Configuration& c = plan.configuration;
    const Site& site = request.sites[static_cast<std::size_t>(c.site)];
    const Job job = job_of(request, c);
    const Estimate e = estimate(job);
    out.begin_object();
    out.member("configuration", configuration_text(request, c));
    out.member("flags", configuration_flags(request, c));
    out.member("cluster", site.cluster.id);
    out.member("stack", site.stack.id);
    out.member("gpus", site.cluster.accelerators);
    write_totals(out, site, plan, e);
    out.member("probability_of_fitting", sure(job, e).probability_of_fitting);
    out.key("run");
    write_json(out, job.run);
    out.end_object();
}

void write_pareto(JsonWriter& out, const SearchRequest& request, const SearchResult& result,
                  const Sureness& sure) {
    out.key("pareto").begin_array();
    for (const Plan& plan : result.pareto)
        write_bare_plan(out, request, plan, sure);
    out.end_array();
}

}  // namespace

void write_search_members(JsonWriter& out, const SearchRequest& request, const SearchResult& result,
                          const std::vector<Recommendation>& plans, const Sureness& sure, double seconds,
                          const std::vector<std::string>& assumptions, const Operation& operation) {
    out.member("schema_version", estimate_schema_version);
    out.member("evaluated", result.counts.evaluated);
    out.member("feasible", result.counts.feasible);
    out.member("seconds", seconds);
    out.member("interrupted", result.interrupted);
    write_counts(out, result.counts);
    out.key("plans").begin_array();
    for (const Recommendation& r : plans) {
        out.begin_object();
        out.member("configuration", configuration_text(request, r.plan.configuration));
        out.member("flags", configuration_flags(request, r.plan.configuration));
        out.array("also_as", [&] {
            std::vector<std::string> flags;
            for (const Configuration& c : r.also)
                flags.push_back(configuration_flags(request, c));
            return flags;
        }());
        out.member("bound_by", to_string(r.bound_by));
        out.array("why", [&] {
            std::vector<std::string> why;
            for (const Neighbour& n : r.neighbours)
                why.push_back(n.why);
            return why;
        }());
        out.member("behind_best", r.behind);
        out.member("tie", r.tie);
        out.key("totals").begin_object();
        write_totals(out, request.sites[static_cast<std::size_t>(r.plan.configuration.site)], r.plan,
                     r.estimate);
        out.end_object();
        out.key("sensitivity").begin_array();
        for (const Sensitivity& s : r.sensitivities) {
            out.begin_object();
            out.member("input", s.input);
            out.member("change", s.change);
            out.member("step_change", s.step);
            out.member("stays_best", s.stays_best);
            out.end_object();
        }
        out.end_array();
        write_estimate_members(out, r.job, r.estimate, sure(r.job, r.estimate), assumptions, operation);
        out.end_object();
    }
    out.end_array();
    write_pareto(out, request, result, sure);
    out.array("assumptions", assumptions);
}

void write_clusters(JsonWriter& out, const SearchRequest& request, const std::vector<ClusterPlan>& clusters,
                    const Sureness& sure) {
    out.key("clusters").begin_array();
    for (const ClusterPlan& one : clusters) {
        out.begin_object();
        out.member("cluster", one.cluster);
        out.member("stack", one.stack);
        out.member("feasible", one.result.counts.feasible);
        out.key("plan");
        if (one.plan)
            write_bare_plan(out, request, *one.plan, sure);
        else
            out.null();
        out.end_object();
    }
    out.end_array();
}

}  // namespace traincost
