// Best plans and Pareto front of a stream of plans, in memory that does not grow with the stream.
#pragma once

#include <cstddef>
#include <vector>

#include "traincost/plan/search.hpp"

namespace traincost {

/// Whether a layout is simpler: fewer kinds of parallelism, then smaller degrees (data parallelism apart,
/// which takes what the others leave), then the lower configuration. A total order.
bool simpler(const Configuration& a, const Configuration& b);

/// Whether two plans of a site take the same time to the bit, at the same cost and energy: guises of one
/// plan, or plans of which one needs more memory for nothing.
bool same_speed(const Plan& a, const Plan& b);

/// Whether `a` comes before `b`: objective value, then time, cost and energy, then memory, then the simpler
/// layout. A total order in which plans of the same speed are neighbours, so that ranking does not depend on
/// the order plans arrive in.
bool ranks_before(const Plan& a, const Plan& b);

/// Whether `a` is at least as good as `b` in time, memory and cost, and better in one; of two that are equal
/// in all, the simpler one dominates.
bool dominates(const Plan& a, const Plan& b);

/// The best of the plans added: of the `limit` best speeds at most `guises` plans each.
class TopPlans {
public:
    static constexpr std::size_t guises = 8;

    explicit TopPlans(std::size_t limit) : limit_(limit) {
    }
    void add(const Plan& plan);
    void add(const TopPlans& other);
    const std::vector<Plan>& sorted() const {
        return plans_;
    }

private:
    std::size_t limit_;
    std::size_t speeds_ = 0;
    std::vector<Plan> plans_;  ///< by rank
};

/// A plan and the other layouts that are as fast in about as much memory.
struct PlanGuises {
    Plan plan;
    std::vector<Configuration> also;
};

/// Plans by rank, those of the same speed as one: the first of them stands for all. Others are named where
/// they take no more memory than the buffers of a further communicator or two.
std::vector<PlanGuises> guises_of(const std::vector<Plan>& plans);

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
