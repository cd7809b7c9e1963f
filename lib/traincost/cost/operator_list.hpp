// The operators of one pipeline stage, each with what it multiplies, moves, keeps and takes: the inventory
// that memory and time are sums of.
#pragma once

#include <string>
#include <vector>

#include "traincost/cost/kernels.hpp"
#include "traincost/cost/ops.hpp"

namespace traincost {

/// An operator of one micro-batch on one rank.
struct ListedOperator {
    Operator of;
    Seconds forward;  ///< its kernels one after another, nothing overlapped, products at their own power
    Seconds backward;
};

/// The embedding, one kind of block, or the head with the loss, in forward order.
struct OperatorPart {
    std::string name;   ///< "block", "block with experts", "encoder block, window of 128 keys"
    double runs = 0.0;  ///< how many of it the stage has
    std::vector<ListedOperator> operators;
};

/// The parts that the job's `stage` (0-based) has, in forward order of their first.
std::vector<OperatorPart> operator_list(const Job& job, std::int64_t stage);

}  // namespace traincost
