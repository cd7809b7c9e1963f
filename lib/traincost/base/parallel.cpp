#include <traincost/base/parallel.hpp>

#include <traincost/base/error.hpp>
#include <traincost/base/time_limit.hpp>

#if defined(TRAINCOST_STATIC)
#include <thread>
#elif !defined(__EMSCRIPTEN__)
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace traincost {

namespace {

// The exception of the lowest index that threw.
class FirstException {
public:
    explicit FirstException(std::size_t none) : index_(none) {
    }

    // An index above one that threw need not be called.
    bool is_after(std::size_t i) const {
        return i > index_.load(std::memory_order_relaxed);
    }
    void keep_current(std::size_t i) {
        const std::scoped_lock lock(mutex_);
        if (i < index_) {
            index_ = i;
            exception_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (exception_) {
            std::rethrow_exception(exception_);
        }
    }

private:
    std::mutex mutex_;
    std::atomic<std::size_t> index_;
    std::exception_ptr exception_;
};

#if defined(TRAINCOST_STATIC)

// A static build has no scheduler of tasks: threads take the next index until there is none. A loop within a
// loop runs on the thread that came to it.
template <class Call>
void call_all(std::size_t n, const Call& call, int threads) {
    thread_local bool within = false;
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t wanted = threads > 0 ? std::min(static_cast<std::size_t>(threads), cores) : cores;
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        const bool outer = std::exchange(within, true);
        for (std::size_t i = next++; i < n; i = next++) {
            call(i);
        }
        within = outer;
    };
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min(wanted, n) && !within; ++t) {
        others.emplace_back(work);
    }
    work();
}

#elif defined(__EMSCRIPTEN__)

// A page has one thread; its workers share nothing.
template <class Call>
void call_all(std::size_t n, const Call& call, int) {
    for (std::size_t i = 0; i < n; ++i) {
        call(i);
    }
}

#else

template <class Call>
void call_all(std::size_t n, const Call& call, int threads) {
    const int cores = tbb::this_task_arena::max_concurrency();
    tbb::task_arena arena(threads > 0 ? std::min(threads, cores) : cores);
    arena.execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n), [&](const auto& range) {
            for (std::size_t i = range.begin(); i != range.end(); ++i) {
                call(i);
            }
        });
    });
}

#endif

}  // namespace

void parallel_for(std::size_t n, const std::function<void(std::size_t)>& body, int threads) {
    FirstException first(n);
    const TimeLimit::Clock::time_point until = TimeLimit::of_this_thread();
    const bool limited = until != TimeLimit::Clock::time_point::max();
    const auto call = [&](std::size_t i) {
        if (first.is_after(i)) {
            return;
        }
        try {
            if (limited && TimeLimit::Clock::now() > until) {
                throw Error(ErrorKind::usage, "took too long and was stopped; ask for less");
            }
            body(i);
        } catch (...) {
            first.keep_current(i);
        }
    };
    if (threads == 1 || n < 2) {
        for (std::size_t i = 0; i < n; ++i) {
            call(i);
        }
    } else {
        call_all(n, call, threads);
    }
    first.rethrow();
}

}  // namespace traincost
