#include <cli/search_options.hpp>

#include <cli/options.hpp>
#include <cli/search_sites.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/residuals_json.hpp>
#include <traincost/spec/job_values.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

namespace traincost::cli {

ShardFlag shard_flag(const std::string& text) {
    const auto slash = text.find('/');
    if (slash == text.npos) {
        throw Error(ErrorKind::usage, "'" + text + "' is not I/N, as in 3/16");
    }
    const std::int64_t shard = parse_count(text.substr(0, slash));
    const std::int64_t shards = parse_count(text.substr(slash + 1));
    if (shards < 1 || shard < 1 || shard > shards) {
        throw Error(ErrorKind::usage, "'" + text + "' names no shard; allowed: 1/N to N/N with N at least 1");
    }
    return {shard - 1, shards};
}

namespace {

std::int64_t positive(const std::string& text) {
    return parse_count(text, Range::positive);
}

Objective objective_flag(const std::string& text) {
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
            throw Error(ErrorKind::usage, "'" + name + "' is not known" +
                                              did_you_mean(name, std::span<const std::string_view>(names)) +
                                              "; allowed: time, cost, memory, energy, or a mix as in "
                                              "time=1,cost=0.5");
        }
        *members[found - std::begin(names)] = weight;
    }
    return objective;
}

}  // namespace

void add_search_options(CLI::App& app, SearchFlags& f) {
    add_job_options(app, f.job);
    add_dimension_options(app, f.dimensions);
    add_parsed(app, "--clusters", f.clusters, "ID,ID...", names_of,
               "Node types to search; all: the whole catalogue");
    add_parsed(app, "--stacks", f.stacks, "ID,ID...", names_of, "Software stacks to search");
    add_parsed(app, "--min-gpus", f.min_gpus, "COUNT", positive, "Smallest number of accelerators to search");
    add_parsed(app, "--max-gpus", f.max_gpus, "COUNT", positive, "Largest number of accelerators to search");
    add_parsed(
        app, "--deadline", f.deadline, "TIME", [](auto& t) { return parse_duration(t, Range::positive); },
        "Longest training time, as in 60d (needs --tokens)");
    add_parsed(
        app, "--budget", f.budget, "DOLLARS", [](auto& t) { return parse_dollars(t, Range::positive); },
        "Highest training cost, as in $20M (needs --tokens)");
    add_parsed(app, "--objective", f.objective, "time|cost|memory|energy", objective_flag,
               "What to minimise, or a weighted mix such as time=1,cost=0.5 (a product of powers)");
    app.add_flag("--full-space", f.full_space,
                 "Search every valid configuration, not only those the stack implements");
    app.add_flag("--allow-risky", f.allow_risky,
                 "Rank plans that fit with a probability below 80% among the others. Default: left out");
    app.add_flag("--exhaustive", f.exhaustive, "Disable pruning: same answer, slower");
    add_parsed(app, "--top", f.top, "N", positive, "Number of plans to print");
    add_parsed(app, "--shard", f.shard, "I/N", shard_flag,
               "Search this part only, and print it as JSON for 'traincost merge'");
    add_parsed(app, "--threads", f.threads, "N", positive, "Threads; default: all cores");
}

Freedoms freedoms_of(const SearchFlags& f) {
    const DimensionFlags& d = f.dimensions;
    return {.uneven_stages = true,
            .offload =
                d.offload_optimizer.empty() && d.offload_parameters.empty() && d.offload_activations.empty(),
            .recompute = d.recompute.empty(),
            .other_stacks = {}};
}

std::function<MemoryMargin(const Job&)> margins(const std::string& data_folder) {
    return [residuals = std::make_shared<const Residuals>(read_residuals(data_folder))](const Job& job) {
        return memory_margin(*residuals, job);
    };
}

ResolvedSearch resolve_search(const SearchFlags& f, const Catalogue& catalogue, Context& context) {
    if ((f.deadline || f.budget) && !f.job.said.tokens && !f.job.job_file) {
        throw Error(ErrorKind::usage, std::string(f.deadline ? "--deadline" : "--budget") +
                                          ": needs --tokens, the tokens to train on");
    }
    if (f.job.said.gpus && (f.min_gpus || f.max_gpus)) {
        throw Error(ErrorKind::usage, "--gpus: excludes --min-gpus and --max-gpus");
    }
    if (f.min_gpus && !f.max_gpus) {
        throw Error(ErrorKind::usage, "--min-gpus: needs --max-gpus");
    }
    if (f.max_gpus && f.min_gpus.value_or(1) > *f.max_gpus) {
        throw Error(ErrorKind::usage, "--min-gpus: " + std::to_string(*f.min_gpus) +
                                          " is more than --max-gpus " + std::to_string(*f.max_gpus));
    }
    if (!f.clusters.empty() && (f.job.said.cluster || f.job.said.gpu)) {
        throw Error(ErrorKind::usage, "--clusters: excludes --cluster and --gpu");
    }
    ResolvedSearch out = resolve_sites(f, catalogue, context);
    SearchRequest& request = out.request;
    if (request.sites.empty()) {
        return out;
    }
    if ((f.deadline || f.budget) && !request.run.tokens) {
        throw Error(ErrorKind::usage, std::string(f.deadline ? "--deadline" : "--budget") +
                                          ": needs --tokens, the tokens to train on");
    }
    request.objective = f.objective;
    if (request.run.tokens) {
        const double steps = *request.run.tokens / (static_cast<double>(request.run.global_batch) *
                                                    static_cast<double>(request.run.sequence));
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
        request.margin_of = margins(context.data_folder);
    }
    request.threads = static_cast<int>(std::min<std::int64_t>(f.threads, 1 << 16));
    if (f.shard) {
        request.shard = f.shard->shard;
        request.shards = f.shard->shards;
    }
    return out;
}

namespace {

/// The running search that SIGINT or SIGTERM ends.
std::atomic<SearchMonitor*> running{nullptr};

extern "C" void stop_search(int) {
    if (SearchMonitor* monitor = running.load()) {
        monitor->stop = true;
    }
}

/// Prints progress until it goes away; only on a terminal, only after a second.
class Progress {
public:
    Progress(const SearchMonitor& monitor, Context& context) : monitor_(monitor) {
        if (&context.err == &std::cerr && isatty(STDERR_FILENO) != 0) {
            thread_ = std::thread([this] { watch(); });
        }
    }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() {
        if (!thread_.joinable()) {
            return;
        }
        {
            const std::scoped_lock lock(mutex_);
            done_ = true;
        }
        wake_.notify_one();
        thread_.join();
        if (shown_) {
            std::cerr << "\r\x1b[K" << std::flush;
        }
    }

private:
    void watch() {
        std::unique_lock lock(mutex_);
        while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; })) {
            const std::int64_t all = std::max<std::int64_t>(1, monitor_.shapes);
            const double share = static_cast<double>(monitor_.shapes_done) / static_cast<double>(all);
            std::cerr << "\r" << percent_text(share) << " searched, "
                      << count_text(static_cast<double>(monitor_.evaluated)) << " configurations\x1b[K"
                      << std::flush;
            shown_ = true;
        }
    }

    const SearchMonitor& monitor_;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool done_ = false;
    bool shown_ = false;
};

}  // namespace

SearchResult run_search(SearchRequest& request, Context& context) {
    SearchMonitor monitor;
    request.monitor = &monitor;
    running = &monitor;
    const auto interrupt = std::signal(SIGINT, stop_search);
    const auto terminate = std::signal(SIGTERM, stop_search);
    const auto restore = [&] {
        std::signal(SIGINT, interrupt);
        std::signal(SIGTERM, terminate);
        running = nullptr;
        request.monitor = nullptr;
    };
    try {
        const Progress progress(monitor, context);
        SearchResult result = search(request);
        restore();
        return result;
    } catch (...) {
        restore();
        throw;
    }
}

}  // namespace traincost::cli
