#include "traincost/base/time_limit.hpp"

#include <utility>

namespace traincost {

namespace {

TimeLimit::Clock::time_point& limit() {
    thread_local TimeLimit::Clock::time_point until = TimeLimit::Clock::time_point::max();
    return until;
}

}  // namespace

TimeLimit::TimeLimit(Clock::time_point until) : before_(std::exchange(limit(), until)) {
}

TimeLimit::~TimeLimit() {
    limit() = before_;
}

TimeLimit::Clock::time_point TimeLimit::of_this_thread() {
    return limit();
}

}  // namespace traincost
