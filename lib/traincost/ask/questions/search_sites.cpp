#include "traincost/ask/questions/search_sites.hpp"

#include <algorithm>

#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

/// Every count of whole nodes from low to high.
std::vector<std::int64_t> gpu_counts(std::int64_t low, std::int64_t high, std::int64_t per_node) {
    constexpr std::int64_t most = 1024;
    const std::int64_t first = (low + per_node - 1) / per_node;
    const std::int64_t last = high / per_node;
    if (last - first >= most) {
        throw Error(ErrorKind::usage, "--max-gpus: " + std::to_string(last - first + 1) +
                                          " node counts lie between " + std::to_string(low) + " and " +
                                          std::to_string(high) + " accelerators; at most " +
                                          std::to_string(most) + " are searched");
    }
    std::vector<std::int64_t> counts;
    for (std::int64_t n = first; n <= last; ++n) {
        counts.push_back(n * per_node);
    }
    return counts;
}

SearchSpace space_of(const SearchQuestion& f, const Job& job) {
    return restricted(f.full_space ? full_space(job) : stack_space(job), f.dimensions, job);
}

bool contains(const std::vector<std::string>& lines, const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
}

void add_once(std::vector<std::string>& lines, const std::string& line) {
    if (!contains(lines, line)) {
        lines.push_back(line);
    }
}

using Names = std::vector<std::optional<std::string>>;

/// What an objective or a limit needs to know of a cluster; nothing where it is known.
std::string unknown_of(const SearchQuestion& f, const ClusterSpec& cluster) {
    if ((f.budget || f.objective.cost != 0.0) && !hourly_price(cluster)) {
        return std::string(f.budget ? "--budget" : "--objective") + ": no hourly price of " + cluster.id +
               " is known; give --gpu-hour-price";
    }
    if (f.objective.energy != 0.0 && !power_watts(cluster)) {
        return "--objective: the power of " + cluster.id + " is not known";
    }
    return "";
}

/// Collects sites; what cannot be one is an `Error`, or left out where nobody named it.
class Sites {
public:
    Sites(const SearchQuestion& question, const Sources& sources, bool lenient)
        : question_(question), sources_(sources), lenient_(lenient) {
    }

    /// The sites of one cluster under one stack, a number of accelerators each.
    void add(const std::optional<std::string>& cluster, const std::optional<std::string>& stack) {
        JobDraft one = question_.job;
        if (const auto& zero = question_.dimensions.zero) {
            // decides the usual stack
            one.zero = {zero->listed.empty() ? zero->low : zero->listed.front(), "--zero"};
        }
        if (cluster) {
            one.cluster = {cluster, "--cluster"};
        }
        if (stack) {
            one.stack = {stack, "--stack"};
        }
        if (!question_.max_gpus) {
            add(one, cluster.value_or("the cluster"));
            return;
        }
        one.gpus = {question_.max_gpus, "--gpus"};
        const std::optional<ResolvedJob> most = resolved(one, cluster.value_or("the cluster"));
        if (!most) {
            return;
        }
        for (const std::int64_t count :
             gpu_counts(question_.min_gpus.value_or(1), *question_.max_gpus, most->job.cluster.per_node)) {
            one.gpus = {count, "--gpus"};
            add(one, cluster.value_or("the cluster"));
        }
    }

    ResolvedSearch take() {
        return std::move(out_);
    }

private:
    std::optional<ResolvedJob> resolved(const JobDraft& draft, const std::string& name) {
        try {
            ResolvedJob r = resolve(draft, sources_,
                                    {.micro_batch = false,
                                     .layout = false,
                                     .price = question_.budget || question_.objective.cost != 0.0});
            allow_uneven_stages(r);
            if (const std::string unknown = unknown_of(question_, r.job.cluster); !unknown.empty()) {
                throw Error(ErrorKind::usage, unknown);
            }
            return r;
        } catch (const Error& error) {
            if (!lenient_) {
                throw;
            }
            leave_out(name + ": " + to_string(error.problems().front()));
            return std::nullopt;
        }
    }

    void add(const JobDraft& draft, const std::string& name) {
        std::optional<ResolvedJob> found = resolved(draft, name);
        if (!found) {
            return;
        }
        Job& job = found->job;
        const std::optional<SearchSpace> space = allowed_space(job);
        if (!space) {
            return;
        }
        Site site{job.cluster, job.stack, *space};
        site.goodput = goodput_of(job, found->operation);
        if (!(site.goodput > 0.0)) {
            leave_out(job.cluster.id + ": training never ends: " +
                      why_training_never_ends(job, found->operation).value_or(""));
            return;
        }
        out_.assumptions.push_back(to_text(found->assumptions));
        SearchRequest& request = out_.request;
        if (request.sites.empty()) {
            request.model = job.model;
            request.run = job.run;
            // What a search assumes is divisible; what a layout assumes need not be the same.
            request.says_batch = !draft.global_batch && !draft.accumulation;
        } else if (!(job.run == request.run)) {
            site.run = job.run;
        }
        out_.operation = std::move(found->operation);
        request.sites.push_back(std::move(site));
    }

    /// Nothing where limits leave a dimension nothing on this one of several clusters.
    std::optional<SearchSpace> allowed_space(const Job& job) {
        try {
            return space_of(question_, job);
        } catch (const Error& error) {
            if (!lenient_ && !question_.max_gpus) {
                throw;
            }
            leave_out(job.cluster.id + " with " + std::to_string(job.cluster.accelerators) +
                      " accelerators: " + to_string(error.problems().front()));
            return std::nullopt;
        }
    }

    void leave_out(const std::string& why) {
        add_once(out_.left_out, why);
    }

    const SearchQuestion& question_;
    const Sources& sources_;
    bool lenient_;
    ResolvedSearch out_{{.model = {}, .run = {}, .sites = {}}, {}, {}, {}};
};

}  // namespace

std::optional<ResolvedSearch> resolve_other_stacks(const SearchQuestion& f, const ResolvedSearch& search,
                                                   const Sources& sources) {
    const bool reads_once = f.job.model.value == "-";
    if (f.said.stack || !f.stacks.empty() || f.of_file || reads_once || search.request.sites.empty()) {
        return std::nullopt;
    }
    SearchQuestion other = f;
    other.stacks.clear();
    for (const std::string& id : usual_stacks(
             sources, search.request.sites.front().cluster.accelerator.vendor, search.request.run.tuning)) {
        if (id != search.request.sites.front().stack.id) {
            other.stacks.emplace_back(id);
        }
    }
    if (other.stacks.empty()) {
        return std::nullopt;
    }
    Names clusters(f.clusters.begin(), f.clusters.end());
    if (clusters.empty()) {
        clusters.push_back(f.said.cluster.value);
    }
    if (f.clusters.size() == 1 && f.clusters.front() == "all") {
        return std::nullopt;  // every cluster is searched: enough to choose from
    }
    Sites sites(other, sources, true);
    for (const auto& cluster : clusters) {
        for (const std::string& stack : other.stacks) {
            sites.add(cluster, stack);
        }
    }
    ResolvedSearch out = sites.take();
    if (out.request.sites.empty()) {
        return std::nullopt;
    }
    // The question is the same: what a site's run has of its own stays with the site.
    for (std::size_t i = 0; i < out.request.sites.size(); ++i) {
        out.request.sites[i].run = base_job(out.request, i).run;
    }
    return out;
}

namespace {

/// A name that is not known is an error among others too.
void require_known(const std::string& cluster, const Catalogue& catalogue) {
    try {
        catalogue.id(Room::clusters, cluster);
    } catch (const Error& error) {
        throw Error(error.kind(), std::string("--clusters: ") + error.what());
    }
}

}  // namespace

ResolvedSearch resolve_sites(const SearchQuestion& f, const Sources& sources) {
    const bool all = f.clusters.size() == 1 && f.clusters.front() == "all";
    const bool several = all || f.clusters.size() > 1 || f.stacks.size() > 1 || f.max_gpus;
    if (several && f.job.model.value == "-") {
        throw Error(ErrorKind::usage,
                    "standard input can be read only once: give a file where several "
                    "clusters, stacks or numbers of GPUs are searched");
    }
    Names clusters(f.clusters.begin(), f.clusters.end());
    if (all) {
        clusters.clear();
        for (const CatalogueEntry& entry : sources.catalogue().entries(Room::clusters)) {
            clusters.emplace_back(entry.id);
        }
    } else if (clusters.empty()) {
        clusters.push_back(f.said.cluster.value);
    }
    Names stacks(f.stacks.begin(), f.stacks.end());
    if (stacks.empty()) {
        stacks.push_back(f.said.stack.value);
    }
    for (const auto& cluster : clusters) {
        if (clusters.size() > 1) {
            require_known(*cluster, sources.catalogue());
        }
    }
    Sites sites(f, sources, clusters.size() > 1);
    for (const auto& cluster : clusters) {
        for (const auto& stack : stacks) {
            sites.add(cluster, stack);
        }
    }
    ResolvedSearch out = sites.take();
    if (out.request.sites.empty() && out.left_out.empty()) {
        throw Error(ErrorKind::usage, "--max-gpus: no whole number of nodes lies between " +
                                          std::to_string(f.min_gpus.value_or(1)) + " and " +
                                          std::to_string(*f.max_gpus) + " accelerators");
    }
    return out;
}

std::vector<std::string> assumptions_of(const ResolvedSearch& search, const SearchResult& result) {
    std::vector<std::size_t> sites;
    const auto add = [&](const std::vector<Plan>& plans) {
        for (const Plan& plan : plans) {
            const auto site = static_cast<std::size_t>(plan.configuration.site);
            if (std::find(sites.begin(), sites.end(), site) == sites.end()) {
                sites.push_back(site);
            }
        }
    };
    add(result.best);
    add(result.pareto);
    if (sites.empty()) {
        for (std::size_t i = 0; i < search.request.sites.size(); ++i) {
            sites.push_back(i);
        }
    }
    const auto shared = [&](const std::string& line) {
        return std::all_of(sites.begin(), sites.end(),
                           [&](std::size_t site) { return contains(search.assumptions[site], line); });
    };
    std::vector<std::string> lines;
    for (const std::string& line : search.assumptions[sites.front()]) {
        if (shared(line)) {
            lines.push_back(line);
        }
    }
    for (const std::size_t site : sites) {
        for (const std::string& line : search.assumptions[site]) {
            if (!shared(line)) {
                add_once(lines, search.request.sites[site].cluster.id + ": " + line);
            }
        }
    }
    return lines;
}

}  // namespace traincost
