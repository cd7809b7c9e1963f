// Loops on all cores whose results do not depend on how many there are.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

namespace traincost {

/// Calls `body(i)` once for every i in [0, n), on at most `threads` threads (0: as many as there are cores),
/// in no particular order. Where calls throw, the exception of the lowest index is rethrown, and every lower
/// index has been called. Bodies may share nothing they write.
void parallel_for(std::size_t n, const std::function<void(std::size_t)>& body, int threads = 0);

/// `function(i)` for every i in [0, n), in order. The result must be default-constructible, and not bool.
template <class Function>
auto parallel_map(std::size_t n, const Function& function, int threads = 0) {
    std::vector<std::decay_t<decltype(function(n))>> results(n);
    parallel_for(
        n, [&](std::size_t i) { results[i] = function(i); }, threads);
    return results;
}

}  // namespace traincost
