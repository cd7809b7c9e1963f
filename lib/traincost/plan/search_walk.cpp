#include "traincost/plan/search_walk.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "traincost/cost/memory.hpp"
#include "traincost/cost/memory/host_memory.hpp"
#include "traincost/cost/step.hpp"

namespace traincost {

SiteRates rates_of(const ClusterSpec& cluster, double goodput) {
    return {1.0 / goodput, hourly_cost(cluster).value_or(Dollars{}).value() / 3600.0,
            power_watts(cluster).value_or(0.0)};
}

namespace {

/// Sums in another order round differently: bounds are taken lower by more than that.
constexpr double rounding = 1.0 - 1e-12;

/// The walk through one shape's configurations.
class ShapeSearch {
public:
    ShapeSearch(const SearchRequest& request, const SearchTask& task, PipelineStages& pipelines,
                const Incumbents& incumbents, WalkExtent extent, Findings& found)
        : request_(request),
          task_(task),
          site_(request.sites[static_cast<std::size_t>(task.site)]),
          pipelines_(pipelines),
          incumbents_(incumbents),
          extent_(extent),
          found_(found),
          rates_(rates_of(site_.cluster, site_.goodput)),
          capacity_(allowed_memory(site_.cluster.accelerator, request.run)),
          job_(base_job(request, static_cast<std::size_t>(task.site))) {
    }

    void run() {
        for_each_pipeline(job_, site_.space, task_.key, [&](const PipelineBranch& branch) {
            walk(branch);
            return !stopped();
        });
    }

private:
    bool stopped() const {
        return request_.monitor != nullptr && request_.monitor->stop.load(std::memory_order_relaxed);
    }

    void put(const Configuration& c) {
        apply(c, site_.space, job_.run);
    }

    /// A bound that no operators need be listed for.
    Bytes states_floor(const StateChoice& state) const {
        return pipelines_.least_states(site_.space.offload[static_cast<std::size_t>(state.offload)]) *
               rounding;
    }

    Bytes memory_floor(std::int32_t recompute) {
        const ShapeTables::Entry& shared = tables_.of(job_);
        return device_memory_floor(job_, shared.shape, shared.table, stages(recompute)) * rounding;
    }

    /// The recompute choice with the fewest gradients: stacks may keep them whole where all blocks run again.
    std::int32_t lightest(const PipelineBranch& branch) const {
        const auto some_kept =
            std::find_if(branch.recompute.begin(), branch.recompute.end(), [&](std::int32_t r) {
                const RecomputeChoice& choice = site_.space.recompute[static_cast<std::size_t>(r)];
                return choice.kind != Recompute::full || choice.every != 1;
            });
        return some_kept != branch.recompute.end() ? *some_kept : branch.recompute.front();
    }

    const StageClasses& stages(std::int32_t recompute) const {
        return (*stages_)[static_cast<std::size_t>(recompute)];
    }

    /// Whether no plan with at least this memory can be of use; counts `size` configurations as cut then.
    bool too_large(Bytes floor, std::int64_t size) {
        const double most = extent_ == WalkExtent::nearest && found_.smallest
                                ? capacity_.value() * found_.smallest->value
                                : capacity_.value();
        const bool cut = request_.prune && floor.value() > most &&
                         (extent_ != WalkExtent::nearest || found_.smallest.has_value());
        if (cut) {
            found_.counts.enumerated += size;
            found_.counts.cut_by_memory += size;
        }
        return cut;
    }

    bool ruled_out(Seconds time, Bytes memory, std::int64_t size) {
        const bool cut = incumbents_.rule_out(rates_.metrics(time, memory));
        if (cut) {
            found_.counts.enumerated += size;
            found_.counts.cut_by_plans += size;
        }
        return cut;
    }

    /// Whether stages hold unequal chunks, so that each configuration is played task by task.
    bool is_played(const PipelineBranch& branch) const {
        return branch.common.vp > 1 &&
               block_count(job_.model) % (std::int64_t{branch.common.pp} * branch.common.vp) != 0;
    }

    void walk(const PipelineBranch& branch) {
        if (extent_ == WalkExtent::sample && is_played(branch))
            return;
        stages_ = &pipelines_.of(branch.common.pp, branch.common.vp);
        if (request_.prune && cut(branch))
            return;
        const auto schedules = static_cast<std::int64_t>(branch.schedules.size());
        const std::int32_t light = lightest(branch);
        for (const StateChoice& state : branch.states) {
            if (stopped())
                return;
            if (extent_ == WalkExtent::sample && state.hybrid_shard != 0)
                continue;
            Bytes floor;
            if (request_.prune) {
                const std::int64_t size = schedules * static_cast<std::int64_t>(branch.recompute.size());
                if (too_large(states_floor(state), size))
                    continue;
                put(configuration_of(branch, state, branch.schedules.front(), light));
                floor = memory_floor(light);
                if (too_large(floor, size))
                    continue;
            }
            for (std::size_t r = 0; r < branch.recompute.size(); ++r) {
                if (request_.prune && ruled_out(time_floors_[r], floor, schedules))
                    continue;
                evaluate(branch, state, r);
            }
        }
    }

    /// Bounds of the whole branch: the least work of the recompute choices, and states in as many shards as
    /// there are.
    bool cut(const PipelineBranch& branch) {
        unlike(branch.states);
        if (too_large(states_floor(unlike_.front()), branch.size()))
            return true;
        const std::int32_t light = lightest(branch);
        Bytes floor{std::numeric_limits<double>::infinity()};
        for (const StateChoice& state : unlike_) {
            if (states_floor(state) >= floor)
                break;  // no less than those before
            put(configuration_of(branch, state, branch.schedules.front(), light));
            floor = std::min(floor, memory_floor(light));
        }
        if (too_large(floor, branch.size()))
            return true;
        time_floors_.clear();
        Seconds least{std::numeric_limits<double>::infinity()};
        for (const std::int32_t recompute : branch.recompute) {
            time_floors_.push_back(time_floor(branch, recompute));
            least = std::min(least, time_floors_.back());
        }
        return ruled_out(least, floor, branch.size());
    }

    /// Of each ZeRO stage and place of states one choice: the one with the most shards; by `states_floor`.
    void unlike(const std::vector<StateChoice>& states) {
        unlike_.clear();
        for (const StateChoice& state : states) {
            const bool known = std::any_of(unlike_.begin(), unlike_.end(), [&](const StateChoice& other) {
                return other.zero == state.zero && other.offload == state.offload;
            });
            if (!known)
                unlike_.push_back({state.zero, 0, state.offload});
        }
        std::stable_sort(unlike_.begin(), unlike_.end(), [&](const StateChoice& a, const StateChoice& b) {
            return states_floor(a) < states_floor(b);
        });
    }

    /// Of all schedules (DualPipe hides what others wait for) and ZeRO stages (sharded weights are cast when
    /// they are gathered, others by operators of their own).
    Seconds time_floor(const PipelineBranch& branch, std::int32_t recompute) {
        Seconds least{std::numeric_limits<double>::infinity()};
        bool other = false;
        for (const Schedule schedule : branch.schedules) {
            if (schedule != Schedule::dualpipe && std::exchange(other, true))
                continue;
            std::int32_t zero = -1;
            for (const StateChoice& state : branch.states) {  // by ZeRO stage
                if (std::exchange(zero, state.zero) == state.zero)
                    continue;
                put(configuration_of(branch, state, schedule, recompute));
                least = std::min(least, step_time_floor(job_, tables_.of(job_).table, stages(recompute)));
            }
        }
        return least * rounding;
    }

    void evaluate(const PipelineBranch& branch, const StateChoice& state, std::size_t r) {
        Plan plan{configuration_of(branch, state, branch.schedules.front(), branch.recompute[r]), {}, 0.0};
        plan.configuration.site = task_.site;
        put(plan.configuration);
        const ShapeTables::Entry& shared = tables_.of(job_);
        const StageClasses& pipeline = stages(branch.recompute[r]);
        const Bytes enough =
            extent_ == WalkExtent::nearest ? Bytes{std::numeric_limits<double>::infinity()} : capacity_;
        for (const Schedule schedule : branch.schedules) {
            job_.run.schedule = schedule;
            plan.configuration.schedule = static_cast<std::int32_t>(schedule);
            const PeakMemory peak = peak_memory(job_, shared.shape, shared.table, pipeline, enough);
            const Bytes memory = peak.device;
            plan.metrics = {{}, memory, {}, 0.0};
            if (memory > capacity_ || site_.margin.needed(peak) > capacity_) {
                ++found_.counts.enumerated;
                ++found_.counts.evaluated;
                ++found_.counts.does_not_fit;
                found_.unsure = found_.unsure || memory <= capacity_;
                if (extent_ == WalkExtent::nearest) {
                    plan.value = memory / capacity_;
                    found_.keep_smallest(plan);
                }
                continue;
            }
            if (request_.prune && ruled_out(time_floors_[r], memory, 1))
                continue;
            ++found_.counts.enumerated;
            ++found_.counts.evaluated;
            if (exceeds_host(job_, shared.shape, shared.table, pipeline)) {
                ++found_.counts.does_not_fit;
                continue;
            }
            const AllocatorPressure pressure =
                allocator_pressure(job_, shared.shape, shared.table, pipeline, memory);
            plan.metrics =
                rates_.metrics(step_time(job_, shared.shape, shared.table, pipeline, pressure).total, memory);
            judge(plan);
        }
    }

    /// A plan that fits: within the limits or not.
    void judge(Plan& plan) {
        const PlanLimits& limits = request_.limits;
        const bool late = limits.step_time && plan.metrics.time > *limits.step_time;
        const bool dear = limits.step_cost && plan.metrics.cost > *limits.step_cost;
        if (late || dear) {
            ++(late ? found_.counts.over_deadline : found_.counts.over_budget);
            found_.keep_fastest(plan);
            found_.keep_cheapest(plan);
            return;
        }
        ++found_.counts.feasible;
        plan.value = objective_value(request_.objective, plan.metrics);
        found_.best.add(plan);
        if (request_.front)
            found_.pareto.add(plan);
    }

    const SearchRequest& request_;
    const SearchTask& task_;
    const Site& site_;
    PipelineStages& pipelines_;
    const Incumbents& incumbents_;
    WalkExtent extent_;
    Findings& found_;
    SiteRates rates_;
    Bytes capacity_;
    Job job_;
    ShapeTables tables_;
    const std::vector<StageClasses>* stages_ = nullptr;
    std::vector<Seconds> time_floors_;  ///< by the branch's recompute choices
    std::vector<StateChoice> unlike_;
};

}  // namespace

void walk_shape(const SearchRequest& request, const SearchTask& task, PipelineStages& pipelines,
                const Incumbents& incumbents, WalkExtent extent, Findings& found) {
    ShapeSearch(request, task, pipelines, incumbents, extent, found).run();
}

}  // namespace traincost
