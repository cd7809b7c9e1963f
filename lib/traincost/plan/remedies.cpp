#include "traincost/plan/remedies.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>

#include "traincost/cost/estimate.hpp"
#include "traincost/plan/configuration_text.hpp"
#include "traincost/plan/plan_ranking.hpp"
#include "traincost/plan/relaxation.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

struct Change {
    std::string words;
    std::function<void(RunSpec&)> apply;
};

/// Multiplies a degree and takes the ranks from data parallelism; no effect, and so no remedy, where dp is
/// too small.
Change degree(const char* flag, std::int64_t Parallelism::*member, std::int64_t from, std::int64_t factor) {
    return {std::string(flag) + " " + std::to_string(from * factor), [=](RunSpec& run) {
                if (run.parallel.dp % factor == 0) {
                    run.parallel.*member *= factor;
                    run.parallel.dp /= factor;
                }
            }};
}

/// The choices of one kind, each with the choice to leave it as it is first.
std::vector<std::vector<Change>> changes_of(const Job& job) {
    const RunSpec& run = job.run;
    const Parallelism& p = run.parallel;
    const Change nothing{"", [](RunSpec&) {}};

    std::vector<Change> zero{nothing};
    const std::vector<std::int64_t> stages = stack_space(job).zero;  // those the stack has
    for (std::int64_t stage = p.zero + 1; stage <= 3 && p.dp * p.cp > 1; ++stage) {
        if (!stages.empty() && std::find(stages.begin(), stages.end(), stage) == stages.end()) {
            continue;
        }
        zero.push_back({"--zero " + std::to_string(stage), [stage](RunSpec& r) { r.parallel.zero = stage; }});
    }
    std::vector<Change> micro{nothing};
    for (std::int64_t size = run.micro_batch / 2; size >= 1; size /= 2) {
        micro.push_back(
            {"--micro-batch " + std::to_string(size), [size](RunSpec& r) { r.micro_batch = size; }});
    }
    std::vector<Change> recompute{nothing};
    for (const Recompute kind : {Recompute::selective, Recompute::full}) {
        if (kind > run.recompute) {
            recompute.push_back({"--recompute " + std::string(name_of(kind)), [kind](RunSpec& r) {
                                     r.recompute = kind;
                                     r.recompute_every = 1;
                                     r.recompute_layers.reset();
                                 }});
        }
    }
    std::vector<Change> tensor{nothing};
    std::vector<Change> pipeline{nothing};
    for (const std::int64_t factor : {2, 4, 8}) {
        tensor.push_back(degree("--tp", &Parallelism::tp, p.tp, factor));
        pipeline.push_back(degree("--pp", &Parallelism::pp, p.pp, factor));
    }
    return {zero, micro, recompute, tensor, pipeline};
}

}  // namespace

namespace {

using Choice = std::vector<std::size_t>;  // one of each kind; 0 leaves it as it is

struct Candidate {
    Choice choice;
    Remedy remedy;
};

/// Whether `a` makes the changes of `b` and others besides.
bool extends(const Choice& a, const Choice& b) {
    bool more = false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (b[k] != 0 && a[k] != b[k]) {
            return false;
        }
        more = more || (b[k] == 0 && a[k] != 0);
    }
    return more;
}

/// The next combination, counted like an odometer; false after the last.
bool advance(Choice& choice, const std::vector<std::vector<Change>>& kinds) {
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        if (++choice[k] < kinds[k].size()) {
            return true;
        }
        choice[k] = 0;
    }
    return false;
}

/// Whether the job lacks the margin of memory asked for.
bool lacks_margin(const Job& job, const StageMemory& fullest, Bytes capacity,
                  const std::function<MemoryMargin(const Job&)>& margin_of) {
    const PeakMemory peak{fullest.allocated, fullest.reserved, fullest.device, fullest.returnable};
    return margin_of && margin_of(job).needed(peak) > capacity;
}

/// The job with the changes; nothing where one has no effect or the result is not valid.
std::optional<Remedy> tried(const Job& job, const std::vector<std::vector<Change>>& kinds,
                            const Choice& choice, Bytes capacity,
                            const std::function<MemoryMargin(const Job&)>& margin_of) {
    Job changed = job;
    std::string words;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        if (choice[k] == 0) {
            continue;
        }
        const RunSpec before = changed.run;
        kinds[k][choice[k]].apply(changed.run);
        if (changed.run == before) {
            return std::nullopt;
        }
        words += (words.empty() ? "" : " ") + kinds[k][choice[k]].words;
    }
    if (!validate(changed).empty()) {
        return std::nullopt;
    }
    const Estimate e = estimate(changed);
    const StageMemory& fullest = e.stages[static_cast<std::size_t>(e.peak_stage)];
    const bool fits = fullest.device <= capacity && e.host_shortfall() <= Bytes{};
    const bool risky = fits && lacks_margin(changed, fullest, capacity, margin_of);
    return Remedy{words, fullest.device, e.step.total, fits, risky, std::move(changed)};
}

/// The best plans of a search of the job's cluster, which may go beyond what its stack usually does.
std::vector<Remedy> searched(const Job& job, Bytes capacity,
                             const std::function<std::vector<Site>()>& other_stacks,
                             const std::function<MemoryMargin(const Job&)>& margin_of, std::size_t top) {
    Site site{job.cluster, job.stack, stack_space(job)};
    SearchRequest request{.model = job.model, .run = job.run, .sites = {std::move(site)}};
    request.run.uneven_stages = job.run.uneven_stages || searches_uneven_stages(job);
    request.run.headroom = std::max(0.0, 1.0 - capacity / usable_memory(job.cluster.accelerator));
    request.top = top;
    request.margin_of = margin_of;
    request.front = false;
    request.nearest = false;
    const RelaxedSearch found = relaxed_search(std::move(request), {.other_stacks = other_stacks},
                                               [](SearchRequest& r) { return search(r); });
    std::vector<Remedy> all;
    for (const auto& [plan, also] : guises_of(found.result.best)) {
        const Configuration& c = plan.configuration;
        const Site& here = found.request.sites[static_cast<std::size_t>(c.site)];
        std::string flags = configuration_flags(found.request, c);
        if (flags.find("--stack ") == flags.npos && here.stack.id != job.stack.id)
            flags = "--stack " + here.stack.id + " " + flags;
        all.push_back({std::move(flags), plan.metrics.memory, plan.metrics.time, true, found.result.risky,
                       job_of(found.request, c)});
    }
    return all;
}

/// Without those that others make superfluous, fastest first, at most `top`.
std::vector<Remedy> best_of(std::vector<Candidate> fitting, std::size_t top) {
    std::sort(fitting.begin(), fitting.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.remedy.step, a.choice) < std::tie(b.remedy.step, b.choice);
    });
    std::vector<Remedy> best;
    for (const Candidate& candidate : fitting) {
        // A change on top of others that are enough, and no slower, is not worth naming.
        const bool superfluous = std::any_of(fitting.begin(), fitting.end(), [&](const Candidate& other) {
            return extends(candidate.choice, other.choice) && other.remedy.step <= candidate.remedy.step;
        });
        if (!superfluous && best.size() < top) {
            best.push_back(candidate.remedy);
        }
    }
    return best;
}

}  // namespace

std::vector<Remedy> remedies(const Job& job, Bytes capacity,
                             const std::function<std::vector<Site>()>& other_stacks,
                             const std::function<MemoryMargin(const Job&)>& margin_of, std::size_t top) {
    const std::vector<std::vector<Change>> kinds = changes_of(job);
    std::vector<Candidate> sure, risky;
    std::optional<Remedy> nearest;
    Choice choice(kinds.size(), 0);
    while (advance(choice, kinds)) {
        const std::optional<Remedy> remedy = tried(job, kinds, choice, capacity, margin_of);
        if (!remedy) {
            continue;
        }
        if (remedy->fits) {
            (remedy->risky ? risky : sure).push_back({choice, *remedy});
        } else if (!nearest || remedy->device < nearest->device) {
            nearest = remedy;
        }
    }
    if (!sure.empty()) {
        return best_of(std::move(sure), top);
    }
    std::vector<Remedy> others = searched(job, capacity, other_stacks, margin_of, top);
    if (!others.empty() && (!others.front().risky || risky.empty())) {
        return others;
    }
    if (!risky.empty()) {
        return best_of(std::move(risky), top);
    }
    return nearest ? std::vector<Remedy>{*nearest} : std::vector<Remedy>{};
}

}  // namespace traincost
