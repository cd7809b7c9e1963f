#include <cli/search_options.hpp>

#include <cli/options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/spec/job_values.hpp>

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

namespace traincost::cli {

namespace {

std::int64_t positive(const std::string& text) {
    return parse_count(text, Range::positive);
}

/// Declares the flags of dimensions, in place of those of a job that take one value.
void add_dimension_options(CLI::App& app, DimensionChoices& choices) {
    for (const DimensionField& field : dimension_fields()) {
        const std::string name(field.flag);
        if (CLI::Option* one_valued = app.get_option_no_throw(name)) {
            app.remove_option(one_valued);
        }
        const auto set = [&choices, &field, name](const std::string& text) {
            try {
                field.say(choices, text);
            } catch (const Error& error) {
                throw Error(ErrorKind::usage, name + ": " + error.what());
            }
        };
        app.add_option_function<std::string>(name, set, std::string(field.help))
            ->type_name(std::string(field.type));
    }
}

}  // namespace

void add_search_options(CLI::App& app, SearchFlags& f) {
    add_job_options(app, f.job);
    add_dimension_options(app, f.words.dimensions);
    add_parsed(app, "--clusters", f.words.clusters, "ID,ID...", names_of,
               "Node types to search; all: the whole catalogue");
    add_parsed(app, "--stacks", f.words.stacks, "ID,ID...", names_of, "Software stacks to search");
    add_parsed(app, "--min-gpus", f.words.min_gpus, "COUNT", positive,
               "Smallest number of accelerators to search");
    add_parsed(app, "--max-gpus", f.words.max_gpus, "COUNT", positive,
               "Largest number of accelerators to search");
    add_parsed(
        app, "--deadline", f.words.deadline, "TIME",
        [](auto& t) { return parse_duration(t, Range::positive); },
        "Longest training time, as in 60d (needs --tokens)");
    add_parsed(
        app, "--budget", f.words.budget, "DOLLARS", [](auto& t) { return parse_dollars(t, Range::positive); },
        "Highest training cost, as in $20M (needs --tokens)");
    add_parsed(app, "--objective", f.words.objective, "time|cost|memory|energy", objective_from,
               "What to minimise, or a weighted mix such as time=1,cost=0.5 (a product of powers)");
    app.add_flag("--full-space", f.words.full_space,
                 "Search every valid configuration, not only those the stack implements");
    app.add_flag("--allow-risky", f.words.allow_risky,
                 "Rank plans that fit with a probability below 80% among the others. Default: left out");
    app.add_flag("--exhaustive", f.words.exhaustive, "Disable pruning: same answer, slower");
    add_parsed(app, "--top", f.words.top, "N", positive, "Number of plans to print");
    add_parsed(app, "--shard", f.words.shard, "I/N", shard_from,
               "Search this part only, and print it as JSON for 'traincost merge'");
    add_parsed(app, "--threads", f.words.threads, "N", positive, "Threads; default: all cores");
}

SearchQuestion search_question(const SearchFlags& flags, const Sources& sources) {
    SearchQuestion question = flags.words;
    question.job = draft_of(flags.job, sources);
    question.said = flags.job.said;
    question.of_file = flags.job.job_file.has_value();
    return question;
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
