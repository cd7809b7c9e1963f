// Best plans and Pareto front of a stream of plans, in memory that does not grow with the stream.
#pragma once

#include <cstddef>
#include <vector>

#include "traincost/plan/search.hpp"

namespace traincost {

/// Whether `a` comes before `b`: objective value, then metrics, then configuration. A total order, so that
/// ranking does not depend on the order plans arrive in.
bool ranks_before(const Plan& a, const Plan& b);

/// Whether `a` is at least as good as `b` in time, memory and cost, and better in one; of two that are equal
/// in all, the one with the lower configuration dominates.
bool dominates(const Plan& a, const Plan& b);

/// The `limit` best of the plans added.
class TopPlans {
public:
    explicit TopPlans(std::size_t limit) : limit_(limit) {
    }
    void add(const Plan& plan);
    void add(const TopPlans& other);
    std::vector<Plan> sorted() const;

private:
    std::size_t limit_;
    std::vector<Plan> heap_;  ///< the worst on top
};

/// The plans added that no other dominates.
class ParetoFront {
public:
    void add(const Plan& plan);
    void add(const ParetoFront& other);
    std::vector<Plan> sorted() const;  ///< by time

private:
    std::vector<Plan> plans_;  ///< most recently useful dominators first
};

}  // namespace traincost
