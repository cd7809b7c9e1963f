#include "traincost/plan/relaxation.hpp"

#include <algorithm>
#include <utility>

namespace traincost {

namespace {

bool anything_fits(const SearchResult& result) {
    const SearchCounts& c = result.counts;
    return c.feasible + c.over_deadline + c.over_budget > 0;
}

/// Whether the search need not go on: something fits with the margin asked for, or the user has had enough.
bool answers(const SearchResult& result) {
    return result.interrupted || (anything_fits(result) && !result.risky);
}

/// Each step changes the sites and says whether it changed any.
bool allow_uneven_stages(SearchRequest& request) {
    bool changed = false;
    for (std::size_t i = 0; i < request.sites.size(); ++i) {
        RunSpec run = base_job(request, i).run;
        if (request.sites[i].stack.pipeline.balanced_stages || std::exchange(run.uneven_stages, true))
            continue;
        request.sites[i].run = run;
        changed = true;
    }
    return changed;
}

bool allow_offload(SearchRequest& request) {
    bool changed = false;
    for (Site& site : request.sites) {
        for (const OffloadChoice& choice : host_offloads(site.cluster.host)) {
            std::vector<OffloadChoice>& known = site.space.offload;
            if (std::find(known.begin(), known.end(), choice) != known.end())
                continue;
            known.push_back(choice);
            changed = true;
        }
    }
    return changed;
}

bool allow_recompute(SearchRequest& request) {
    bool changed = false;
    for (std::size_t i = 0; i < request.sites.size(); ++i) {
        std::vector<RecomputeChoice>& known = request.sites[i].space.recompute;
        for (const RecomputeChoice& choice : full_space(base_job(request, i)).recompute) {
            if (std::find(known.begin(), known.end(), choice) != known.end())
                continue;
            known.push_back(choice);
            changed = true;
        }
    }
    return changed;
}

/// Of the best plan.
const StackSpec& stack_of(const RelaxedSearch& answer) {
    return answer.request.sites[static_cast<std::size_t>(answer.result.best.front().configuration.site)]
        .stack;
}

/// A step in words, and how it changes a request.
struct Step {
    bool allowed;
    const char* words;
    bool (*take)(SearchRequest&);
};

}  // namespace

bool searches_uneven_stages(const Job& job) {
    return !job.run.uneven_stages && !deals_stages(job, 2);
}

RelaxedSearch relaxed_search(SearchRequest request, const Freedoms& freedoms,
                             const std::function<SearchResult(SearchRequest&)>& run) {
    RelaxedSearch nearest{
        std::move(request), {}, {}, false};  // the first that fits at all, else the plain one
    nearest.result = run(nearest.request);
    if (answers(nearest.result))
        return nearest;
    const Step steps[] = {{freedoms.uneven_stages, "uneven pipeline stages", allow_uneven_stages},
                          {freedoms.offload, "model states and activations in host memory", allow_offload},
                          {freedoms.recompute, "more kinds of recomputation", allow_recompute}};
    RelaxedSearch wider{nearest.request, {}, {}, false};
    wider.request.nearest = false;  // an answer only where something fits
    // All at once: a plan that one of them allows may be slower than one that another does.
    const auto widen = [&] {
        wider.relaxed.clear();
        for (const Step& step : steps) {
            if (step.allowed && step.take(wider.request))
                wider.relaxed.emplace_back(step.words);
        }
        return !wider.relaxed.empty();
    };
    const auto found = [&] {
        wider.result = run(wider.request);
        if (!anything_fits(nearest.result) && anything_fits(wider.result))
            nearest = wider;
        return answers(wider.result);
    };
    if (widen() && found())
        return wider;
    // Another stack is not taken where this one has a plan, however narrowly it fits.
    if (!freedoms.other_stacks || anything_fits(nearest.result))
        return nearest;
    wider.request.sites = freedoms.other_stacks();
    if (wider.request.sites.empty())
        return nearest;
    wider.other_stacks = true;
    wider.relaxed.clear();
    if (!found() && !anything_fits(wider.result) && widen())
        found();
    if (!anything_fits(wider.result))
        return nearest;
    std::string words = "other stacks";
    if (!wider.result.best.empty())
        words += ", of which the first plan takes --stack " + stack_of(wider).id;
    wider.relaxed.push_back(words);
    return wider;
}

}  // namespace traincost
