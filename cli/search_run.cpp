#include <cli/search_run.hpp>

#include <traincost/base/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <iostream>
#include <mutex>
#include <thread>

namespace traincost::cli {

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
