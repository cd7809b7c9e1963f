#include "traincost/ask/questions/search_question.hpp"

#include <algorithm>

#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/ask/questions/search_sites.hpp"
#include "traincost/base/text.hpp"
#include "traincost/spec/draft/job_values.hpp"
#include "traincost/spec/step_tokens.hpp"

namespace traincost {

Shard shard_from(const std::string& text) {
    const auto slash = text.find('/');
    if (slash == text.npos) {
        throw Error(ErrorKind::usage, "'" + text + "' must be I/N, as in 3/16");
    }
    const std::int64_t shard = parse_count(text.substr(0, slash));
    const std::int64_t shards = parse_count(text.substr(slash + 1));
    if (shards < 1 || shard < 1 || shard > shards) {
        throw Error(ErrorKind::usage,
                    "'" + text + "' is not a shard; allowed: 1/N to N/N, with N at least 1");
    }
    return {shard - 1, shards};
}

Objective objective_from(const std::string& text) {
    Objective objective{0.0, 0.0, 0.0, 0.0};
    for (const std::string& part : split(text, ',')) {
        const std::size_t equals = std::min(part.find('='), part.size());
        const std::string name = part.substr(0, equals);
        const double weight =
            equals == part.size() ? 1.0 : parse_number(part.substr(equals + 1), Range::positive);
        constexpr std::string_view names[] = {"time", "cost", "memory", "energy"};
        double* const members[] = {&objective.time, &objective.cost, &objective.memory, &objective.energy};
        const auto found = std::find(std::begin(names), std::end(names), name);
        if (found == std::end(names)) {
            throw Error(ErrorKind::usage, "unknown value '" + name +
                                              "'; allowed: time, cost, memory, energy, or a mix as in "
                                              "time=1,cost=0.5" +
                                              did_you_mean(name, std::span<const std::string_view>(names)));
        }
        *members[found - std::begin(names)] = weight;
    }
    return objective;
}

Freedoms freedoms_of(const SearchQuestion& f) {
    const DimensionChoices& d = f.dimensions;
    return {.uneven_stages = true,
            .offload =
                d.offload_optimizer.empty() && d.offload_parameters.empty() && d.offload_activations.empty(),
            .recompute = d.recompute.empty(),
            .other_stacks = {}};
}

void refuse_accumulation(const JobDraft& said) {
    if (!said.accumulation)
        return;
    throw Error(ErrorKind::usage,
                said.accumulation.where + ": " + std::to_string(*said.accumulation) +
                    " says nothing of the batch where micro-batches and ranks are searched; give "
                    "--global-batch, the sequences per optimizer step");
}

ResolvedSearch resolve_search(const SearchQuestion& f, const Sources& sources) {
    if ((f.deadline || f.budget) && !f.job.tokens && !f.of_file) {
        throw Error(ErrorKind::usage,
                    std::string(f.deadline ? "--deadline" : "--budget") + ": needs --tokens");
    }
    refuse_accumulation(f.said);
    if (f.said.gpus && (f.min_gpus || f.max_gpus)) {
        throw Error(ErrorKind::usage, "--gpus: cannot be combined with --min-gpus or --max-gpus");
    }
    if (f.min_gpus && !f.max_gpus) {
        throw Error(ErrorKind::usage, "--min-gpus: needs --max-gpus");
    }
    if (f.max_gpus && f.min_gpus.value_or(1) > *f.max_gpus) {
        throw Error(ErrorKind::usage, "--min-gpus: " + std::to_string(*f.min_gpus) +
                                          " is more than --max-gpus " + std::to_string(*f.max_gpus));
    }
    if (!f.clusters.empty() && (f.said.cluster || f.said.gpu)) {
        throw Error(ErrorKind::usage, "--clusters: cannot be combined with --cluster or --gpu");
    }
    ResolvedSearch out = resolve_sites(f, sources);
    SearchRequest& request = out.request;
    if (request.sites.empty()) {
        return out;
    }
    if ((f.deadline || f.budget) && !request.run.tokens) {
        throw Error(ErrorKind::usage,
                    std::string(f.deadline ? "--deadline" : "--budget") + ": needs --tokens");
    }
    request.objective = f.objective;
    if (request.run.tokens) {
        const double steps = *request.run.tokens / tokens_per_step(request.run);
        if (f.deadline) {
            request.limits.step_time = *f.deadline / steps;
        }
        if (f.budget) {
            request.limits.step_cost = *f.budget / steps;
        }
    }
    request.top = static_cast<std::size_t>(f.top);
    request.prune = !f.exhaustive;
    if (!f.allow_risky) {
        request.margin_of = margins(sources);
    }
    request.threads = static_cast<int>(std::min<std::int64_t>(f.threads, 1 << 16));
    if (f.shard) {
        request.shard = f.shard->shard;
        request.shards = f.shard->shards;
    }
    return out;
}

void take_job(SearchQuestion& question, const SaidJob& job, const Sources& sources) {
    question.job = draft_of(job, sources);
    question.said = job.said;
    question.of_file = job.file.has_value();
}

}  // namespace traincost
