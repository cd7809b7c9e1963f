// How long a thread's loops may compute.
#pragma once

#include <chrono>

namespace traincost {

/// While it lives, `parallel_for` called by this thread throws an `Error` once the moment has passed: what it
/// has begun is finished, no more is. Limits nest; loops within a loop's bodies are those bodies' own matter.
class TimeLimit {
public:
    using Clock = std::chrono::steady_clock;

    explicit TimeLimit(Clock::time_point until);
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;
    ~TimeLimit();

    /// The limit that holds for this thread; `Clock::time_point::max()` where there is none.
    static Clock::time_point of_this_thread();

private:
    Clock::time_point before_;
};

}  // namespace traincost
