#include "traincost/plan/search_emptiness.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "traincost/cost/params.hpp"
#include "traincost/plan/search_choices.hpp"

namespace traincost {

namespace {

std::string list_text(const std::vector<std::int64_t>& values) {
    if (values.empty())
        return "any";
    std::string text;
    for (const std::int64_t v : values)
        text += (text.empty() ? "" : ", ") + std::to_string(v);
    return text;
}

std::string why_no_dp(const Job& job, const SearchSpace& space, const std::vector<std::int64_t>& tps) {
    if (space.dp.empty())
        return {};
    std::set<std::int64_t> left;
    for (const std::int64_t tp : tps) {
        for (const std::int64_t cp : cp_choices(job, space, tp)) {
            for (const std::int64_t pp : pp_choices(job, space, tp * cp))
                left.insert(job.cluster.accelerators / (tp * cp * pp));
        }
    }
    if (std::any_of(left.begin(), left.end(), [&](std::int64_t dp) { return contains(space.dp, dp); }))
        return {};
    return "--dp: " + list_text(space.dp) + "; allowed on " + std::to_string(job.cluster.accelerators) +
           " accelerators: " + list_text(std::vector<std::int64_t>(left.begin(), left.end()));
}

bool has_any(const Job& job, const SearchSpace& space) {
    for (const ShapeKey& key : shape_keys(job, space)) {
        if (!for_each_pipeline(job, space, key, [](const PipelineBranch&) { return false; }))
            return true;
    }
    return false;
}

/// A dimension that empties a space: without its values there would be configurations.
struct Culprit {
    const char* flag;
    void (*free)(SearchSpace&);
    std::string (*why)(const Job&, const SearchSpace&);
};

/// Of a space whose tp, cp, pp, dp, ep and etp can be had, what leaves nothing; empty when there are
/// configurations.
std::string why_no_batch(const Job& job, const SearchSpace& space) {
    static const Culprit culprits[] = {
        {"--vp", [](SearchSpace& s) { s.vp.clear(); },
         [](const Job& j, const SearchSpace& s) {
             return list_text(s.vp) + "; vp > 1 needs pp > 1 and the interleaved schedule, " +
                    "pp*vp must divide the model's " + std::to_string(block_count(j.model)) + " layers" +
                    (j.stack.pipeline.ends_count_as_blocks
                         ? " or, with 2 for the ends, " + std::to_string(block_count(j.model) + 2)
                         : "") +
                    (j.run.uneven_stages ? "" : " (--uneven-stages: any)") +
                    ", and micro-batches must come in multiples of pp";
         }},
        {"--schedule", [](SearchSpace& s) { s.schedules.clear(); },
         [](const Job&, const SearchSpace&) {
             return std::string(
                 "no given schedule is possible; vp > 1 needs interleaved, and DualPipe needs an even pp and "
                 "an even number of at least 2*pp micro-batches");
         }},
        {"--hybrid-shard", [](SearchSpace& s) { s.hybrid_shard.clear(); },
         [](const Job&, const SearchSpace& s) { return list_text(s.hybrid_shard) + "; must divide dp*cp"; }},
        {"--offload-optimizer", [](SearchSpace& s) { s.offload = {{}}; },
         [](const Job&, const SearchSpace&) {
             return std::string("no given offload works with the remaining ZeRO stages");
         }},
        {"--zero", [](SearchSpace& s) { s.zero.clear(); },
         [](const Job&, const SearchSpace& s) {
             return list_text(s.zero) + " on one data-parallel rank (dp*cp = 1)";
         }},
        {"--micro-batch", [](SearchSpace& s) { s.micro_batch.clear(); },
         [](const Job& j, const SearchSpace& s) {
             return list_text(s.micro_batch) + "; dp*micro_batch must divide the global batch of " +
                    std::to_string(j.run.global_batch) + " for a dp that tp, cp, pp and ep allow";
         }},
        {"--dp", [](SearchSpace& s) { s.dp.clear(); },
         [](const Job& j, const SearchSpace& s) {
             return list_text(s.dp) + "; must divide the global batch of " +
                    std::to_string(j.run.global_batch) + " into whole micro-batches";
         }},
        {"--ep", [](SearchSpace& s) { s.ep.clear(); },
         [](const Job&, const SearchSpace& s) {
             return list_text(s.ep) + "; ep*etp must divide the ranks of a pipeline stage";
         }},
        {"--pp", [](SearchSpace& s) { s.pp.clear(); },
         [](const Job& j, const SearchSpace& s) {
             return list_text(s.pp) + "; the resulting dp must divide the global batch of " +
                    std::to_string(j.run.global_batch);
         }}};
    if (has_any(job, space))
        return {};
    for (const Culprit& culprit : culprits) {
        SearchSpace freed = space;
        culprit.free(freed);
        if (has_any(job, freed))
            return std::string(culprit.flag) + ": " + culprit.why(job, space);
    }
    return "--global-batch: " + std::to_string(job.run.global_batch) +
           " is not a multiple of any dp*micro_batch that is possible on " +
           std::to_string(job.cluster.accelerators) + " accelerators";
}

/// What the stack cannot launch of a space that leaves nothing else; empty where that is not why.
std::string why_not_launched(const Job& job, const SearchSpace& space) {
    const struct {
        const char* name;
        const std::vector<std::int64_t>& values;
        Lack kind;
    } degrees[] = {{"tp", space.tp, Lack::tp},
                   {"pp", space.pp, Lack::pp},
                   {"vp", space.vp, Lack::vp},
                   {"cp", space.cp, Lack::cp},
                   {"ep", space.ep, Lack::ep}};
    for (const auto& degree : degrees) {
        if (!contains(degree.values, 1) && lacks(job.stack, degree.kind))
            return "--" + std::string(degree.name) + ": " + list_text(degree.values) + "; " +
                   lack_text(job.stack, degree.kind);
    }
    if (!contains(space.pp, 1) && !contains(space.zero, 0) && !contains(space.zero, 1) &&
        lacks(job.stack, Lack::zero_beside_pp)) {
        return "--zero: " + list_text(space.zero) + "; " + lack_text(job.stack, Lack::zero_beside_pp);
    }
    const auto only_sharded = [&](Lack kind) {
        return contains(space.zero, 3) && space.zero.size() == 1 && multiplies_narrow(job.run.precision) &&
               lacks(job.stack, kind);
    };
    if (is_compiled(job.run, job.stack) && only_sharded(Lack::narrow_compile_sharded))
        return "--zero: 3; " + lack_text(job.stack, Lack::narrow_compile_sharded);
    const bool recomputes = std::none_of(space.recompute.begin(), space.recompute.end(),
                                         [](const auto& choice) { return choice.kind == Recompute::none; });
    if (recomputes && only_sharded(Lack::narrow_recompute_sharded))
        return "--zero: 3; " + lack_text(job.stack, Lack::narrow_recompute_sharded);
    return {};
}

}  // namespace

std::string why_empty(const Job& job, const SearchSpace& space) {
    if (std::string why = why_not_launched(job, space); !why.empty())
        return why;
    const std::int64_t n = job.cluster.accelerators;
    const std::vector<std::int64_t> tps = tp_choices(job, space);
    if (tps.empty()) {
        return "--tp: " + list_text(space.tp) + "; must divide " + std::to_string(n) +
               " accelerators and the model's " + std::to_string(job.model.heads) + " heads, " +
               std::to_string(job.model.kv_heads) + " key/value heads and feed-forward width of " +
               std::to_string(job.model.ffn);
    }
    if (ep_choices(job, space).empty()) {
        return job.model.moe ? "--ep: " + list_text(space.ep) + "; must divide the model's " +
                                   std::to_string(job.model.moe->experts) + " experts"
                             : "--ep: " + list_text(space.ep) + "; the model has no experts";
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
        return "--cp: " + list_text(space.cp) + "; must divide both the sequence length of " +
               std::to_string(job.run.sequence) + " and " + std::to_string(n) + " accelerators over tp";
    }
    if (!any_etp)
        return "--etp: " + list_text(space.etp) + "; must divide a tp of " + list_text(tps);
    if (!any_pp) {
        return "--pp: " + list_text(space.pp) + "; must divide " + std::to_string(n) +
               " accelerators over tp*cp, and be at most the model's " +
               std::to_string(block_count(job.model)) + " layers";
    }
    if (std::string why = why_no_dp(job, space, tps); !why.empty())
        return why;
    return why_no_batch(job, space);
}

}  // namespace traincost
