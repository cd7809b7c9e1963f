#include <traincost/base/parallel.hpp>

#ifndef __EMSCRIPTEN__  // a page has one thread; its workers share nothing
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

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

void call_on_cores([[maybe_unused]] int threads, std::size_t n,
                   const std::function<void(std::size_t)>& call) {
#ifdef __EMSCRIPTEN__
    for (std::size_t i = 0; i < n; ++i) {
        call(i);
    }
#else
    const int cores = tbb::this_task_arena::max_concurrency();
    tbb::task_arena arena(threads > 0 ? std::min(threads, cores) : cores);
    arena.execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n), [&](const auto& range) {
            for (std::size_t i = range.begin(); i != range.end(); ++i) {
                call(i);
            }
        });
    });
#endif
}

}  // namespace

void parallel_for(std::size_t n, const std::function<void(std::size_t)>& body, int threads) {
    FirstException first(n);
    const auto call = [&](std::size_t i) {
        if (first.is_after(i)) {
            return;
        }
        try {
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
        call_on_cores(threads, n, call);
    }
    first.rethrow();
}

}  // namespace traincost
